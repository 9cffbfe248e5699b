package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
)

var errReplaced = errors.New("another node has the page")

// question asks all nodes, and returns when they have answered or had askTime.
func (d *directory) question(ctx context.Context, what question) (*asking, error) {
	var q *asking
	if !d.do(func() { q = d.sendQuestion(what) }) {
		return nil, gateway.ErrIsolated
	}
	late := time.NewTimer(d.askTime)
	defer late.Stop()
	select {
	case <-q.done:
	case <-late.C:
		d.do(func() { d.doubt(q) })
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return q, nil
}

// noneHas reports whether all other nodes answer that they do not have the stream of a
// session, also those that fell silent less than memberTime ago: a split of NATS looks like
// their end. That NATS knows no subscriber does not suffice: any program with access to NATS
// can say so. It takes at most askTime.
func (d *directory) noneHas(ctx context.Context, stream string) (all bool) {
	q, err := d.question(ctx, question{Stream: stream})
	if err != nil {
		return false
	}
	d.do(func() {
		delete(d.questions, q.id) // clients can cause many
		all = len(q.waits) == 0 && !q.stream
		for _, m := range d.members {
			all = all && !m.silent
		}
	})
	return all
}

// sendQuestion asks all nodes. Its done is closed when the live ones have answered.
func (d *directory) sendQuestion(what question) *asking {
	q := &asking{id: newID(), owner: what.Owner, sent: time.Now(), waits: d.live(), done: make(chan struct{}), highest: map[string]int64{}, names: map[string]string{}}
	q.all = d.connected && time.Since(d.started) >= startTime // before that other nodes may not be known yet
	d.questions[q.id] = q
	what.Node, what.ID = d.node, q.id
	d.publish(d.subjects.question(), what)
	q.check()
	return q
}

// askNode asks one node, without waiting.
func (d *directory) askNode(one askOf) {
	q := &asking{id: newID(), owner: one.owner, sent: time.Now(), done: make(chan struct{}), highest: map[string]int64{}, names: map[string]string{}}
	d.questions[q.id] = q
	d.publish(d.subjects.control(one.node), control{Node: d.node, Question: &question{Node: d.node, ID: q.id, Owner: one.owner}})
}

// doubt is called when a live node has not answered in time: it may have been lost a moment
// ago, and pages that it had may be on their way.
func (d *directory) doubt(q *asking) {
	live := d.live()
	for node := range q.waits {
		if _, ok := live[node]; ok {
			d.unsettle()
			return
		}
	}
}

func (q *asking) check() {
	if q.all && len(q.waits) == 0 && !q.closed {
		q.closed = true
		close(q.done)
	}
}

func (d *directory) handleQuestion(q question) {
	if !isKey(q.Node, idSize) || q.Node == d.node || !isKey(q.ID, idSize) {
		return
	}
	a := answer{ID: q.ID, Owner: q.Owner, Pages: []heldPage{}}
	if state := d.owners[q.Owner]; state != nil {
		for _, h := range state.holdings {
			a.Pages = append(a.Pages, h.held())
		}
	}
	a.Stream = q.Stream != "" && d.hasStream(q.Stream)
	d.publish(d.subjects.control(q.Node), control{Node: d.node, Answer: &a})
}

// handleAnswer merges what a node has. Answers to questions of more than lateTime ago do
// not count.
func (d *directory) handleAnswer(node string, a answer) {
	q := d.questions[a.ID]
	if q == nil || q.owner != a.Owner {
		return
	}
	q.stream = q.stream || a.Stream
	listed := map[string]struct{}{}
	for _, p := range a.Pages[:min(len(a.Pages), maxOfOwner)] {
		if !p.isValid() {
			continue
		}
		listed[p.Key] = struct{}{}
		if !q.closed { // Hold reads them after that
			q.highest[p.Key] = max(q.highest[p.Key], p.Epoch)
			q.names[p.Name] = p.Key
		}
		d.merge(a.Owner, node, p)
	}
	if state := d.owners[a.Owner]; state != nil {
		for key, p := range state.others {
			if _, has := listed[key]; !has && p.held.Node == node && p.heard.Before(q.sent) {
				d.forget(a.Owner, key, gateway.HeldLost) // it has left, or another node has it: an event was lost, or comes later
			}
		}
	}
	delete(q.waits, node)
	q.check()
}

func (p heldPage) isValid() bool {
	return isKey(p.Key, keySize) && access.ValidName(p.Name) && len(p.Origin) <= maxOrigin && p.Epoch > 0 && p.Epoch <= maxEpoch
}

func (d *directory) handleEvent(owner string, e event) {
	state := d.owners[owner]
	if state == nil || !isKey(e.Node, idSize) || e.Node == d.node || !e.Page.isValid() {
		return
	}
	if !e.Left {
		d.merge(owner, e.Node, e.Page)
		return
	}
	if p := state.others[e.Page.Key]; p != nil && p.held.Node == e.Node && p.held.Epoch <= e.Page.Epoch {
		d.forget(owner, e.Page.Key, gateway.HeldLeft)
	}
}

// merge records that a node has a page. The higher epoch wins, then the higher node id.
func (d *directory) merge(owner, node string, p heldPage) {
	state := d.owners[owner]
	if state == nil {
		return
	}
	defer d.drop(owner) // it may have lost its last page
	if own := state.holdings[p.Key]; own != nil {
		if !isLater(p.Epoch, node, own.epoch, d.node) {
			d.publishEvent(own, false) // the other one does not know yet
			return
		}
		d.lose(own)
	}
	for key, own := range state.holdings { // two pages with one name have joined at a time: the newer one leaves
		if own.page.Name == p.Name && key != p.Key && isLater(own.epoch, d.node, p.Epoch, node) {
			d.publishEvent(own, true)
			d.lose(own)
		}
	}
	known := state.others[p.Key]
	held := gateway.Held{Owner: access.Owner(owner), Key: p.Key, Name: p.Name, Origin: p.Origin, Node: node, Epoch: p.Epoch}
	switch {
	case len(state.followers) == 0, known == nil && len(state.others) >= maxOfOwner:
		return
	case known != nil && known.held != held && !isLater(p.Epoch, node, known.held.Epoch, known.held.Node):
		return
	case known != nil && known.held == held:
		known.heard = time.Now()
		return
	}
	state.others[p.Key] = &remotePage{held, time.Now()}
	state.changed(held)
}

func isLater(epoch int64, node string, thanEpoch int64, thanNode string) bool {
	return epoch > thanEpoch || epoch == thanEpoch && node > thanNode
}

// lose gives up a page that another node has.
func (d *directory) lose(h *holding) {
	owner := string(h.page.Owner)
	delete(d.owners[owner].holdings, h.page.Key)
	d.links.endPageSoon(h.page.Key, errReplaced)
	if h.page.Replaced != nil {
		h.page.Replaced()
	}
}

// forget removes a page of another node.
func (d *directory) forget(owner, key string, why gateway.HeldState) {
	state := d.owners[owner]
	held := state.others[key].held
	held.State = why
	delete(state.others, key)
	state.changed(held)
}

func (s *ownerState) changed(h gateway.Held) {
	for f := range s.followers {
		f.changed(h)
	}
}
