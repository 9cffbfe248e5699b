package server

import (
	"net"
	"net/http"
	"testing"
)

// serveTwin serves a handler without the guard under test, and returns its port. An
// attack must succeed there, otherwise its failure proves nothing.
func serveTwin(t *testing.T, handler http.Handler) (port int) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	twin := &http.Server{Handler: handler}
	go twin.Serve(l) // ends with Close
	t.Cleanup(func() { twin.Close() })
	return l.Addr().(*net.TCPAddr).Port
}
