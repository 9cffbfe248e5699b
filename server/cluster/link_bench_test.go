package cluster

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// BenchmarkLinkAgainstPipe echoes messages of 1 KB over a link by NATS and over a pipe in
// memory, in the same run; x-pipe is the ratio of their times.
func BenchmarkLinkAgainstPipe(b *testing.B) {
	urls := []string{startNATS(b, server.Options{}).ClientURL()}
	near, far := joined(b, Options{URLs: urls}), joined(b, Options{URLs: urls})
	far.links.serve = serving(echo)
	l := near.links.dialTest(b, far.links)
	end, other := jsonrpc.Pipe()
	defer end.Close()
	go echo(context.Background(), other) // ends with the pipe
	msg := message(0, 1000)
	exchange := func(p jsonrpc.Port) time.Duration {
		began := time.Now()
		if err := p.Write(b.Context(), msg); err != nil {
			b.Fatal(err)
		}
		if _, err := p.Read(b.Context()); err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	b.ReportAllocs()
	var link, pipe time.Duration
	for b.Loop() {
		link += exchange(l)
		pipe += exchange(end)
	}
	b.ReportMetric(float64(link)/float64(pipe), "x-pipe")
	b.ReportMetric(float64(link.Microseconds())/float64(b.N), "us/link")
}

// BenchmarkReadAgainstLocal reads a resource of 1 KB through a gateway that has the page, and
// through one that reaches it over a link, in turn; x-local is the ratio of their times.
func BenchmarkReadAgainstLocal(b *testing.B) {
	urls := []string{startNATS(b, server.Options{}).ClientURL()}
	near, holder := startGateway(b, urls), startGateway(b, urls)
	p := newTab(b, "notes")
	p.set(strings.Repeat("x", 1000))
	holder.join(p)
	over, local := near.assistant(b), holder.assistant(b)
	timed := func(a *assistant) time.Duration {
		began := time.Now()
		if text := a.read(cart); len(text) < 1000 {
			b.Fatal(text)
		}
		return time.Since(began)
	}
	var hop, direct time.Duration
	for b.Loop() {
		hop += timed(over)
		direct += timed(local)
	}
	b.ReportMetric(float64(hop)/float64(direct), "x-local")
	b.ReportMetric(float64((hop-direct).Microseconds())/float64(b.N), "us/added")
}
