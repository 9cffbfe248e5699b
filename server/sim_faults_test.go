package server

import (
	"strconv"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest/history"
)

// Phases of a run: faults, then calm weather, at the end of which everything that
// was promised must hold.
const (
	simStormy = 8 * time.Minute
	simQuiet  = 4 * time.Minute
)

// run starts the parties, injects faults until the time is over, and takes
// everything down: the bubble of synctest fails if a goroutine stays.
func (w *simWorld) run(total time.Duration) {
	for _, s := range w.stores {
		for range 1 + w.rand.IntN(2) {
			w.newTab(s)
		}
		w.parties.Go(func() { w.writes(s) })
	}
	w.startClients()
	night := w.rand.IntN(20) == 0
	for time.Since(w.history.Began) < total {
		w.storm(simStormy)
		w.rest(simQuiet)
		if night { // one in twenty seeds has a night, which is not counted
			night = false
			w.sleep(25 * time.Hour)
			total += 25 * time.Hour
		}
	}
	w.end()
	w.network.heal()
	for _, t := range w.allTabs() {
		t.close(true)
	}
	w.network.reset("")
	w.parties.Wait()
	w.gateway.stop()
	w.gateway.ending.Wait()
}

// sleep simulates a night: everything stays connected, and almost nothing happens. Then
// the gateway is killed: its state must have been stored while in use.
func (w *simWorld) sleep(d time.Duration) {
	for _, t := range w.allTabs() { // keys of pages expire after 30 days without one
		t.open()
	}
	w.idle.Store(true)
	time.Sleep(d)
	w.idle.Store(false)
	w.fault("kill the gateway after the night")
	w.gateway.kill(false)
	time.Sleep(time.Second)
	w.gateway.start(0)
	w.rest(simQuiet)
}

func (w *simWorld) startClients() {
	for i, name := range simClientNames {
		c := &simClient{w: w, name: name, rand: w.party(name), ends: map[string]func(){}}
		if i == 3 {
			i = w.rand.IntN(3)
		}
		c.isClassic = i == 1
		c.transport = &simHTTP{simClient: c, withoutStream: c.rand.IntN(3) == 0}
		if i == 2 {
			c.transport = &simSocket{simClient: c}
		}
		w.clients = append(w.clients, c)
		w.parties.Go(c.transport.run)
	}
}

// nudge makes clients subscribe now.
func (w *simWorld) nudge() {
	for _, c := range w.clients {
		if !c.isClassic { // which would wait
			c.subscribe()
		}
	}
}

// simClientNames has the clients that faults of the network may hit.
var simClientNames = [...]string{"modern1", "classic1", "socket1", "second"}

// writes changes the data of one app, from whatever document is open.
func (w *simWorld) writes(s *simStore) {
	r := w.party("writes of " + s.name())
	for w.pause(r, w.pace/2) {
		s.write(simURIs[r.IntN(len(simURIs))])
	}
}

func (w *simWorld) fault(text string) { w.history.Add(history.Event{Kind: history.Fault, Text: text}) }

// storm injects faults for d.
func (w *simWorld) storm(d time.Duration) {
	w.mu.Lock()
	w.calm = false
	w.mu.Unlock()
	w.still.Store(false)
	// Each phase has a few kinds of faults: what one of them breaks is not mended
	// at once by another.
	w.kinds, w.jumped = nil, false
	for range 2 + w.rand.IntN(5) {
		w.kinds = append(w.kinds, w.rand.IntN(16))
	}
	mean := time.Duration(3+w.rand.IntN(25)) * time.Second
	for until := time.Now().Add(d); time.Now().Before(until); {
		time.Sleep(w.rand.around(mean))
		w.strike()
		if w.rand.IntN(3) == 0 { // just after a fault is when races happen
			w.nudge()
		}
	}
}

