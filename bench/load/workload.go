package main

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand"
	"strconv"
	"strings"
	"sync"
)

// operation is what arrives at once: a call, or two, the second after the first.
type operation struct {
	calls []call
	// The key of an item that is there afterwards, for workload D.
	key string
}

// workload decides what is sent.
type workload interface {
	next() operation
	done(operation)
	each() []operation
}

func newWorkload(name string, records, run int) (workload, error) {
	if records < 100 {
		return nil, fmt.Errorf("at least 100 records")
	}
	if name == "shop" {
		return newShop(records, run), nil
	}
	shares, known := map[string][4]float64{
		"A": {0.50, 0.50, 0, 0},
		"B": {0.95, 0.05, 0, 0},
		"C": {1, 0, 0, 0},
		"D": {0.95, 0, 0.05, 0},
		"F": {0.50, 0, 0, 0.50},
	}[name]
	if !known {
		return nil, fmt.Errorf("no workload %q", name)
	}
	return &ycsb{shares: shares, latest: name == "D", records: records, run: run, zipf: newZipf(records)}, nil
}

// zipf gives numbers below n, 0 most often, as YCSB's ZipfianGenerator does with its
// constant of 0.99 (Gray and others, "Quickly generating billion-record synthetic
// databases", 1994).
type zipf struct {
	n                       float64
	theta, alpha, zeta, eta float64
}

func newZipf(n int) *zipf {
	z := &zipf{n: float64(n), theta: 0.99}
	for i := 1; i <= n; i++ {
		z.zeta += 1 / math.Pow(float64(i), z.theta)
	}
	two := 1 + math.Pow(0.5, z.theta)
	z.alpha = 1 / (1 - z.theta)
	z.eta = (1 - math.Pow(2/z.n, 1-z.theta)) / (1 - two/z.zeta)
	return z
}

// at is the number that a u from 0 to 1 stands for.
func (z *zipf) at(u float64) int {
	switch uz := u * z.zeta; {
	case uz < 1:
		return 0
	case uz < 1+math.Pow(0.5, z.theta):
		return 1
	}
	return min(int(z.n)-1, int(z.n*math.Pow(z.eta*u-z.eta+1, z.alpha)))
}

func (z *zipf) next() int {
	return z.at(rand.Float64())
}

// scattered is the same with the frequent ones anywhere below n.
func (z *zipf) scattered() int {
	hash := fnv.New64a()
	hash.Write([]byte(strconv.Itoa(z.next())))
	return int(hash.Sum64() % uint64(z.n))
}

// letters is a text that is not repeated.
func letters(n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = 'a' + byte(rand.Intn(26))
	}
	return string(text)
}

// ycsb is a workload of the Yahoo! Cloud Serving Benchmark: items of ten fields of
// 100 bytes.  A read gives the whole item, an update changes one field.
type ycsb struct {
	shares  [4]float64 // read, update, insert, read and then update
	latest  bool
	records int
	run     int
	zipf    *zipf

	mutex    sync.Mutex
	inserts  int
	inserted []string
}

func ycsbKey(n int) string {
	return fmt.Sprintf("user%08d", n)
}

func ycsbItem(key string) string {
	var item strings.Builder
	fmt.Fprintf(&item, `{"id":{"S":"%s"}`, key)
	for i := 0; i < 10; i++ {
		fmt.Fprintf(&item, `,"field%d":{"S":"%s"}`, i, letters(100))
	}
	item.WriteByte('}')
	return item.String()
}

func ycsbRead(key string) call {
	return call{"GetItem", `{"TableName":"Ycsb","Key":{"id":{"S":"` + key + `"}}}`, `"field0"`}
}

func ycsbUpdate(key string) call {
	return call{"UpdateItem", fmt.Sprintf(`{"TableName":"Ycsb","Key":{"id":{"S":"%s"}},`+
		`"UpdateExpression":"SET field%d = :v","ExpressionAttributeValues":{":v":{"S":"%s"}}}`,
		key, rand.Intn(10), letters(100)), ""}
}

// insert is a new item.
func (w *ycsb) insert() operation {
	w.mutex.Lock()
	w.inserts++
	key := fmt.Sprintf("user%d-%d", w.run, w.inserts)
	w.mutex.Unlock()
	return operation{[]call{{"PutItem", `{"TableName":"Ycsb","Item":` + ycsbItem(key) + `}`, ""}}, key}
}

