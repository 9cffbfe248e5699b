package server

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// rateFixture serves /mcp on two pipes to one principal, under a fake clock.
func rateFixture(t *testing.T, reads float64, do func(t *testing.T, far, other jsonrpc.Port)) {
	synctest.Test(t, func(t *testing.T) {
		g, err := New(Options{State: "/state", disk: newMemDisk(), lockWait: -1, Limits: Limits{ReadsPerSecond: reads}, Version: "0.0.0-test"})
		if err != nil {
			t.Fatal(err)
		}
		var ended sync.WaitGroup
		serve := func() jsonrpc.Port {
			near, far := jsonrpc.Pipe()
			ended.Go(func() {
				g.core.ServePort(t.Context(), near, "", "/mcp", access.Client{Principal: "someone", Endpoint: "/ws"})
			})
			return far
		}
		far, other := serve(), serve()
		do(t, far, other)
		far.Close()
		other.Close()
		ended.Wait()
		g.Close(context.Background())
	})
}

func readRequest(id int) []byte {
	return []byte(modern(fmt.Sprint(id), "resources/read", `"uri":"none:1"`))
}

// A client that sends one read after the other is never rejected at the default limits,
// only delayed.
func TestSequentialReadsAreDelayedNotRejected(t *testing.T) {
	rateFixture(t, 0, func(t *testing.T, far, _ jsonrpc.Port) {
		start := time.Now()
		for i := range 1_000 {
			if err := far.Write(t.Context(), readRequest(i)); err != nil {
				t.Fatal(err)
			}
			msg, err := far.Read(t.Context())
			if err != nil || !strings.Contains(string(msg), "-32602") {
				t.Fatalf("read %d: %s %v", i, msg, err)
			}
		}
		if took := time.Since(start); took < 4*time.Second || took > 6*time.Second { // 500 at once, then 100 a second; fake time
			t.Errorf("took %v", took)
		}
	})
}

// A flood is rejected except for what is delayed up to 2 s. Delayed requests delay
// neither pings nor cancellations, and get no response if they are cancelled.
func TestFloodIsRejectedAndDelaysNoOthers(t *testing.T) {
	rateFixture(t, 1, func(t *testing.T, far, _ jsonrpc.Port) { // 5 at once, then 1 a second
		send := func(text string) {
			t.Helper()
			if err := far.Write(t.Context(), []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		got := map[string]string{}
		collect := func() {
			synctest.Wait()
			for {
				ctx, cancel := contextNow(t)
				msg, err := far.Read(ctx)
				cancel()
				if err != nil {
					return
				}
				m, _ := jsonrpc.Parse(msg)
				got[string(m.ID)] += string(msg)
			}
		}
		for i := 1; i <= 10; i++ {
			send(string(readRequest(i)))
		}
		send(string(readRequest(7))) // an id that waits
		send(modern(`"alive"`, "server/discover", ""))
		send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
		collect()
		for i := 1; i <= 5; i++ {
			if !strings.Contains(got[fmt.Sprint(i)], "-32602") {
				t.Errorf("read %d: %s", i, got[fmt.Sprint(i)])
			}
		}
		for i := 8; i <= 10; i++ {
			if !strings.Contains(got[fmt.Sprint(i)], `"reason":"busy"`) {
				t.Errorf("read %d: %s", i, got[fmt.Sprint(i)])
			}
		}
		if got[`"alive"`] == "" || !strings.Contains(got["null"]+got[""], "-32600") || got["6"] != "" {
			t.Errorf("while two wait: %q", got)
		}
		time.Sleep(limits.MaxDelay)
		collect()
		if !strings.Contains(got["6"], "-32602") || got["7"] != "" {
			t.Errorf("those that waited: %q and, cancelled, %q", got["6"], got["7"])
		}
	})
}

// Calls are rate-limited by principal over all its connections: those that would be
// delayed too long are rejected. R-260 R-364.
func TestCallsAreRateLimited(t *testing.T) {
	rateFixture(t, 0, func(t *testing.T, far, other jsonrpc.Port) {
		refused := 0
		waited := int(limits.MaxDelay.Seconds() * float64(limits.CallRate))
		for i := range limits.CallBurstSeconds*int(limits.CallRate) + waited + 40 {
			port := [...]jsonrpc.Port{far, other}[i%2]
			if err := port.Write(t.Context(), []byte(modern(fmt.Sprint(i), "prompts/get", `"name":"none"`))); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			ctx, cancel := contextNow(t)
			if msg, err := port.Read(ctx); err == nil && strings.Contains(string(msg), "Too many requests per second") {
				refused++
			}
			cancel()
		}
		if refused < 38 || refused > 40 { // fake time passes while nothing is read
			t.Errorf("%d of 40 were refused", refused)
		}
	})
}

// An oversized message does not affect pending requests.
func TestOversizedMessageForgetsNoRequest(t *testing.T) {
	g, err := New(Options{State: "/state", disk: newMemDisk(), lockWait: -1, Version: "0.0.0-test"})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close(context.Background())
	at, _ := g.core.Acquire("", "/mcp")
	in, out := io.Pipe()
	defer out.Close()
	p := g.core.Gate.Port(jsonrpc.Lines(in, io.Discard), at.Engine, access.Client{Principal: "someone", Endpoint: "stdio"})
	go io.WriteString(out, string(readRequest(1))+"\n"+strings.Repeat("x", limits.MaxAnswer)+"\n")
	if _, err := p.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Read(t.Context()); err == nil {
		t.Fatal("the long line was read")
	}
	if _, open := p.TakeCall("1"); !open {
		t.Error("the request before it is forgotten")
	}
}

// contextNow ends as soon as nothing else happens.
func contextNow(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), time.Nanosecond)
}