// strike injects one fault of the phase's kinds.
func (w *simWorld) strike() {
	tabs := w.allTabs()
	t := tabs[w.rand.IntN(len(tabs))]
	client := simClientNames[w.rand.IntN(len(simClientNames))]
	wait := w.rand.upTo(20 * time.Second)
	switch w.kinds[w.rand.IntN(len(w.kinds))] {
	case 0, 1:
		w.fault("reload " + t.id)
		t.close(w.rand.IntN(2) == 0)
		t.open()
	case 2:
		w.fault("crash " + t.id + ", back after " + wait.String())
		t.close(true)
		w.later(wait, t.open)
	case 3:
		if len(tabs) < 8 {
			s := w.stores[w.rand.IntN(len(w.stores))]
			w.fault("open a tab of " + s.name())
			w.newTab(s)
		}
	case 4:
		w.fault("close " + t.id)
		t.close(w.rand.IntN(2) == 0)
		w.later(10*wait, t.open)
	case 5, 6:
		// Just above 30 s a listen stays unacknowledged and the connection survives.
		wait = []time.Duration{wait / 4, wait, 30500*time.Millisecond + wait/6, 2 * wait}[w.rand.IntN(4)]
		w.freeze(t, wait)
	case 7:
		w.fault("silence " + t.id + " for " + (2 * wait).String())
		if d := t.document(); d != nil {
			d.hush(2 * wait)
		}
	case 8:
		up, down := w.rand.IntN(3) > 0, w.rand.IntN(3) > 0
		w.fault("half-open " + t.id + " up " + strconv.FormatBool(up) + " down " + strconv.FormatBool(down))
		w.history.Add(history.Event{Kind: history.Lost, Who: t.id})
		w.network.swallow(t.id, up, down)
	case 9:
		w.fault("cut " + t.id)
		w.network.reset(t.id)
	case 10:
		w.fault("cut " + client)
		w.network.reset(client)
	case 11:
		w.fault("half-open " + client)
		w.history.Add(history.Event{Kind: history.Lost, Who: client})
		w.network.swallow(client, w.rand.IntN(2) == 0, true)
	case 12:
		w.fault("stall " + client + " for " + wait.String())
		w.network.stall(client, wait)
	case 13:
		w.fault("restart the gateway, away for " + (wait / 2).String())
		w.gateway.stop()
		time.Sleep(wait / 2)
		w.gateway.start(w.shift())
	case 14, 15:
		power := w.rand.IntN(2) == 0
		w.fault("kill the gateway, away for " + wait.String() + ", power lost: " + strconv.FormatBool(power))
		w.gateway.kill(power)
		time.Sleep(wait)
		w.gateway.start(w.shift())
	}
}

// freeze stops a tab while clients turn to it.
func (w *simWorld) freeze(t *simTab, wait time.Duration) {
	w.fault("freeze " + t.id + " for " + wait.String())
	d := t.document()
	if d == nil {
		return
	}
	for _, uri := range simURIs { // the gateway has just got a message of the page
		t.store.write(uri)
	}
	time.Sleep(20 * time.Millisecond)
	d.freeze(wait)
	w.turnTo(t)
	for range 1 + w.rand.IntN(3) {
		w.nudge()
		time.Sleep(50 * time.Millisecond)
	}
	w.turnTo(nil)
}

// shift is how far the wall clock moves while the gateway is away: back by up to 10
// hours, or forward by up to 10, once a phase. Keys of pages expire after 12 idle
// hours, and several jumps forward would be such a time.
func (w *simWorld) shift() time.Duration {
	shift := w.rand.upTo(20*time.Hour) - 10*time.Hour
	if w.rand.IntN(3) > 0 || shift > 0 && w.jumped {
		return 0
	}
	w.jumped = w.jumped || shift > 0
	w.fault("the clock jumps by " + shift.String())
	return shift
}

// later calls do after wait, unless the calm phase has begun.
func (w *simWorld) later(wait time.Duration, do func()) {
	w.parties.Go(func() {
		select {
		case <-time.After(wait):
			if !w.isCalm() {
				do()
			}
		case <-w.ctx.Done():
		}
	})
}

// rest ends all faults, waits, and has the guarantees checked.
func (w *simWorld) rest(d time.Duration) {
	// A new subscription could mend by accident what the faults have broken.
	w.still.Store(w.rand.IntN(3) > 0)
	if w.still.Load() && w.rand.IntN(2) == 0 {
		tabs := w.allTabs()
		w.freeze(tabs[w.rand.IntN(len(tabs))], 31*time.Second)
		time.Sleep(40 * time.Second)
	}
	w.network.heal()
	w.mu.Lock()
	w.calm, w.calmed = true, time.Now()
	w.mu.Unlock()
	opened := map[*simStore]bool{}
	for _, t := range w.allTabs() { // at least one page of each app is connected: unused keys expire
		if !opened[t.store] {
			opened[t.store] = true
			t.open()
		}
	}
	w.history.Add(history.Event{Kind: history.Calm})
	time.Sleep(d)
	for _, c := range w.clients { // one without a stream learns of changes by its next request
		if c.acts.Load() {
			w.parties.Go(func() { c.call(c.choose()) })
		}
	}
	time.Sleep(3 * time.Second)
	w.history.Add(history.Event{Kind: history.Check})
}
