package gatewaytest

import (
	"net/http"
	"time"
)

// Wait ends what a test waits for, so that a server that does not answer fails one test in time,
// and not the whole package by its limit. It is far longer than any answer takes, also on a busy
// machine.
const Wait = time.Minute

// HTTP is http.DefaultClient with a limit for a request and its whole answer. Its error names
// method and URL. As an option of websocket.Dial it limits the handshake.
var HTTP = &http.Client{Timeout: Wait}
