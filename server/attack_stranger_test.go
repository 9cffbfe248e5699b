package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
)

// strangerVariable makes this test binary a program that asks the gateway at the port that it
// has, and prints the statuses of strangerStatuses.
const strangerVariable = "PAGEMCP_TEST_STRANGER"

// strangerStatuses returns the statuses of two requests, the second of which closes the sending
// side of its socket before the answer, which may be "none".
func strangerStatuses(port string) (statuses [2]string) {
	for i := range statuses {
		statuses[i] = "none"
		conn, err := net.DialTimeout("tcp4", "127.0.0.1:"+port, testTime)
		if err != nil {
			continue
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\nContent-Type: application/json\r\n"+
			"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: server/discover\r\nContent-Length: %d\r\n\r\n%s", port, len(discover), discover)
		if i == 1 {
			conn.(*net.TCPConn).CloseWrite()
		}
		if answer, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
			io.Copy(io.Discard, answer.Body)
			statuses[i] = fmt.Sprint(answer.StatusCode)
		}
	}
	return statuses
}
