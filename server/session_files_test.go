package server

import (
	"bufio"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// The id and the file of a session as version 0.1 has stored it.
const (
	recordedSession = "fLd84wtjBF7ipmMsQ64rV1gpCb1yo09LPRQnPYq7y-Q"
	recordedHash    = "a362994aad0f3ca3efdef5341a3abd905043c4dc2128aed75125880b4ad663b0"
	recordedText    = `{"principal":"token","path":"/mcp/conformance","version":"2025-11-25","client":"test","clientInfo":{"name":"test","version":"1"},"capabilities":{"elicitation":{},"sampling":{},"roots":{}},"logLevel":"error","uris":["test://watched-resource"],"used":"1999-12-31T23:00:00.130642229Z"}` + "\n"
)

// Sessions that an earlier release has stored go on, with their subscriptions, and are
// stored in the same form: the user may return to that release.
func TestSessionsOfEarlierReleasesGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newMemDisk()
		d.put(sessionFile(recordedHash), recordedText)
		g, client, kill := startInMemory(t, d)
		defer kill()
		r, err := http.NewRequestWithContext(t.Context(), "GET", g.URL()+"/conformance", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Authorization": {"Bearer " + g.testToken()}, "Accept": {"text/event-stream"}, "Mcp-Session-Id": {recordedSession}}
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if answer.StatusCode != 200 {
			t.Fatalf("the stream: %s", answer.Status)
		}
		lines := bufio.NewScanner(answer.Body)
		for lines.Scan() && !strings.Contains(lines.Text(), `"uri":"test://watched-resource"`) {
		}
		if err := lines.Err(); err != nil || lines.Text() == "" {
			t.Fatalf("no update of the subscription: %v", err)
		}
		answer.Body.Close()
		time.Sleep(3 * limits.SessionIdle) // it is stored when it sleeps
		synctest.Wait()
		used := regexp.MustCompile(`"used":"[^"]*"`)
		if got := d.text(sessionFile(recordedHash)); used.ReplaceAllString(got, "") != used.ReplaceAllString(recordedText, "") || got == recordedText {
			t.Errorf("stored: %s\nwant:   %s", got, recordedText)
		}
	})
}
