package server

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/testlimit"
)

// A client reads all entries of a page of a list at once, over HTTP and over standard
// streams: none is refused.
func TestAllEntriesAreReadAtOnce(t *testing.T) {
	t.Parallel()
	const entries = 200
	state := t.TempDir()
	g := startGateway(t, Options{State: state})
	page := newPage(t, testOrigin, "tab")
	for i := range entries {
		page.write(fmt.Sprintf("notes://%d", i), "text")
	}
	page.join(g)
	read := func(i int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{"uri":"notes+notes://%d"}}`, i, i)
	}
	t.Run("over HTTP", func(t *testing.T) {
		answers := make(chan string, entries)
		for i := range entries {
			go func() {
				r, err := http.NewRequestWithContext(t.Context(), "POST", g.URL(), strings.NewReader(read(i)))
				if err != nil {
					answers <- err.Error()
					return
				}
				r.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + g.testToken()}}
				answer, err := testlimit.Client.Do(r)
				if err != nil {
					answers <- err.Error()
					return
				}
				defer answer.Body.Close()
				text, _ := io.ReadAll(answer.Body)
				answers <- answer.Status + " " + string(text)
			}()
		}
		for range entries {
			if got := <-answers; !strings.Contains(got, `"text":"text"`) {
				t.Error(got)
			}
		}
	})
	t.Run("over standard streams", func(t *testing.T) {
		p := startStdio(t, StdioOptions{Gateway: Options{State: state}})
		go func() {
			for i := range entries {
				io.WriteString(p.in, read(i)+"\n")
			}
		}()
		for range entries {
			if got := receive(t, p.lines); !strings.Contains(got, `"text":"text"`) {
				t.Error(got)
			}
		}
		p.end()
	})
}
