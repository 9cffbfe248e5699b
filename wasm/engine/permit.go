package engine

import (
	"sync"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A call of a destructive tool is allowed once, and may take several rounds of input (input.go).
// The user is asked in the first one. A modern client brings the requestState of that round in the
// next one: it stands for the permit, which is used up then, so that no other call is made by it.

// permits are the calls that wait for their next round. Lost ones, at a restart or beyond
// maxPermits, cost a further question.
type permits struct {
	mu  sync.Mutex
	all map[uint64]permit // by a hash of principal, request and requestState
}

type permit struct {
	reason string // of the decision, for the audit
	who    Principal
	tool   string
}

const maxPermits = 256

func (p *permits) put(key uint64, one permit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil || len(p.all) >= maxPermits {
		p.all = map[uint64]permit{}
	}
	p.all[key] = one
}

func (p *permits) take(key uint64) permit {
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.all[key]
	delete(p.all, key)
	return one
}

// drop forgets those that are denied from now on.
func (p *permits) drop(g *Grants) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, one := range p.all {
		if d, _ := g.decide(one.who, grantAct, one.tool); d == denied {
			delete(p.all, key)
		}
	}
}

// allow records that the user has allowed this call.
func (i *Invocation) allow(one permit) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.permit = one
}

// permitted returns the permit of this call, whose user was asked in this round or in an earlier
// one; without a reason: there is none.
func (i *Invocation) permitted() permit {
	i.mu.Lock()
	defer i.mu.Unlock()
	if state, ok := jsonrpc.Text(i.state); ok && i.permit.reason == "" && i.client != nil {
		i.permit = i.client.engine.permits.take(i.tag(0, []byte(state)))
	}
	return i.permit
}

// keepPermit lets the round that brings this requestState go on by the permit of i.
func (i *Invocation) keepPermit(state string) {
	if one := i.permitted(); one.reason != "" && state != "" {
		i.client.engine.permits.put(i.tag(0, []byte(state)), one)
	}
}
