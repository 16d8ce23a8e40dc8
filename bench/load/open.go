package main

import (
	"math/rand"
	"os"
	"sort"
	"sync"
	"syscall"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/sys/unix"
)

// Operations that have not been sent so long after the last one has arrived are
// given up.
const grace = time.Second

// load sends operations by a fixed number of connections.
type load struct {
	address     string
	work        workload
	connections int
	began       time.Time

	mutex    sync.Mutex
	latency  *hdrhistogram.Histogram
	late     *hdrhistogram.Histogram
	errors   map[string]int
	answered int
	unsent   int
	elapsed  time.Duration
}

func newLoad(address string, work workload, connections int) *load {
	histogram := func() *hdrhistogram.Histogram {
		return hdrhistogram.New(1, int64(time.Hour/time.Microsecond), 3)
	}
	return &load{address: address, work: work, connections: connections,
		latency: histogram(), late: histogram(), errors: map[string]int{}}
}

func milliseconds(h *hdrhistogram.Histogram, percentile float64) float64 {
	return float64(h.ValueAtPercentile(percentile)) / 1000
}

func record(h *hdrhistogram.Histogram, d time.Duration) {
	h.RecordValue(max(1, int64(d/time.Microsecond)))
}

// schedule decides when operations arrive: as a Poisson process has them of which
// is known how many there were, which is independently of each other.
func schedule(rate, seconds float64) []time.Duration {
	arrivals := make([]time.Duration, int(rate*seconds+0.5))
	for i := range arrivals {
		arrivals[i] = time.Duration(rand.Float64() * seconds * float64(time.Second))
	}
	sort.Slice(arrivals, func(i, j int) bool { return arrivals[i] < arrivals[j] })
	return arrivals
}

// open sends operations when they arrive, or as soon as a connection is free.
// Latency begins with the arrival.  So who has to wait since the server is slow
// counts as slow, too.
func (l *load) open(arrivals []time.Duration, seconds float64) {
	queue := make(chan time.Duration, len(arrivals))
	last := time.Duration(seconds*float64(time.Second)) + grace
	wait := l.start(func(c *connection) {
		for arrival := range queue {
			if now := time.Since(l.began); now > last {
				l.giveUp(now - arrival)
			} else {
				l.send(c, arrival)
			}
		}
	})
	l.dispatch(arrivals, queue)
	close(queue)
	wait()
	l.elapsed = max(l.elapsed, time.Duration(seconds*float64(time.Second)))
}

// closed has each connection send its next operation when the last is answered.
func (l *load) closed(seconds float64) {
	last := time.Duration(seconds * float64(time.Second))
	l.start(func(c *connection) {
		for now := time.Duration(0); now < last; now = time.Since(l.began) {
			l.send(c, now)
		}
	})()
}

// start opens the connections, and has each do its work.  What it returns waits
// until they have done that.
func (l *load) start(do func(*connection)) func() {
	var opened, ended sync.WaitGroup
	begin := make(chan struct{})
	for i := 0; i < l.connections; i++ {
		opened.Add(1)
		ended.Add(1)
		go func() {
			defer ended.Done()
			c := newConnection(l.address)
			c.open()
			opened.Done()
			<-begin
			do(c)
			c.close()
		}()
	}
	opened.Wait()
	l.began = time.Now()
	close(begin)
	return ended.Wait
}

// dispatch hands arrivals over when their time has come.  A timer of the kernel's,
// for those of Go are up to a millisecond late where nothing else runs.
func (l *load) dispatch(arrivals []time.Duration, queue chan<- time.Duration) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		panic(err)
	}
	timer := os.NewFile(uintptr(fd), "timer")
	defer timer.Close()
	var expirations [8]byte
	for _, arrival := range arrivals {
		if rest := arrival - time.Since(l.began); rest > 0 {
			spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(rest))}
			if err := unix.TimerfdSettime(fd, 0, &spec, nil); err != nil {
				panic(err)
			}
			if _, err := timer.Read(expirations[:]); err != nil {
				panic(err)
			}
		}
		record(l.late, time.Since(l.began)-arrival)
		queue <- arrival
	}
}

// send makes the calls of an operation, one after the other.
func (l *load) send(c *connection, arrival time.Duration) {
	op := l.work.next()
	failure := ""
	for _, one := range op.calls {
		if failure = c.call(one); failure != "" {
			break
		}
	}
	if failure == "" {
		l.work.done(op)
	}
	now := time.Since(l.began)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	record(l.latency, now-arrival)
	l.answered++
	l.elapsed = max(l.elapsed, now)
	if failure != "" {
		l.errors[failure]++
	}
}

// giveUp counts an operation that was not sent.  It has waited so long at least.
func (l *load) giveUp(waited time.Duration) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	record(l.latency, waited)
	l.unsent++
}

// processorTime is what this process has used so far.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
