package approvals

import (
	"context"
	"embed"
	"io"
	"net/http"
	"strings"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

//go:embed page.html page.js page.css texts.js
var files embed.FS

// Paths of the page. All but the files are for its script, by POST: browsers then send an Origin
// in requests of the same origin, too, and a request without one is refused.
const (
	documentPath  = "/"
	tabPath       = "/tab"       // the secret of a link -> that of a tab
	questionsPath = "/questions" // a line of JSON with all questions, and another one at each change
	answerPath    = "/answer"
)

// static are the files by path, with their types.
var static = [...]struct{ path, file, kind string }{
	{documentPath, "page.html", "text/html; charset=utf-8"},
	{"/page.js", "page.js", "text/javascript; charset=utf-8"},
	{"/texts.js", "texts.js", "text/javascript; charset=utf-8"},
	{"/page.css", "page.css", "text/css; charset=utf-8"},
}

// policy is the Content-Security-Policy of the page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// serve answers requests that have passed the guard.
func (s *Site) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
	for _, one := range static {
		if one.path == r.URL.Path && r.Method == http.MethodGet {
			body, err := files.ReadFile(one.file)
			if err != nil {
				panic(err) // it is in the program
			}
			h.Set("Content-Type", one.kind)
			w.Write(body)
			return
		}
	}
	if !s.isOwn(r) {
		access.Refuse(w)
		return
	}
	secret, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		access.Refuse(w)
		return
	}
	if r.URL.Path == tabPath {
		s.enter(w, secret)
		return
	}
	if !s.secrets.isTab(secret) {
		access.Refuse(w)
		return
	}
	access.MarkKnown(r.Context())
	switch r.URL.Path {
	case questionsPath:
		s.follow(w, r)
	case answerPath:
		s.answer(w, r)
	default:
		http.NotFound(w, r)
	}
}

// isOwn reports whether the script of the page sent a request. The guard has compared Host and
// Sec-Fetch-Site; it lets requests without an Origin pass, as programs send them.
func (s *Site) isOwn(r *http.Request) bool {
	return r.Method == http.MethodPost && r.Header.Get("Origin") == "http://"+r.Host && r.Header.Get("Content-Type") == "application/json"
}

// enter answers with the secret of a tab.
func (s *Site) enter(w http.ResponseWriter, link string) {
	tab, ok := s.secrets.useLink(link)
	if !ok {
		access.Refuse(w)
		return
	}
	respond(w, struct {
		Secret string `json:"secret"`
	}{tab})
}

// A state is one line of the stream of questions.
type state struct {
	Assistant string          `json:"assistant"`
	Questions []shownQuestion `json:"questions"`
}

// follow sends the questions at each change until the tab or the site is closed. While it runs,
// the tab counts as connected.
func (s *Site) follow(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, limits.MaxHandshake)) // net/http notices a closed tab only then
	if !s.connect() {
		http.Error(w, "too many tabs show this page", http.StatusTooManyRequests)
		return
	}
	defer s.disconnect()
	w.Header().Set("Content-Type", "application/x-ndjson")
	control := http.NewResponseController(w)
	defer control.SetWriteDeadline(time.Time{})
	ticker := time.NewTicker(limits.PingEvery) // a line to a tab that is gone fails
	defer ticker.Stop()
	assistant, _ := visible(s.opts.Assistant, maxTool)
	for {
		questions, changed := s.pending.list()
		control.SetWriteDeadline(time.Now().Add(limits.WriteTime))
		if json.MarshalWrite(w, state{assistant, questions}) != nil {
			return
		}
		if _, err := io.WriteString(w, "\n"); err != nil || control.Flush() != nil {
			return
		}
		select {
		case <-changed:
		case <-ticker.C:
		case <-r.Context().Done():
			return
		case <-s.done:
			return
		}
	}
}

func (s *Site) connect() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.connected >= maxTabs {
		return false
	}
	s.connected++
	return true
}

func (s *Site) disconnect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.connected--
}

// A decision is what the page sends. The number is that of what its user has seen.
type decision struct {
	Question int64  `json:"question"`
	Behavior string `json:"behavior"` // allow or deny
}

// answer sends a decision to the assistant, once.
func (s *Site) answer(w http.ResponseWriter, r *http.Request) {
	var d decision
	err := json.UnmarshalRead(http.MaxBytesReader(w, r.Body, limits.MaxHandshake), &d, json.RejectUnknownMembers(true))
	if err != nil || d.Behavior != "allow" && d.Behavior != "deny" {
		http.Error(w, `want {"question": number, "behavior": "allow" or "deny"}`, http.StatusBadRequest)
		return
	}
	id, tool, err := s.pending.decide(d.Question, d.Behavior == "allow")
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), limits.WriteTime)
	defer cancel()
	if err := s.opts.Send(ctx, id, d.Behavior == "allow"); err != nil {
		s.opts.Log.Error("the decision about a permission prompt was not sent", "tool", tool, "error", err.Error())
		http.Error(w, "the assistant is gone", http.StatusBadGateway)
		return
	}
	s.opts.Log.Info("permission prompt decided in the page", "tool", tool, "behavior", d.Behavior)
	w.WriteHeader(http.StatusNoContent)
}

func respond(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	json.MarshalWrite(w, value) // an error means that the tab is closed
}
