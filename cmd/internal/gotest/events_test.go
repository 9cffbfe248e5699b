package main

import (
	"strings"
	"testing"
	"time"
)

// TestReportShowsFailuresAndTimes states what is printed of the output of packages and tests,
// and whose times.
func TestReportShowsFailuresAndTimes(t *testing.T) {
	var out strings.Builder
	r := &report{&out, map[string][]event{}, map[string]float64{}, map[string]float64{}}
	for _, line := range []string{
		`{"Action":"output","Package":"p/a","Test":"TestGood","Output":"=== RUN   TestGood\n"}`,
		`{"Action":"output","Package":"p/b","Test":"TestBad","Output":"=== RUN   TestBad\n"}`,
		`{"Action":"output","Package":"p/b","Test":"TestGood","Output":"log of a test that passes\n"}`,
		`{"Action":"output","Package":"p/b","Test":"TestBad","Output":"    b_test.go:1: late\n"}`,
		`{"Action":"output","Package":"p/b","Test":"TestBad","Output":"--- FAIL: TestBad (2.00s)\n"}`,
		`{"Action":"pass","Package":"p/b","Test":"TestGood","Elapsed":0.5}`,
		`{"Action":"fail","Package":"p/b","Test":"TestBad","Elapsed":2}`,
		`{"Action":"pass","Package":"p/a","Test":"TestGood","Elapsed":3}`,
		`{"Action":"pass","Package":"p/a","Test":"TestParallel/one","Elapsed":0.4}`,
		`{"Action":"pass","Package":"p/a","Test":"TestParallel/one/deeper","Elapsed":0.4}`,
		`{"Action":"pass","Package":"p/a","Test":"TestParallel/other","Elapsed":0.5}`,
		`{"Action":"pass","Package":"p/a","Test":"TestParallel","Elapsed":0}`,
		`{"Action":"output","Package":"p/a","Output":"PASS\n"}`,
		`{"Action":"output","Package":"p/a","Output":"ok  \tp/a\t3.1s\n"}`,
		`{"Action":"pass","Package":"p/a","Elapsed":3.1}`,
		`{"Action":"output","Package":"p/b","Output":"FAIL\tp/b\t2.6s\n"}`,
		`{"Action":"fail","Package":"p/b","Elapsed":2.6}`,
		`{"Action":"pass","Package":"p/c","Test":"TestEarlier","Elapsed":9}`,
		`{"Action":"output","Package":"p/c","Output":"ok  \tp/c\t(cached)\n"}`,
		`{"Action":"pass","Package":"p/c","Elapsed":0}`,
		`{"ImportPath":"p/d","Action":"build-output","Output":"d.go:1: undefined: x\n"}`,
		"go: a line without JSON\n",
	} {
		r.add([]byte(line))
	}
	r.printSlowest(6 * time.Second)
	want := `ok  	p/a	3.1s
    b_test.go:1: late
--- FAIL: TestBad (2.00s)
FAIL	p/b	2.6s
ok  	p/c	(cached)
d.go:1: undefined: x
go: a line without JSON
slowest of 6 s:
    3.1 s  p/a
    2.6 s  p/b
    3.0 s  p/a TestGood
    2.0 s  p/b TestBad
    0.9 s  p/a TestParallel
    0.5 s  p/b TestGood
`
	if got := out.String(); got != want {
		t.Errorf("printed:\n%s\nwant:\n%s", got, want)
	}
}
