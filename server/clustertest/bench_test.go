//go:build unix

package clustertest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkJoins lets b.N pages join one node, 32 at a time, and reports joins per second
// and what an idle page costs there. hosted.md, section 7: at most 40 KB of live heap and
// stack, 72 KB of resident memory, at least 800 joins per second.
func BenchmarkJoins(b *testing.B) {
	d := newDeployment(b)
	d.limits = fmt.Sprintf("pages: %d, streams: 100, joinsPerTenantPerSecond: 100000", b.N+100)
	node := d.start()
	if _, err := d.join(node.addr, "warm", "1"); err != nil {
		b.Fatal(err)
	}
	memory := func() (live, resident float64) {
		node.settle()
		return node.metric("go_memstats_heap_alloc_bytes") + node.metric("go_memstats_stack_inuse_bytes"), node.metric("process_resident_memory_bytes")
	}
	live, resident := memory()
	pages := make([]*simPage, b.N)
	var next atomic.Int64
	var joining sync.WaitGroup
	b.ResetTimer()
	began := time.Now()
	for range 32 {
		joining.Go(func() {
			for i := next.Add(1) - 1; i < int64(b.N); i = next.Add(1) - 1 {
				page, err := d.join(node.addr, fmt.Sprint("user", i), "1")
				if err != nil {
					b.Error(err)
					return
				}
				pages[i] = page
			}
		})
	}
	joining.Wait()
	took := time.Since(began)
	b.StopTimer()
	after, residentAfter := memory()
	b.ReportMetric(float64(b.N)/took.Seconds(), "joins/s")
	b.ReportMetric((after-live)/float64(b.N)/1024, "live-KB/page")
	b.ReportMetric((residentAfter-resident)/float64(b.N)/1024, "resident-KB/page")
	b.ReportMetric((node.metric("go_goroutines"))/float64(b.N), "goroutines/page")
	for _, page := range pages {
		if page != nil {
			page.conn.CloseNow()
		}
	}
}

// settle waits until the node has collected garbage twice.
func (p *process) settle() {
	cycles := func() float64 { return p.metric("go_gc_duration_seconds_count") }
	before := cycles()
	eventually(p.d.t, "the node collects garbage", func() bool { return cycles() >= before+2 })
}