// key is that of an item that is there: of any, or of the latest ones most often.
func (w *ycsb) key() string {
	if !w.latest {
		return ycsbKey(w.zipf.scattered())
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if n := w.records + len(w.inserted) - 1 - w.zipf.next(); n >= w.records {
		return w.inserted[n-w.records]
	} else {
		return ycsbKey(n)
	}
}

func (w *ycsb) of(kind int) operation {
	switch key := w.key(); kind {
	case 0:
		return operation{calls: []call{ycsbRead(key)}}
	case 1:
		return operation{calls: []call{ycsbUpdate(key)}}
	case 2:
		return w.insert()
	default:
		return operation{calls: []call{ycsbRead(key), ycsbUpdate(key)}}
	}
}

func (w *ycsb) next() operation {
	return w.of(drawn(w.shares))
}

func (w *ycsb) done(op operation) {
	if op.key != "" {
		w.mutex.Lock()
		w.inserted = append(w.inserted, op.key)
		w.mutex.Unlock()
	}
}

func (w *ycsb) each() []operation {
	return eachOf(w.shares, w.of)
}

// drawn is the number of a share, each as often as it is large.
func drawn(shares [4]float64) int {
	u := rand.Float64()
	for i, share := range shares {
		if u -= share; u < 0 {
			return i
		}
	}
	return 0
}

func eachOf(shares [4]float64, of func(int) operation) []operation {
	var all []operation
	for i, share := range shares {
		if share > 0 {
			all = append(all, of(i))
		}
	}
	return all
}

// shop is that of bench/shop: profiles of customers, their latest orders, new
// orders, and orders that are placed by a transaction.  Few customers do most.
type shop struct {
	customers int
	run       int
	zipf      *zipf

	mutex  sync.Mutex
	orders int
}

var shopShares = [4]float64{0.40, 0.30, 0.20, 0.10}

func newShop(records, run int) *shop {
	return &shop{customers: records / 10, run: run, zipf: newZipf(records / 10)}
}

// order is the name of a new one.
func (w *shop) order() string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.orders++
	return fmt.Sprintf("%d-%d", w.run, w.orders)
}

func (w *shop) of(kind int) operation {
	customer := w.zipf.scattered()
	switch kind {
	case 0:
		return operation{calls: []call{{"GetItem",
			fmt.Sprintf(`{"TableName":"Shop","Key":{"PK":{"S":"CUSTOMER#%d"},"SK":{"S":"PROFILE"}}}`, customer), `"email"`}}}
	case 1:
		return operation{calls: []call{{"Query",
			fmt.Sprintf(`{"TableName":"Shop","KeyConditionExpression":"PK = :pk AND begins_with(SK, :o)",`+
				`"ExpressionAttributeValues":{":pk":{"S":"CUSTOMER#%d"},":o":{"S":"ORDER#"}},`+
				`"ScanIndexForward":false,"Limit":5}`, customer), `"total"`}}}
	case 2:
		order := w.order()
		return operation{calls: []call{{"PutItem",
			fmt.Sprintf(`{"TableName":"Shop","Item":{"PK":{"S":"CUSTOMER#%d"},"SK":{"S":"ORDER#2024-04-01#%s"},`+
				`"total":{"N":"109.97"},"status":{"S":"PENDING"},"GSI1PK":{"S":"STATUS#PENDING"},`+
				`"GSI1SK":{"S":"2024-04-01#ORDER#%s"}},"ConditionExpression":"attribute_not_exists(PK)"}`,
				customer, order, order), ""}}}
	default:
		order := w.order()
		return operation{calls: []call{{"TransactWriteItems",
			fmt.Sprintf(`{"TransactItems":[{"Put":{"TableName":"Shop","Item":{"PK":{"S":"ORDER#%s"},"SK":{"S":"META"}},`+
				`"ConditionExpression":"attribute_not_exists(PK)"}},`+
				`{"Put":{"TableName":"Shop","Item":{"PK":{"S":"ORDER#%s"},"SK":{"S":"ITEM#001"},"quantity":{"N":"2"}}}},`+
				`{"Update":{"TableName":"Shop","Key":{"PK":{"S":"PRODUCT#p-%d"},"SK":{"S":"DETAILS"}},`+
				`"UpdateExpression":"SET inventory = inventory - :q","ConditionExpression":"inventory >= :q",`+
				`"ExpressionAttributeValues":{":q":{"N":"2"}}}}]}`, order, order, rand.Intn(w.customers)), ""}}}
	}
}

func (w *shop) next() operation {
	return w.of(drawn(shopShares))
}

func (w *shop) done(operation) {
}

func (w *shop) each() []operation {
	return eachOf(shopShares, w.of)
}
