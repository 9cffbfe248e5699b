package cluster

import (
	"context"
	"fmt"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
)

// Follow implements [gateway.Peers].
func (n *Node) Follow(ctx context.Context, owner access.Owner, changed func(gateway.Held)) error {
	return n.directory.follow(ctx, string(owner), changed)
}

func (d *directory) follow(ctx context.Context, owner string, changed func(gateway.Held)) error {
	if !d.bus.IsConnected() {
		return gateway.ErrIsolated
	}
	f, err := &follower{changed}, error(nil)
	if !d.do(func() { err = d.addFollower(owner, f) }) {
		return gateway.ErrIsolated
	}
	if err != nil {
		return err
	}
	stop := func() {
		d.do(func() {
			if state := d.owners[owner]; state != nil {
				delete(state.followers, f)
				d.drop(owner)
			}
		})
	}
	flushing, cancel := context.WithTimeout(ctx, d.askTime)
	err = d.bus.Flush(flushing) // what is announced from now on arrives
	cancel()
	if err == nil {
		_, err = d.question(ctx, question{Owner: owner})
	}
	if err == nil && !d.bus.IsConnected() {
		err = errAway
	}
	if err != nil {
		stop()
		return fmt.Errorf("%w: %w", gateway.ErrIsolated, err)
	}
	context.AfterFunc(ctx, stop)
	return nil
}

func (d *directory) addFollower(owner string, f *follower) error {
	state, err := d.use(owner)
	if err != nil {
		return err
	}
	state.followers[f] = struct{}{}
	for _, p := range state.others { // what other followers know
		f.changed(p.held)
	}
	return nil
}

// Hold implements [gateway.Peers].
func (n *Node) Hold(ctx context.Context, p gateway.Page) (release func(), err error) {
	return n.directory.hold(ctx, p)
}

func (d *directory) hold(ctx context.Context, p gateway.Page) (release func(), err error) {
	owner := string(p.Owner)
	if !isKey(p.Key, keySize) || !access.ValidName(p.Name) || len(p.Origin) > maxOrigin {
		return nil, fmt.Errorf("hold page %q: invalid key, name or origin", p.Name)
	}
	ok := d.do(func() {
		var state *ownerState
		if state, err = d.use(owner); err == nil {
			state.pending++
		}
	})
	if !ok {
		return nil, gateway.ErrIsolated
	}
	if err != nil {
		return nil, err
	}
	var heard *asking
	if d.bus.IsConnected() {
		heard, err = d.question(ctx, question{Owner: owner})
	}
	h := &holding{page: p}
	ok = d.do(func() {
		d.owners[owner].pending--
		if err == nil {
			err = d.begin(h, heard)
		}
		d.drop(owner)
	})
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, gateway.ErrIsolated
	}
	return func() { d.do(func() { d.release(h) }) }, nil
}

// begin starts to hold a page, after other nodes were asked; heard is nil if they could
// not be.
func (d *directory) begin(h *holding, heard *asking) error {
	p := h.page
	state := d.owners[string(p.Owner)]
	h.epoch = d.now().UnixMilli()
	keys := map[string]struct{}{}
	for key, own := range state.holdings {
		keys[key] = struct{}{}
		if own.page.Name == p.Name && key != p.Key {
			return gateway.ErrNameTaken
		}
	}
	if heard != nil {
		for key, epoch := range heard.highest {
			keys[key] = struct{}{}
			if key == p.Key {
				h.epoch = max(h.epoch, epoch+1)
			}
		}
		if key, taken := heard.names[p.Name]; taken && key != p.Key {
			return gateway.ErrNameTaken
		}
	}
	delete(keys, p.Key)
	if p.MaxPages > 0 && len(keys) >= p.MaxPages {
		return gateway.ErrTooManyPages
	}
	if own := state.holdings[p.Key]; own != nil {
		h.epoch = max(h.epoch, own.epoch+1)
	}
	if other := state.others[p.Key]; other != nil {
		h.epoch = max(h.epoch, other.held.Epoch+1)
		delete(state.others, p.Key)
	}
	state.holdings[p.Key] = h
	d.publishEvent(h, false)
	return nil
}

// release says that a page has left.
func (d *directory) release(h *holding) {
	owner := string(h.page.Owner)
	if d.holding(owner, h.page.Key) != h {
		return // held again, or replaced
	}
	delete(d.owners[owner].holdings, h.page.Key)
	d.publishEvent(h, true)
	d.links.endPage(h.page.Key, errClosed)
	d.drop(owner)
}

func (d *directory) publishEvent(h *holding, left bool) {
	d.publish(d.subjects.event(string(h.page.Owner)), event{d.node, left, h.held()})
}

func (h *holding) held() heldPage { return heldPage{h.page.Key, h.page.Name, h.page.Origin, h.epoch} }
