package main

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"time"
)

const (
	createYcsb = `{"TableName":"Ycsb","BillingMode":"PAY_PER_REQUEST",` +
		`"AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],` +
		`"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]}`
	createShop = `{"TableName":"Shop","BillingMode":"PAY_PER_REQUEST",` +
		`"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"},` +
		`{"AttributeName":"GSI1PK","AttributeType":"S"},{"AttributeName":"GSI1SK","AttributeType":"S"},` +
		`{"AttributeName":"GSI2PK","AttributeType":"S"},{"AttributeName":"GSI2SK","AttributeType":"S"}],` +
		`"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],` +
		`"GlobalSecondaryIndexes":[` +
		`{"IndexName":"GSI1","KeySchema":[{"AttributeName":"GSI1PK","KeyType":"HASH"},{"AttributeName":"GSI1SK","KeyType":"RANGE"}],` +
		`"Projection":{"ProjectionType":"ALL"}},` +
		`{"IndexName":"GSI2","KeySchema":[{"AttributeName":"GSI2PK","KeyType":"HASH"},{"AttributeName":"GSI2SK","KeyType":"RANGE"}],` +
		`"Projection":{"ProjectionType":"KEYS_ONLY"}}]}`
)

// Each request of it is tried so long: the server may not be up yet, and its
// tables are not there at once.
const patience = time.Minute

// insist makes a request until its answer says what is wanted.
func insist(c *connection, one call) error {
	begun := time.Now()
	for {
		failure := c.call(one)
		if failure == "" || failure == "ResourceInUseException" {
			return nil
		}
		if time.Since(begun) > patience {
			return fmt.Errorf("%s: %s", one.operation, failure)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// prepare makes both tables, and fills them by batches of 25 items.
func prepare(address string, records int) error {
	c := newConnection(address)
	for table, body := range map[string]string{"Ycsb": createYcsb, "Shop": createShop} {
		if err := insist(c, call{"CreateTable", body, ""}); err != nil {
			return err
		}
		if err := insist(c, call{"DescribeTable", `{"TableName":"` + table + `"}`, `"TableStatus":"ACTIVE"`}); err != nil {
			return err
		}
	}
	batches := make(chan string)
	failures := make(chan error, 8)
	var writers sync.WaitGroup
	for i := 0; i < cap(failures); i++ {
		writers.Add(1)
		go func() {
			defer writers.Done()
			failures <- write(newConnection(address), batches)
		}()
	}
	items("Ycsb", batches, records, func(i int) []string { return []string{ycsbItem(ycsbKey(i))} })
	items("Shop", batches, records/10, shopItems)
	close(batches)
	writers.Wait()
	for i := 0; i < cap(failures); i++ {
		if err := <-failures; err != nil {
			return err
		}
	}
	return nil
}

// write sends batches.  After a failure it only takes them.
func write(c *connection, batches <-chan string) error {
	var failure error
	for batch := range batches {
		for failure == nil {
			failure = insist(c, call{"BatchWriteItem", batch, ""})
			if !bytes.Contains(c.answer.Bytes(), []byte("PutRequest")) {
				break
			}
		}
	}
	return failure
}

// items cuts those that there are of n things into batches.
func items(table string, batches chan<- string, n int, of func(int) []string) {
	var puts []string
	for i := 0; i < n; i++ {
		for _, item := range of(i) {
			puts = append(puts, `{"PutRequest":{"Item":`+item+`}}`)
			if len(puts) == 25 {
				batches <- batch(table, puts)
				puts = nil
			}
		}
	}
	if len(puts) > 0 {
		batches <- batch(table, puts)
	}
}

func batch(table string, puts []string) string {
	return `{"RequestItems":{"` + table + `":[` + strings.Join(puts, ",") + `]}}`
}

// shopItems are a customer, ten orders of his, and a product.
func shopItems(i int) []string {
	all := []string{
		fmt.Sprintf(`{"PK":{"S":"CUSTOMER#%d"},"SK":{"S":"PROFILE"},"name":{"S":"Ann"},"email":{"S":"ann@example.com"},`+
			`"GSI1PK":{"S":"EMAIL#ann%d@example.com"},"GSI1SK":{"S":"CUSTOMER#%d"}}`, i, i, i),
		fmt.Sprintf(`{"PK":{"S":"PRODUCT#p-%d"},"SK":{"S":"DETAILS"},"price":{"N":"39.99"},"inventory":{"N":"1000000000"},`+
			`"version":{"N":"1"},"GSI1PK":{"S":"CATEGORY#%d"},"GSI1SK":{"S":"PRODUCT#p-%d"}}`, i, i%50, i)}
	for o := 1; o <= 10; o++ {
		n := i*10 + o
		all = append(all, fmt.Sprintf(`{"PK":{"S":"CUSTOMER#%d"},"SK":{"S":"ORDER#2024-03-%d#%d"},"total":{"N":"109.97"},`+
			`"status":{"S":"SHIPPED"},"GSI1PK":{"S":"STATUS#SHIPPED"},"GSI1SK":{"S":"2024-03-%d#ORDER#%d"}}`, i, 10+o, n, 10+o, n))
	}
	return all
}
