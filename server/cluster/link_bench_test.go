package cluster

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
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

// A plainCarrier publishes messages as they are. It receives them for its links.
type plainCarrier struct{ conn *nats.Conn }

func (c plainCarrier) Publish(subject, reply string, payload []byte) error {
	if reply == "" {
		return c.conn.Publish(subject, payload)
	}
	return c.conn.PublishRequest(subject, reply, payload)
}

func (c plainCarrier) MaxPayload() int64 { return c.conn.MaxPayload() }

// plainLinks returns links of a node that seals nothing.
func plainLinks(b *testing.B, url string) *links {
	b.Helper()
	conn, err := nats.Connect(url, nats.NoEcho())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(conn.Close)
	l := newLinks(newID(), newSubjects("plain"), plainCarrier{conn})
	for subject, receive := range map[string]nats.MsgHandler{
		l.subjects.link(l.node, "*"): func(m *nats.Msg) { l.deliver(m.Subject, m.Reply, m.Data, isNoResponders(m)) },
		l.subjects.control(l.node): func(m *nats.Msg) {
			var c control
			if json.Unmarshal(m.Data, &c) == nil && c.Open != nil {
				l.open(*c.Open, m.Reply)
			}
		},
	} {
		if _, err := conn.Subscribe(subject, receive); err != nil {
			b.Fatal(err)
		}
	}
	if err := conn.FlushTimeout(testTime); err != nil {
		b.Fatal(err)
	}
	return l
}

// BenchmarkSealedAgainstPlain echoes messages of 1 KB over links whose frames are sealed, and
// over links as they were before, in turn; x-plain is the ratio of the medians.
func BenchmarkSealedAgainstPlain(b *testing.B) {
	url := startNATS(b, server.Options{}).ClientURL()
	near, far := joined(b, Options{URLs: []string{url}}), joined(b, Options{URLs: []string{url}})
	plainNear, plainFar := plainLinks(b, url), plainLinks(b, url)
	far.links.serve, plainFar.serve = serving(echo), serving(echo)
	ends := [2]*link{near.links.dialTest(b, far.links), plainNear.dialTest(b, plainFar)}
	msg := message(0, 1000)
	var times [2][]time.Duration
	for b.Loop() {
		for i, end := range ends {
			began := time.Now()
			if err := end.Write(b.Context(), msg); err != nil {
				b.Fatal(err)
			}
			if _, err := end.Read(b.Context()); err != nil {
				b.Fatal(err)
			}
			times[i] = append(times[i], time.Since(began))
		}
	}
	var medians [2]float64
	for i := range times {
		slices.Sort(times[i])
		medians[i] = float64(times[i][len(times[i])/2])
	}
	b.ReportMetric(medians[0]/medians[1], "x-plain")
	b.ReportMetric(medians[0]/1e3, "us/sealed")
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
