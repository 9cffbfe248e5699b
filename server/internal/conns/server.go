package conns

import (
	"io"
	"log"
	"net/http"

	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// HTTPServer returns a server with the timeouts of all endpoints. There is none for the
// whole response: streams set a deadline for each event. While isClosing, which may be nil,
// returns true, answers ask clients to connect again: no request is lost on a connection that
// the server closes later.
func HTTPServer(handler http.Handler, isClosing func() bool) *http.Server {
	return &http.Server{
		Handler:           timeBodies(handler, isClosing),
		ReadHeaderTimeout: limits.HeaderTime,
		IdleTimeout:       limits.IdleTime,
		MaxHeaderBytes:    limits.MaxHeader,
		ErrorLog:          discardLogger(),
		ConnContext:       connContext,
		ConnState:         connState,
	}
}

// discardLogger returns a logger for net/http, which would log each broken client.
func discardLogger() *log.Logger { return log.New(io.Discard, "", 0) }
