package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"
)

// strangerVariable makes this test binary a program that connects as often as its
// standard input has lines, and prints the status of each answer, or "none".
const strangerVariable = "PAGEMCP_TEST_STRANGER"

// runStranger sends one request for each line: local address, local port (0: any),
// port of the gateway, and "half" to close the sending side before the answer.
func runStranger() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var local, how string
		var localPort, port int
		if _, err := fmt.Sscan(lines.Text(), &local, &localPort, &port, &how); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(strangerRequest(&net.TCPAddr{IP: net.ParseIP(local), Port: localPort}, port, how == "half"))
	}
}

func strangerRequest(local *net.TCPAddr, port int, half bool) string {
	host := "127.0.0.1"
	if local.IP.To4() == nil {
		host = "::1"
	}
	dialer := net.Dialer{LocalAddr: local, Timeout: testTime}
	dialed, err := dialer.Dial("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return "dial: " + err.Error()
	}
	conn := dialed.(*net.TCPConn)
	defer conn.Close()
	conn.SetLinger(0) // a port in TIME_WAIT cannot be used again
	conn.SetDeadline(time.Now().Add(testTime))
	fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\nContent-Type: application/json\r\n"+
		"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: server/discover\r\nContent-Length: %d\r\n\r\n%s", port, len(discover), discover)
	if half {
		conn.CloseWrite()
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return "none"
	}
	defer answer.Body.Close()
	io.Copy(io.Discard, answer.Body)
	return strconv.Itoa(answer.StatusCode)
}
