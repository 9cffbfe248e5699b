// Command bench measures reads over Streamable HTTP: of a page behind the gateway, and
// of a twin that serves the same texts with go-sdk alone. web/bench/gateway.ts runs it.
//
//	bench twin    serves until standard input ends, and prints the URLs as JSON
//	bench load    reads a plan from standard input, and prints all rounds as JSON
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	if len(args) == 1 && args[0] == "twin" {
		return serveTwin(in, out)
	}
	if len(args) == 1 && args[0] == "load" {
		var p plan
		if err := json.NewDecoder(in).Decode(&p); err != nil {
			return fmt.Errorf("read the plan: %w", err)
		}
		rows, err := p.run(context.Background())
		if err != nil {
			return err
		}
		return json.NewEncoder(out).Encode(rows)
	}
	return fmt.Errorf("usage: bench twin | bench load")
}

// A plan is what to measure.
type plan struct {
	Subjects []subject `json:"subjects"`
	Clients  []int     `json:"clients"` // at a time; a row for each
	Rounds   int       `json:"rounds"`
	Millis   int       `json:"millis"` // of one subject in one round
}

// A subject serves the records of web/bench/data.ts.
type subject struct {
	Name   string `json:"name"`
	URL    string `json:"url"`
	Token  string `json:"token"`
	Prefix string `json:"prefix"` // before each URI
	Odd    bool   `json:"odd"`    // read the odd records, else the even ones
	Modern bool   `json:"modern"` // in the form of 2026-07-28, without a session
	Below  int    `json:"below"`  // read only records with lower numbers, each before it is measured; 0: all
}

// A row has the reads per second of each subject, by round.
type row struct {
	Workload string               `json:"workload"`
	Rounds   []map[string]float64 `json:"rounds"`
}

// run measures every subject with every number of clients. Rounds alternate the order.
func (p plan) run(ctx context.Context) ([]row, error) {
	var rows []row
	span := time.Duration(p.Millis) * time.Millisecond
	for _, clients := range p.Clients {
		crowds := make([]*crowd, len(p.Subjects))
		for i, s := range p.Subjects {
			c, err := connect(ctx, s, clients)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.Name, err)
			}
			defer c.close()
			if err := c.check(ctx); err != nil {
				return nil, fmt.Errorf("%s: %w", s.Name, err)
			}
			crowds[i] = c
			if _, err := c.load(ctx, span); err != nil { // warms up
				return nil, fmt.Errorf("%s: %w", s.Name, err)
			}
		}
		r := row{Workload: fmt.Sprintf("read 1 KB, %d clients", clients)}
		for round := range p.Rounds {
			figures := map[string]float64{}
			for i := range crowds {
				if round%2 == 1 {
					i = len(crowds) - 1 - i
				}
				rate, err := crowds[i].load(ctx, span)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", p.Subjects[i].Name, err)
				}
				figures[p.Subjects[i].Name] = rate
			}
			r.Rounds = append(r.Rounds, figures)
		}
		rows = append(rows, r)
	}
	return rows, nil
}
