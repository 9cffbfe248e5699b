// Command demo plays the company around pagemcpd: a small web app whose page joins the
// hosted gateway, the backend that signs its join tokens, and an OAuth authorization
// server for assistants.
//
// It is for demos and tests ONLY: any visitor signs in as any of its users without a
// password, and its authorization server approves every client and every redirect.
//
//	demo --package dist/npm/pagemcp --gateway https://mcp.app.example
//	demo --make-certificate DIR
//
// When it listens it prints one line, a JSON object:
//
//	url     the app; also the `pages.origins` and `pages.tokens.issuer` of the gateway
//	keys    `pages.tokens.jwks`: the keys of join tokens
//	issuer  `assistants.issuer`: the authorization server, under /auth of the same origin
//	page    the WebSocket that pages join
//
// The flags:
//
//	--listen ADDRESS         default 127.0.0.1:8810; port 0 takes a free one
//	--url URL                the app's URL in browsers and for the gateway's nodes, without a path;
//	                         default: http or https with the address
//	--gateway URL            publicURL of the gateway
//	--package DIR            the built package: dist/npm/pagemcp of `pagemcp build`
//	--app DIR                serves the files of a directory instead of the built-in page
//	--users NAMES            who can sign in, separated by commas; default alice,bob
//	--tls DIR                serves HTTPS with tls.crt and tls.key of a directory
//	--allow-remote           permits an address that is not on loopback
//	--control                serves /control, by which tests change tokens; on loopback only
//	--make-certificate DIR   writes tls.crt and tls.key for localhost and --hosts, and exits
//	--hosts NAMES            further host names of that certificate, separated by commas
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "demo: %v\n", err)
		os.Exit(1)
	}
}

// settings are the flags.
type settings struct {
	listen, url, gateway, files, app, users, tls string
	remote, control                              bool
	certificate, hosts                           string
}

func parse(args []string, stderr io.Writer) (s settings, err error) {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.listen, "listen", "127.0.0.1:8810", "IP `address` and port")
	flags.StringVar(&s.url, "url", "", "`URL` of the app in browsers and for the gateway (default: that of --listen)")
	flags.StringVar(&s.gateway, "gateway", "", "publicURL of the gateway")
	flags.StringVar(&s.files, "package", "", "`directory` of the built package")
	flags.StringVar(&s.app, "app", "", "`directory` to serve instead of the built-in page")
	flags.StringVar(&s.users, "users", "alice,bob", "`names` of users")
	flags.StringVar(&s.tls, "tls", "", "`directory` of tls.crt and tls.key")
	flags.BoolVar(&s.remote, "allow-remote", false, "permit an address that is not on loopback")
	flags.BoolVar(&s.control, "control", false, "serve /control, for tests")
	flags.StringVar(&s.certificate, "make-certificate", "", "write tls.crt and tls.key to a `directory`, and exit")
	flags.StringVar(&s.hosts, "hosts", "", "further host `names` of the certificate")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	switch {
	case flags.NArg() > 0:
		return s, fmt.Errorf("there is no command %q", flags.Arg(0))
	case s.certificate != "":
		return s, nil
	case s.gateway == "":
		return s, errors.New("--gateway is missing: set it to the publicURL of the gateway, like https://mcp.app.example")
	case s.files == "":
		return s, errors.New("--package is missing: set it to the directory of the built package, dist/npm/pagemcp")
	}
	if _, err := os.Stat(filepath.Join(s.files, "index.js")); err != nil {
		return s, fmt.Errorf("--package: %w; build it with `pagemcp build`", err)
	}
	return s, checkListen(s)
}

// checkListen refuses addresses that others reach, unless a flag permits them.
func checkListen(s settings) error {
	host, _, err := net.SplitHostPort(s.listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		return nil
	}
	if s.control {
		return fmt.Errorf("--listen %s is not on loopback, where /control must be", s.listen)
	}
	if !s.remote {
		return fmt.Errorf("--listen %s is not on loopback: whoever reaches it signs in as any user; --allow-remote permits it, for demos on a closed network", s.listen)
	}
	return nil
}

// run serves until ctx ends.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	s, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if s.certificate != "" {
		return makeCertificate(s.certificate, fields(s.hosts))
	}
	listener, err := net.Listen("tcp", s.listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	if s.url == "" {
		s.url = map[bool]string{false: "http://", true: "https://"}[s.tls != ""] + listener.Addr().String()
	}
	d, err := newDemo(s)
	if err != nil {
		return err
	}
	fmt.Fprintln(stderr, "demo: for demos and tests only: anybody signs in as any user, and the authorization server approves every client")
	if err := json.NewEncoder(stdout).Encode(d.addresses()); err != nil {
		return err
	}
	server := &http.Server{Handler: d, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 32 << 10}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if s.tls == "" {
		err = server.Serve(listener)
	} else {
		err = server.ServeTLS(listener, filepath.Join(s.tls, certificateFile), filepath.Join(s.tls, keyFile))
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// origin checks a URL without a path, and returns it without a slash at its end.
func origin(name, text string) (string, error) {
	u, err := url.Parse(strings.TrimSuffix(text, "/"))
	if err != nil || u.Host == "" || u.Path != "" || u.RawQuery != "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("--%s %q: want scheme and host alone, like https://app.example", name, text)
	}
	return u.Scheme + "://" + u.Host, nil
}

// fields returns the entries of a list with commas.
func fields(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}
