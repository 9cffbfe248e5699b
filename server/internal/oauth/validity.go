package oauth

import (
	"context"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/clock"
)

// validities are the contexts that end with tokens. All tokens that expire within one
// second share a context and its timer, so they are at most as many as the seconds of the
// longest lifetime, however many requests there are.
type validities struct {
	base context.Context

	mu       sync.Mutex
	bySecond map[int64]context.Context // Unix time of the end
}

func newValidities(base context.Context) *validities {
	return &validities{base: base, bySecond: map[int64]context.Context{}}
}

// until returns a context that ends when a token with this expiry is no longer accepted.
func (v *validities) until(expires time.Time) context.Context {
	end := expires.Add(leeway)
	second := end.Unix()
	if end.Nanosecond() > 0 {
		second++
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if found := v.bySecond[second]; found != nil {
		return found
	}
	ctx, cancel := context.WithTimeout(v.base, clock.Until(time.Unix(second, 0)))
	v.bySecond[second] = ctx
	context.AfterFunc(ctx, func() { cancel(); v.remove(second) })
	return ctx
}

func (v *validities) remove(second int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.bySecond, second)
}
