package gatewaytest

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// SendRaw sends an HTTP request, also one that net/http refuses to send, to a port of 127.0.0.1 and reads the response. LF is sent as CRLF,
// and %d is replaced by the port.
func SendRaw(t testing.TB, port int, request string) (status int, header http.Header, body string) {
	t.Helper()
	conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(rawTime))
	request = strings.ReplaceAll(request, "%d", strconv.Itoa(port))
	if _, err := io.WriteString(conn, strings.ReplaceAll(request, "\n", "\r\n")); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(request, " ")
	answer, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method}) // the response to HEAD has no body
	if err != nil {
		t.Fatalf("%q: %v", request, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusSwitchingProtocols {
		return answer.StatusCode, answer.Header, ""
	}
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, string(data)
}

const rawTime = 30 * time.Second
