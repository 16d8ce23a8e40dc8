// The load generator of bench/open: signed requests of DynamoDB's protocol to a
// server on this machine.
//
//	load prepare -port P [-records N]
//	    makes the tables and their items
//	load run -port P -workload W -seconds S [-rate R] [-connections C] [-records N] [-run N]
//	    sends operations of a workload (workload.go), R a second (open.go);
//	    without a rate, as many as are answered
//
// The key is in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.  "run" prints a line:
//
//	= rate p50 p99 p99.9 answered errors unsent late busy [error:count...]
//
// The rate is that of answers in a second, and times are milliseconds.  late is
// the 99th percentile of how late the generator itself was, and busy the
// processors that it used.  A run whose operations the server does not know ends
// with status 3.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sort"
	"strings"
)

// errNotServed is the error of a server that lacks an operation.
var errNotServed = errors.New("not served")

func main() {
	// Threads that nobody needs would wake each other, and take turns with the
	// servers.
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(max(1, runtime.NumCPU()/4))
	}
	debug.SetGCPercent(400)
	err := command(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
	}
	if errors.Is(err, errNotServed) {
		os.Exit(3)
	}
	if err != nil {
		os.Exit(1)
	}
}

func command(arguments []string) error {
	flags := flag.NewFlagSet("load", flag.ExitOnError)
	port := flags.Int("port", 0, "where the server listens")
	records := flags.Int("records", 10000, "items of each table at first, or so")
	name := flags.String("workload", "", "A, B, C, D, F or shop")
	seconds := flags.Float64("seconds", 1, "how long operations arrive")
	rate := flags.Float64("rate", 0, "operations a second; 0: as many as are answered")
	connections := flags.Int("connections", 64, "connections, and so the most requests at a time")
	run := flags.Int("run", 0, "tells runs on the same tables apart")
	if len(arguments) == 0 {
		return errors.New("prepare or run?")
	}
	flags.Parse(arguments[1:])
	address := fmt.Sprintf("127.0.0.1:%d", *port)
	switch arguments[0] {
	case "prepare":
		return prepare(address, *records)
	case "run":
		work, err := newWorkload(*name, *records, *run)
		if err != nil {
			return err
		}
		return report(address, work, *rate, *seconds, *connections)
	}
	return fmt.Errorf("no command %q", arguments[0])
}

// report runs a workload and prints what came of it.
func report(address string, work workload, rate, seconds float64, connections int) error {
	if err := try(newConnection(address), work); err != nil {
		return err
	}
	l := newLoad(address, work, connections)
	busy := processorTime()
	if rate > 0 {
		l.open(schedule(rate, seconds), seconds)
	} else {
		l.closed(seconds)
	}
	busy = processorTime() - busy
	elapsed := l.elapsed.Seconds()
	fmt.Printf("= %.1f %.3f %.3f %.3f %d %d %d %.3f %.2f %s\n", float64(l.answered)/elapsed,
		milliseconds(l.latency, 50), milliseconds(l.latency, 99), milliseconds(l.latency, 99.9),
		l.answered, l.failed(), l.unsent, milliseconds(l.late, 99), busy.Seconds()/elapsed, l.errorList())
	return nil
}

// try sends each kind of operation once.
func try(c *connection, work workload) error {
	for _, op := range work.each() {
		for _, one := range op.calls {
			failure := c.call(one)
			if strings.Contains(failure, "UnknownOperation") {
				return fmt.Errorf("%s: %w", one.operation, errNotServed)
			}
			if failure != "" {
				return fmt.Errorf("%s: %s", one.operation, failure)
			}
		}
		work.done(op)
	}
	return nil
}

func (l *load) failed() int {
	sum := 0
	for _, n := range l.errors {
		sum += n
	}
	return sum
}

func (l *load) errorList() string {
	var list []string
	for name, n := range l.errors {
		list = append(list, fmt.Sprintf("%s:%d", name, n))
	}
	sort.Strings(list)
	return strings.Join(list, " ")
}
