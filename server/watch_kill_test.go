package server

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/testports"
)

// startChildGateway starts a process that is the gateway of a state directory until it is killed.
func startChildGateway(t *testing.T, state string, port int) *os.Process {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), stdioVariable+"="+state, stdioPort+"="+strconv.Itoa(port))
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
	})
	io.WriteString(in, initialize+"\n") // it serves until its input ends
	awaitRunning(t, "the child is the gateway", state, os.Getpid())
	return c.Process
}

// 100,000 writes on 1,000 resources, with a kill of the gateway in the middle: at most one report
// a second, every resource is reported after its last write, one report says that the gateway was
// away, and none that something is unknown.
func TestWatchLosesNothingByAKill(t *testing.T) {
	const resources = 1_000
	state, port := t.TempDir(), testports.Free(t, 1)[0]
	g := startGatewayAt(t, port, Options{State: state})
	p := newPage(t, testOrigin, "tab")
	p.mute = true
	for i := range resources {
		p.write(fmt.Sprintf("note:%d", i), "0")
	}
	p.join(g)
	address := g.PageURL()
	g.Close(context.Background())
	child := startChildGateway(t, state, port)
	p.joinAt(address, nil)

	missing := map[string]bool{} // resources without a report since their last write
	var times []time.Time
	downtimes := 0
	reports, _ := watchHere(t, WatchOptions{State: state})
	take := func(r WatchReport) {
		times = append(times, r.Time)
		for _, one := range r.Resources {
			delete(missing, one.URI)
		}
		if m := r.Missed; m != nil {
			if downtimes++; m.Unknown || !m.Gateway {
				t.Errorf("the downtime is %+v", m)
			}
		}
	}
	write := func(uri string) {
		missing["notes+"+uri] = true
		p.write(uri, fmt.Sprint(time.Now()))
	}
	for ready := false; !ready; { // it is watched
		write("note:0")
		select {
		case r := <-reports:
			take(r)
			ready = len(r.Resources) > 0
		case <-time.After(100 * time.Millisecond):
		}
	}
	for i := range 50_000 {
		p.write(fmt.Sprintf("note:%d", i%resources), "1")
	}
	child.Kill()
	child.Wait()
	for i := range 50_000 {
		p.write(fmt.Sprintf("note:%d", i%resources), "2")
	}
	write("note:7")
	g2 := startGatewayAt(t, port, Options{State: state})
	p.joinAt(address, nil)
	total := 0
	for deadline := time.Now().Add(4 * testTime); total < resources && time.Now().Before(deadline); {
		select {
		case r := <-reports:
			take(r)
			if downtimes > 0 {
				total += len(r.Resources) + r.More
			}
		case <-time.After(time.Second):
		}
	}
	if total < resources || downtimes != 1 {
		t.Errorf("%d of %d resources are reported after %d downtimes", total, resources, downtimes)
	}
	for uri := range missing {
		t.Logf("%s is not among the first %d of a report", uri, WatchShown) // More counts it
	}
	for i := 1; i < len(times); i++ {
		if since := times[i].Sub(times[i-1]); since < 950*time.Millisecond {
			t.Errorf("%v between two reports", since)
		}
	}
	write("note:7")
	for deadline := time.Now().Add(testTime); missing["notes+note:7"] && time.Now().Before(deadline); {
		select {
		case r := <-reports:
			take(r)
		case <-time.After(time.Second):
		}
	}
	if missing["notes+note:7"] {
		t.Error("the last write is not reported")
	}
	g2.Close(context.Background())
}
