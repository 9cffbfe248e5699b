package engine

import (
	"cmp"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// An AccessQuestion is a request that the grants decide, or that the user is asked about.
type AccessQuestion struct {
	Assistant   string // see [AssistantOf]
	CallsItself string // clientInfo.name of the request or session, which is not verified
	Right       string // "read" or "act"
	Method      string
	URI         string // of a resource, template or skill, or ""
	Prompt      string // the name, or ""
	Tool        []byte // the description as tools/list has it, or nil
	Arguments   []byte // of a tool, a JSON object, or nil
	Task        string // the id of the task that waited for the decision, or ""

	right grantRight
	tool  string // the only one that is decided about, or ""
}

// What returns the URI, or the name of the tool or prompt.
func (q *AccessQuestion) What() string {
	if q.Tool != nil {
		name, _ := jsonrpc.Text(jsonrpc.Member(q.Tool, "name"))
		return name
	}
	return cmp.Or(q.Prompt, q.URI)
}

// An AccessAnswer is the decision about it. Reason and Message are for the audit and the
// model; Message may be "".
type AccessAnswer struct {
	Allow   bool
	Reason  string
	Message string
}

// An accessError says that the user does not allow a request, in words for a model.
type accessError struct{ reason, message string }

func (e *accessError) Error() string { return e.message }

// denial returns the error of a denied request. message is "" for that of the reason.
func denial(reason, message string) error {
	if message == "" {
		message = "The user declined. Do not try again unless they ask."
		switch reason {
		case reasonPaused:
			message = "The user has paused all assistants. Tell the user; do not try again before they say so."
		case reasonRevoked:
			message = "The user has ended this access. Do not try again unless they ask."
		case reasonPolicy:
			message = "The app does not allow this. Do not try again."
		case reasonNoAnswer:
			message = "The user has not answered whether this is allowed. Ask them to look at the page; do not try again before."
		}
	}
	return &accessError{reason, message}
}

// ErrRevoked ends a request whose client may not make it any more.
var ErrRevoked = denial(reasonRevoked, "")

// ErrAsleep is the error of requests for a page that its browser has stopped: only its user can wake it.
var ErrAsleep = denial("page-asleep", "The tab of this page sleeps. Ask the user to look at it; do not try again before.")

// ErrNotShared is the error of a source that has the resource, but not for this client.
var ErrNotShared = denial(reasonDeclined, notShared)

const notShared = "The user has not shared this with you. Do not try again unless they ask."

// SetGrants replaces the decisions about assistants. Requests that run and are denied from now
// on fail at once, and notifications about what a client may not read are not sent. Nil, the
// value before the first call, allows everything.
func (e *Engine) SetGrants(g *Grants) {
	old := e.grants.Swap(g)
	e.dropPages()
	for _, c := range e.connected() {
		e.safely("a Sink", func() { c.endDenied(g) })
	}
	e.decidedAnew()
	if g != nil {
		e.holds.endDenied(g)
	}
	for s, which := range e.registry.listeners(e.options.announced()) {
		if !s.client.isOwnPage() {
			changed := old.lists(s.who) ^ g.lists(s.who)
			if old.asksAbout(s.who) != g.asksAbout(s.who) { // the answer to its next request may be another one
				changed = allLists
			}
			s.enqueueLists(which & changed)
		}
	}
	for _, uri := range e.registry.under("") { // changes of these were not announced for a time
		e.registry.subscribed(uri, func(s *subscription, spelled string) {
			if !s.client.isOwnPage() && !old.MayWatch(s.who, uri) && g.MayWatch(s.who, uri) {
				s.enqueue(spelled)
			}
		})
	}
	e.announceDeclared()
}

// dropPages forgets the kept pages of lists.
func (e *Engine) dropPages() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.mounted++
}

// endDenied ends the requests of a client that are denied from now on.
func (c *Client) endDenied(g *Grants) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, run := range c.running {
		if !run.isGranted {
			continue
		}
		if d, reason := g.decide(run.who, run.right, run.tool); d == denied && reason == reasonPaused {
			run.cancel(denial(reason, ""))
		} else if d == denied || g.withholds(run.who, run.uri) {
			run.cancel(ErrRevoked)
		}
	}
}

// private returns the hints of a cache with scope private if what one client gets is not for
// another.
func (e *Engine) private(c Cache) Cache {
	c.Public = c.Public && !e.decides && e.grants.Load() == nil
	return c
}
