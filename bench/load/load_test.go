package main

import (
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"sort"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// always is a workload of one call.
type always struct{}

func (always) next() operation   { return operation{calls: []call{{"GetItem", "{}", ""}}} }
func (always) done(operation)    {}
func (always) each() []operation { return nil }

func serve(t *testing.T, handler http.HandlerFunc) string {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// A server that stands still once makes all operations wait that arrive meanwhile.
// Only a bound below is asked for: whatever else the machine does, it holds.
func TestWaitingCounts(t *testing.T) {
	var asked atomic.Int32
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			time.Sleep(200 * time.Millisecond)
		}
		io.WriteString(w, "{}")
	})
	l := newLoad(address, always{}, 1)
	var arrivals []time.Duration
	for i := 0; i < 100; i++ {
		arrivals = append(arrivals, time.Duration(i)*time.Millisecond)
	}
	l.open(arrivals, 0.1)
	if l.answered != 100 || l.failed() != 0 {
		t.Errorf("%d answered, errors: %s", l.answered, l.errorList())
	}
	if least := l.latency.Min(); least < 99_000 {
		t.Errorf("one took only %d us", least)
	}
}

// A run ends although the server does not keep up, and what was not sent counts
// as slow.
func TestGivesUp(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(grace + 300*time.Millisecond)
		io.WriteString(w, "{}")
	})
	l := newLoad(address, always{}, 1)
	l.open([]time.Duration{0, 0, 0}, 0.1)
	if l.answered != 1 || l.unsent != 2 {
		t.Errorf("%d answered, %d not sent", l.answered, l.unsent)
	}
	if l.latency.TotalCount() != 3 || l.latency.Min() < 1_000_000 {
		t.Errorf("%d counted, the least with %d us", l.latency.TotalCount(), l.latency.Min())
	}
}

// Errors are counted by their names.  Answers in chunks are none, and neither is a
// connection that is closed after an answer, or instead of a further one: a server
// may do that to one that was idle.
func TestErrors(t *testing.T) {
	var asked atomic.Int32
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch asked.Add(1) {
		case 1:
			w.WriteHeader(400)
			io.WriteString(w, `{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException"}`)
		case 2:
			w.WriteHeader(500)
			io.WriteString(w, `{"__type":"InternalServerError"}`)
		case 3:
			w.Header().Set("Connection", "close")
			io.WriteString(w, "{}")
		case 4, 6:
			panic(http.ErrAbortHandler)
		default:
			io.WriteString(w, "{")
			w.(http.Flusher).Flush()
			io.WriteString(w, "}")
		}
	})
	l := newLoad(address, always{}, 1)
	l.open(make([]time.Duration, 8), 0.01)
	if got := l.errorList(); got != "500InternalServerError:1 ThrottlingException:1 connection:1" {
		t.Errorf("errors: %s", got)
	}
	if l.answered != 8 {
		t.Errorf("%d answered", l.answered)
	}
}

// An answer without what was asked for is an error.
func TestNothingFound(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "{}") })
	if got := newConnection(address).call(ycsbRead("x")); got != "nothing-found" {
		t.Errorf("%q", got)
	}
}

func TestNotServed(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(400)
		io.WriteString(w, `{"__type":"com.amazon.coral.service#UnknownOperationException"}`)
	})
	if err := try(newConnection(address), newShop(100, 1)); err == nil || !strings.Contains(err.Error(), "not served") {
		t.Errorf("%v", err)
	}
}

// Exactly as many as were asked for, in their order, all over the time.
func TestSchedule(t *testing.T) {
	arrivals := schedule(1000, 2)
	if len(arrivals) != 2000 || !sort.SliceIsSorted(arrivals, func(i, j int) bool { return arrivals[i] < arrivals[j] }) {
		t.Errorf("%d arrivals", len(arrivals))
	}
	if arrivals[0] < 0 || arrivals[1999] >= 2*time.Second {
		t.Errorf("from %v to %v", arrivals[0], arrivals[1999])
	}
}

// The probability of number i is that of 0 by (i + 1) ^ 0.99, as far as Gray's
// formula comes near it: exactly for the first two.
func TestZipf(t *testing.T) {
	const n, grid = 1000, 1_000_000
	z := newZipf(n)
	counts := make([]float64, n)
	for i := 0; i < grid; i++ {
		counts[z.at((float64(i)+0.5)/grid)]++
	}
	for i, tolerance := range map[int]float64{0: 0.001, 1: 0.001, 9: 0.25, 99: 0.25, 900: 0.25} {
		wanted := grid / z.zeta / math.Pow(float64(i+1), 0.99)
		if math.Abs(counts[i]/wanted-1) > tolerance {
			t.Errorf("number %d: %v times instead of %v", i, counts[i], wanted)
		}
	}
	for i := 0; i < 1000; i++ {
		if key := z.scattered(); key < 0 || key >= n {
			t.Errorf("number %d", key)
		}
	}
}

// D reads what is there: its own inserts only after they are done.
func TestLatest(t *testing.T) {
	made, err := newWorkload("D", 100, 7)
	if err != nil {
		t.Fatal(err)
	}
	work := made.(*ycsb)
	op := work.insert()
	reads := func() int {
		n := 0
		for i := 0; i < 1000; i++ {
			if strings.Contains(work.of(0).calls[0].body, `"`+op.key+`"`) {
				n++
			}
		}
		return n
	}
	if reads() != 0 {
		t.Error("it is read before it is there")
	}
	work.done(op)
	if reads() == 0 {
		t.Error("it is not read")
	}
}

// Each workload has the operations that it should have, as often as it should: of
// 20,000 no share is so far off by chance.
func TestShares(t *testing.T) {
	for name, wanted := range map[string]map[string]float64{
		"A":    {"GetItem": 0.5, "UpdateItem": 0.5},
		"B":    {"GetItem": 0.95, "UpdateItem": 0.05},
		"C":    {"GetItem": 1},
		"D":    {"GetItem": 0.95, "PutItem": 0.05},
		"F":    {"GetItem": 0.5, "GetItem UpdateItem": 0.5},
		"shop": {"GetItem": 0.4, "Query": 0.3, "PutItem": 0.2, "TransactWriteItems": 0.1}} {
		work, err := newWorkload(name, 100, 1)
		if err != nil {
			t.Fatal(err)
		}
		counts := map[string]float64{}
		for i := 0; i < 20000; i++ {
			var names []string
			for _, one := range work.next().calls {
				names = append(names, one.operation)
			}
			counts[strings.Join(names, " ")]++
		}
		if len(counts) != len(wanted) {
			t.Errorf("%s: %v", name, counts)
		}
		for operations, share := range wanted {
			if math.Abs(counts[operations]/20000-share) > 0.025 {
				t.Errorf("%s: %v", name, counts)
			}
		}
	}
}
