// Command local runs a deployment on this machine without containers: nodes of pagemcpd,
// NATS servers, a balancer of TCP that checks the health of the nodes, and the demo app. It
// is for trying the operator's guide, and its failures: the process ids that it prints can
// be killed or stopped.
//
//	go run ./cmd/pagemcpd/deploy/local --package dist/npm/pagemcp
//
// SIGHUP restarts the nodes one after the other, as a rolling upgrade does. SIGINT ends all.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "local:", err)
		os.Exit(1)
	}
}

// settings are the flags.
type settings struct {
	nodes    int
	packaged string // directory of the npm package, for the demo
	dir      string // for configuration, certificates, programs and logs
	port     int    // of the balancer; others follow it
}

func run(ctx context.Context, args []string) error {
	var s settings
	flags := flag.NewFlagSet("local", flag.ContinueOnError)
	flags.IntVar(&s.nodes, "nodes", 3, "number of nodes, 1 to 9; with more than one they use three NATS servers")
	flags.StringVar(&s.packaged, "package", "dist/npm/pagemcp", "`directory` of the built package")
	flags.StringVar(&s.dir, "dir", "", "`directory` for all files (default: a temporary one, which is removed)")
	flags.IntVar(&s.port, "port", 8443, "`port` of the balancer; the 60 above it are used, too")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if s.nodes < 1 || s.nodes > 9 {
		return errors.New("--nodes: want 1 to 9")
	}
	var err error
	if s.dir == "" {
		if s.dir, err = os.MkdirTemp("", "pagemcp-local-"); err != nil {
			return err
		}
		defer os.RemoveAll(s.dir)
	}
	if s.dir, err = filepath.Abs(s.dir); err != nil {
		return err
	}
	d := &deployment{settings: s}
	if err := d.prepare(ctx); err != nil {
		return err
	}
	return d.serve(ctx)
}

// serve starts all processes, and stops them when ctx ends.
func (d *deployment) serve(ctx context.Context) error {
	var others []*process
	defer func() {
		for _, p := range others {
			p.stop(syscall.SIGKILL)
		}
	}()
	for _, command := range d.others() {
		p, err := d.start(command)
		if err != nil {
			return err
		}
		others = append(others, p)
	}
	nodes := make([]*process, d.nodes)
	defer func() { stopAll(nodes) }()
	for i := range nodes {
		p, err := d.start(d.node(i))
		if err != nil {
			return err
		}
		nodes[i] = p
	}
	for i := range nodes {
		if err := d.awaitReady(ctx, i); err != nil {
			return err
		}
	}
	balancer, err := listenBalancer(d.address(0), d.backends())
	if err != nil {
		return err
	}
	defer balancer.close()
	go balancer.run(ctx) // ends with ctx
	fmt.Printf("app        https://localhost:%d   (users alice and bob)\nassistants https://localhost:%d/mcp\ncertificate %s\nlogs       %s\n",
		d.port+demoPort, d.port, d.file("tls.crt"), d.file("*.log"))
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-hangup:
			if err := d.roll(ctx, nodes); err != nil {
				return err
			}
		}
	}
}

// roll restarts the nodes one after the other.
func (d *deployment) roll(ctx context.Context, nodes []*process) error {
	for i := range nodes {
		nodes[i].stop(syscall.SIGTERM)
		p, err := d.start(d.node(i))
		if err != nil {
			return err
		}
		nodes[i] = p
		if err := d.awaitReady(ctx, i); err != nil {
			return err
		}
	}
	fmt.Println("all nodes were restarted")
	return nil
}

// stopAll drains all nodes at the same time.
func stopAll(nodes []*process) {
	var all sync.WaitGroup
	for _, p := range nodes {
		if p != nil {
			all.Go(func() { p.stop(syscall.SIGTERM) })
		}
	}
	all.Wait()
}

// A process is one that runs.
type process struct {
	command *exec.Cmd
	ended   chan struct{}
	stopped atomic.Bool // by stop
}

// start starts a command with its output in a file.
func (d *deployment) start(c program) (*process, error) {
	log, err := os.OpenFile(d.file(c.name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	command := exec.Command(d.file(c.binary), c.args...)
	command.Env = append(os.Environ(), c.env...)
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		return nil, err
	}
	fmt.Printf("%-10s process %d\n", c.name, command.Process.Pid)
	p := &process{command: command, ended: make(chan struct{})}
	go func() { // ends with the process
		defer close(p.ended)
		if err := command.Wait(); err != nil && !p.stopped.Load() {
			fmt.Printf("%-10s %v; see %s\n", c.name, err, log.Name())
		}
	}()
	return p, nil
}

// stop sends a signal and waits until the process has ended.
func (p *process) stop(with os.Signal) {
	p.stopped.Store(true)
	p.command.Process.Signal(with) // an error means that it has ended
	<-p.ended
}
