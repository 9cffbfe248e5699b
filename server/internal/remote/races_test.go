package remote_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Cancels and answers race in every order: each call has at most one answer, none
// after its cancel was taken, and in the end nothing runs. R-070 P5.
func TestCancelsRaceWithAnswers(t *testing.T) {
	for seed := range uint64(50) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			h := newCallingHop(t)
			var running atomic.Int32
			h.tool("work", func(ctx context.Context, arguments []byte) ([]byte, error) {
				running.Add(1)
				defer running.Add(-1)
				ms, _ := jsonrpc.Int(jsonrpc.Member(arguments, "ms"))
				select {
				case <-time.After(time.Duration(ms) * time.Millisecond):
					return []byte(`{"content":[]}`), nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			})
			c := enginetest.Speak(t, gatewayOf(t, map[string]*hop{"": h}), "c")
			var mu sync.Mutex
			answers := map[string]int{}
			count := func(id string) int {
				mu.Lock()
				defer mu.Unlock()
				return answers[id]
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				for {
					msg, err := c.Port.Read(context.Background())
					if err != nil {
						return
					}
					mu.Lock()
					answers[string(jsonrpc.Member(msg, "id"))]++
					mu.Unlock()
				}
			}()
			cancelled := map[string]int{} // to how many answers there were
			for id := range 40 {
				name := fmt.Sprint(id)
				c.Ask(name, "tools/call", "", fmt.Sprintf(`,"name":"work","arguments":{"ms":%d}`, random.IntN(20)))
				if random.IntN(2) == 0 {
					time.Sleep(time.Duration(random.IntN(20)) * time.Millisecond)
					c.Say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + name + `}}`)
					synctest.Wait()
					cancelled[name] = count(name)
				}
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			if n := running.Load(); n != 0 {
				t.Errorf("seed %d: %d calls still run", seed, n)
			}
			for id := range 40 {
				name := fmt.Sprint(id)
				before, wasCancelled := cancelled[name]
				switch n := count(name); {
				case n > 1, wasCancelled && n != before, !wasCancelled && n != 1:
					t.Errorf("seed %d: call %s has %d answers; cancelled: %v, after %d", seed, name, n, wasCancelled, before)
				}
			}
			c.Port.Close()
			<-done
		})
	}
}
