package cluster

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gateway"
)

// memberTime is how long a silent node is remembered.
const memberTime = time.Minute

// A member is another node of the cluster.
type member struct {
	last   heartbeat
	heard  time.Time
	silent bool // its pages are given up

	mismatch error // why this node and that one cannot serve each other, or nil
}

// live returns the nodes that are expected to answer: those whose pages are not given up. A
// node that has fallen silent counts until a tick notices it, so that there is no moment in
// which questions do not wait for it although its pages are not known to be lost.
func (d *directory) live() map[string]struct{} {
	live := map[string]struct{}{}
	for node, m := range d.members {
		if !m.silent {
			live[node] = struct{}{}
		}
	}
	return live
}

// beat sends a heartbeat. greet asks the others for theirs.
func (d *directory) beat(greet bool) {
	d.publish(d.subjects.heartbeat(), d.heartbeat(greet))
}

// bye sends the last heartbeat.
func (d *directory) bye() {
	h := d.heartbeat(false)
	h.Bye = true
	d.publish(d.subjects.heartbeat(), h)
}

func (d *directory) heartbeat(greet bool) heartbeat {
	h := d.self()
	h.Node, h.New, h.Draining = d.node, greet, d.draining
	for _, state := range d.owners {
		h.Pages += len(state.holdings)
	}
	return h
}

func (d *directory) handleHeartbeat(h heartbeat) {
	if !isKey(h.Node, idSize) || h.Node == d.node || len(h.Versions) > maxVersions || len(h.Keys) > maxKeys {
		return
	}
	if h.New {
		own := d.heartbeat(false)
		d.publish(d.subjects.control(h.Node), control{Node: d.node, Heartbeat: &own})
	}
	m := d.members[h.Node]
	switch {
	case h.Bye:
		if m != nil {
			d.loseNode(h.Node)
			delete(d.members, h.Node)
		}
		d.checkMembers()
		return
	case m == nil && len(d.members) >= maxMembers:
		return
	case m == nil:
		m = &member{silent: true}
		d.members[h.Node] = m
	}
	returned := m.silent
	if returned || h.Draining && !m.last.Draining {
		d.unsettle()
	}
	m.last, m.heard, m.silent = h, time.Now(), false
	mismatch := d.mismatch(m)
	if mismatch != nil && m.mismatch == nil {
		d.mismatched(h.Node, h.Release, mismatch)
	}
	m.mismatch = mismatch
	if returned && !h.New { // after a split: its greeting would be followed by its announcements
		d.announceAll()
		if time.Since(d.started) >= startTime { // else this node is a newcomer
			go d.returned() // ends when events of sessions are published
		}
	}
	if returned || h.New {
		d.askAll(h.Node, h.Pages)
	}
	d.sendBatch()
	d.checkMembers()
}

// askAll asks a node for its pages, of which announcements may have been missed.
func (d *directory) askAll(node string, pages int) {
	if pages == 0 {
		d.forgetNode(node, gateway.HeldLost)
		return
	}
	for owner, state := range d.owners {
		if len(state.followers) > 0 {
			d.askOne = append(d.askOne, askOf{node, owner})
		}
	}
}

// loseSilent gives up the pages of nodes that are silent.
func (d *directory) loseSilent() {
	for node, m := range d.members {
		quiet := time.Since(m.heard)
		if quiet >= silenceTime && !m.silent {
			m.silent = true
			d.loseNode(node)
		}
		if quiet >= memberTime {
			delete(d.members, node)
		}
	}
	maps.DeleteFunc(d.strangers, func(_ string, heard time.Time) bool { return time.Since(heard) >= memberTime })
	d.checkMembers()
}

// loseNode gives up the pages of a node.
func (d *directory) loseNode(node string) {
	d.unsettle()
	d.forgetNode(node, gateway.HeldLost)
	for _, q := range d.questions {
		delete(q.waits, node)
		q.check()
	}
	d.askOne = slices.DeleteFunc(d.askOne, func(one askOf) bool { return one.node == node })
}

func (d *directory) forgetNode(node string, why gateway.HeldState) {
	for owner, state := range d.owners {
		for key, p := range state.others {
			if p.held.Node == node {
				d.forget(owner, key, why)
			}
		}
	}
}

var (
	errStarting  = errors.New("waiting for heartbeats of other nodes")
	errNoVersion = errors.New("another node speaks no common link version: upgrade by one release at a time")
	errNoKey     = errors.New("another node does not have the first key of this one: add the new key as the second one to all nodes first")
)

// checkMembers reports whether this node can serve together with those that are ready. Only a
// node that joins is checked: a node with a wrong configuration must not stop the others. A node
// that has passed once is not checked again.
func (d *directory) checkMembers() {
	if d.accepted {
		return
	}
	err := d.memberProblem()
	d.accepted = err == nil
	d.problem(err)
}

func (d *directory) memberProblem() error {
	seen, fits := false, false
	for node, m := range d.members {
		if m.silent {
			continue
		}
		seen = true
		err := d.mismatch(m)
		if err != nil && m.last.Ready {
			return fmt.Errorf("%w: node %s, release %q", err, node, m.last.Release)
		}
		fits = fits || err == nil && m.last.Ready
	}
	for node, heard := range d.strangers {
		if time.Since(heard) < silenceTime && !fits {
			return fmt.Errorf("%w: node %s", errNoKey, node)
		}
	}
	age := time.Since(d.started)
	if !d.connected || age < greetTime || !seen && age < startTime {
		return errStarting
	}
	return nil
}

// handleStranger handles a heartbeat that is sealed with a key which this node does not have.
// Its sender is not authenticated: another program with access to NATS can keep a node from
// being ready, but none that hears a ready one with its keys.
func (d *directory) handleStranger(node string) {
	heard, known := d.strangers[node]
	switch {
	case d.members[node] != nil && !d.members[node].silent: // it changes its keys
		return
	case !known && len(d.strangers) >= maxMembers:
		return
	case !known || time.Since(heard) > silenceTime:
		d.mismatched(node, "", errNoKey)
	}
	d.strangers[node] = time.Now()
	d.checkMembers()
}

// mismatch returns why this node and another one cannot serve each other, or nil.
func (d *directory) mismatch(m *member) error {
	own := d.self()
	switch {
	case d.links.common(m.last.Versions) == noVersion:
		return errNoVersion
	case len(own.Keys) > 0 && len(m.last.Keys) > 0 && !slices.Contains(m.last.Keys, own.Keys[0]): // it cannot open what this node sends
		return errNoKey
	}
	return nil
}

// mismatches returns the number of other nodes that are alive and cannot be served.
func (d *directory) mismatches() (count int) {
	for node := range d.live() {
		if d.members[node].mismatch != nil {
			count++
		}
	}
	for _, heard := range d.strangers {
		if time.Since(heard) < silenceTime {
			count++
		}
	}
	return count
}
