package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Ports, relative to that of the balancer.
const (
	demoPort  = 1
	nodePort  = 10
	adminPort = 20
	natsPort  = 30
	routePort = 40

	natsServers = 3
	readyTime   = 30 * time.Second
)

// programs are built by the versions of go.mod, the NATS server, too.
const programs = "github.com/pagemcp/pagemcp/cmd/pagemcpd github.com/pagemcp/pagemcp/server/hosted/demo github.com/nats-io/nats-server/v2"

// A deployment has all its files in one directory.
type deployment struct{ settings }

// A program is how one process is started.
type program struct {
	name, binary string
	args, env    []string
}

func (d *deployment) file(name string) string { return d.dir + string(os.PathSeparator) + name }

func (d *deployment) address(port int) string { return fmt.Sprintf("127.0.0.1:%d", d.port+port) }

// prepare builds the programs, makes a certificate, and writes the other files.
func (d *deployment) prepare(ctx context.Context) error {
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return err
	}
	build := append([]string{"build", "-o", d.dir + string(os.PathSeparator)}, strings.Fields(programs)...)
	if out, err := exec.CommandContext(ctx, "go", build...).CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", programs, err, out)
	}
	if out, err := exec.CommandContext(ctx, d.file("demo"), "--make-certificate", d.dir).CombinedOutput(); err != nil {
		return fmt.Errorf("make a certificate: %w\n%s", err, out)
	}
	key, err := exec.CommandContext(ctx, d.file("pagemcpd"), "keygen").Output()
	if err != nil {
		return err
	}
	return d.writeFiles(string(key))
}

// writeFiles writes the keys and the configurations.
func (d *deployment) writeFiles(keys string) error {
	if err := os.WriteFile(d.file("pagemcp.keys"), []byte(keys), 0o600); err != nil {
		return err
	}
	for i := range d.nodes {
		if err := os.WriteFile(d.file(fmt.Sprintf("node%d.yaml", i+1)), []byte(d.config(i)), 0o600); err != nil {
			return err
		}
	}
	for i := range natsServers {
		if err := os.WriteFile(d.file(fmt.Sprintf("nats%d.conf", i+1)), []byte(d.nats(i)), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// config returns the configuration of one node. On one machine the addresses differ.
func (d *deployment) config(i int) string {
	text := fmt.Sprintf(`publicURL: https://localhost:%d
listen: %s
admin: { listen: "%s" }
tls: { cert: tls.crt, key: tls.key }
assistants: { issuer: https://localhost:%d/auth }
pages:
  origins: ["https://localhost:%d"]
  tokens: { issuer: https://localhost:%d, jwks: https://localhost:%d/pagemcp-keys.json }
keys: pagemcp.keys
limits: { pages: 1_000, streams: 1_000 }
`, d.port, d.address(nodePort+i), d.address(adminPort+i), d.port+demoPort, d.port+demoPort, d.port+demoPort, d.port+demoPort)
	if d.nodes > 1 {
		var urls []string
		for server := range natsServers {
			urls = append(urls, fmt.Sprintf("%q", "nats://"+d.address(natsPort+server)))
		}
		text += fmt.Sprintf("cluster: { name: local, kv: true, nats: { urls: [%s] } }\n", strings.Join(urls, ", "))
	}
	return text
}

// nats returns the configuration of one NATS server: that of the guide, for loopback.
func (d *deployment) nats(i int) string {
	var routes []string
	for server := range natsServers {
		routes = append(routes, fmt.Sprintf("%q", "nats://"+d.address(routePort+server)))
	}
	return fmt.Sprintf(`server_name: nats%d
listen: %q
ping_interval: "2s"
ping_max: 2
write_deadline: "5s"
jetstream { store_dir: %q }
cluster { name: local, listen: %q, routes: [%s], ping_interval: "2s", ping_max: 2 }
`, i+1, d.address(natsPort+i), d.file(fmt.Sprintf("data%d", i+1)), d.address(routePort+i), strings.Join(routes, ", "))
}

// others returns all programs but the nodes.
func (d *deployment) others() (all []program) {
	if d.nodes > 1 {
		for i := range natsServers {
			name := fmt.Sprintf("nats%d", i+1)
			all = append(all, program{name, "nats-server", []string{"--config", d.file(name + ".conf")}, nil})
		}
	}
	return append(all, program{"demo", "demo", []string{
		"--tls", d.dir, "--listen", d.address(demoPort), "--url", fmt.Sprintf("https://localhost:%d", d.port+demoPort),
		"--gateway", fmt.Sprintf("https://localhost:%d", d.port), "--package", d.packaged,
	}, nil})
}

// node returns the program of one node, which trusts the certificate of the demo.
func (d *deployment) node(i int) program {
	name := fmt.Sprintf("node%d", i+1)
	return program{name, "pagemcpd", []string{"--config", d.file(name + ".yaml")}, []string{"SSL_CERT_FILE=" + d.file("tls.crt")}}
}

// backends returns what the balancer needs to know of the nodes.
func (d *deployment) backends() (all []*backend) {
	for i := range d.nodes {
		all = append(all, &backend{address: d.address(nodePort + i), probe: "http://" + d.address(adminPort+i) + "/readyz"})
	}
	return all
}

// awaitReady waits until a node is ready.
func (d *deployment) awaitReady(ctx context.Context, i int) error {
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	for {
		if _, ready := probe(ctx, "http://"+d.address(adminPort+i)+"/readyz"); ready {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("node%d is not ready; see %s", i+1, d.file(fmt.Sprintf("node%d.log", i+1)))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// probe reports whether a node answers within 2 s, and whether it is ready.
func probe(ctx context.Context, url string) (answered, ready bool) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false, false
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return false, false
	}
	answer.Body.Close()
	return true, answer.StatusCode == http.StatusOK
}
