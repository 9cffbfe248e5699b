package devserver

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
)

// Service Workers that another program on this port has left in the browser end at their next update.
func TestServiceWorkersOfOtherServersEnd(t *testing.T) {
	w := startWeb(t, map[string][]byte{"/index.html": []byte("start"), "/playground/sw.js": []byte("own")})
	for _, test := range []struct {
		path, header string
		status       int
		body         string
	}{
		{"/evil.js", "Service-Worker: script", 200, "registration.unregister()"},
		{"/playground/sw.js", "Service-Worker: script", 200, "own"},
		{"/evil.js", "X-Other: 1", 404, ""},
	} {
		request, err := http.NewRequest("GET", strings.TrimSuffix(w.URL(), "/")+test.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		name, value, _ := strings.Cut(test.header, ": ")
		request.Header.Set(name, value)
		status, body := fetch(t, request)
		if status != test.status || !strings.Contains(body, test.body) {
			t.Errorf("%s with %s: %d %q", test.path, test.header, status, body)
		}
	}
}

func fetch(t *testing.T, request *http.Request) (int, string) {
	t.Helper()
	answer, err := gatewaytest.HTTP.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var body strings.Builder
	if err := answer.Write(&body); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, body.String()
}
