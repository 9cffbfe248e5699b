package testlimit

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestClientNamesWhatItWaitedFor states that a server that accepts and never answers ends a
// request after Wait, with an error that names the request.
func TestClientNamesWhatItWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer far.Close()
		client := *Client
		client.Transport = &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return near, nil }}
		go func() { // it reads, and says nothing
			for buffer := make([]byte, 1024); ; {
				if _, err := far.Read(buffer); err != nil {
					return
				}
			}
		}()
		start := time.Now()
		_, err := client.Get("http://silent.example/readyz")
		if err == nil || !strings.Contains(err.Error(), `Get "http://silent.example/readyz"`) || !strings.Contains(err.Error(), "deadline exceeded") {
			t.Errorf("the error is %v", err)
		}
		if took := time.Since(start); took != Wait {
			t.Errorf("it took %v", took)
		}
	})
}
