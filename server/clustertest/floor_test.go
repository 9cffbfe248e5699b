//go:build unix

package clustertest

import (
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// runEcho answers each message on a subject with its bytes, until it is killed. It does
// what each node of a hop has to do at least. The argument is the URL of the NATS server, a
// blank, and the subject.
func runEcho(argument string) error {
	url, subject, _ := strings.Cut(argument, " ")
	conn, err := nats.Connect(url, nats.RetryOnFailedConnect(true))
	if err != nil {
		return err
	}
	if _, err := conn.Subscribe(subject, func(m *nats.Msg) { m.Respond(m.Data) }); err != nil {
		return err
	}
	if err := conn.FlushTimeout(testTime); err != nil {
		return err
	}
	fmt.Println("ready")
	select {}
}

// floor returns a function that sends a message through the NATS server to another process
// and waits for its answer: the part of a hop that no code of ours can save.
func (d *deployment) floor() func() error {
	d.t.Helper()
	url := d.natsURLs()[0]
	subject := nats.NewInbox()
	begin(d.t, "echo", url+" "+subject).line()
	conn, err := nats.Connect(url)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(conn.Close)
	answers := make(chan *nats.Msg, 1)
	reply := conn.NewInbox()
	if _, err := conn.ChanSubscribe(reply, answers); err != nil {
		d.t.Fatal(err)
	}
	message := make([]byte, 250) // bytes; about those of a read and its answer
	return func() error {
		if err := conn.PublishRequest(subject, reply, message); err != nil {
			return err
		}
		select {
		case <-answers:
			return nil
		case <-time.After(testTime):
			return fmt.Errorf("timeout: the other process does not answer")
		}
	}
}
