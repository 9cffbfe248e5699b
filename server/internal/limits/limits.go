// Package limits has the bounds of all that peers of a gateway can make it keep, do or
// wait for. They are in one place so that they can be compared: a message that a hop
// makes longer must still fit the next one.
package limits

import (
	"time"

	"golang.org/x/time/rate"
)

// Limits of the gateway. Their source is security.md §8 where nothing else is
// said; they are what a well-behaved peer never meets.
const (
	MaxMessage        = 1 << 20           // bytes of a message from an assistant
	MaxAnswer         = 8<<20 + 64<<10    // bytes of a message from a page, with the slack for the hop's own _meta
	MaxSlack          = 64 << 10          // bytes by which a message may grow on the way to a page or another gateway: a hop's own _meta
	MaxHandshake      = 4 << 10           // bytes of a frame before a page has joined
	MaxDiscard        = 64 << 20          // bytes of an oversized frame that are thrown away before the socket is given up
	MaxURI            = 8 << 10           // bytes
	MaxInFlight       = 64                // requests of one assistant over HTTP, listens not counted
	MaxAllInFlight    = 1_024             // of all that share a token
	MaxStreams        = 256               // open listens of one assistant over HTTP
	MaxAllStreams     = 4_096             // of all that share a token
	MaxUnknown        = 1_024             // connections of which nothing is known yet
	MaxPerAddress     = 512               // of these, from one address
	MaxSockets        = 256               // WebSockets in all
	MaxPagesPerOrigin = 16                // pages of one origin that are joined at once
	MaxEndpoints      = 256               // names at /mcp/{page} that have an engine
	MaxQueued         = 256               // messages that wait for a session's stream, besides one `updated` for each URI
	MaxQueuedBytes    = 1 << 20           // bytes of these
	MaxSessions       = 10_000            // stored classic sessions
	MaxNames          = 64                // remembered page names of one origin; more than maxPerOrigin, so that one is always out of use
	MaxKeys           = 1_024             // stored keys of pages
	MaxSecrets        = 1_024             // secrets that are not used yet
	ReadRate          = rate.Limit(100)   // reads a second of one principal
	BurstSeconds      = 5                 // of reads that may come at once
	MaxDelay          = 2 * time.Second   // that a request over a rate waits; over it, it is refused
	CompletionRate    = rate.Limit(10)    // completions a second of one principal
	CallRate          = rate.Limit(50)    // calls of tools, and prompts, a second of one principal
	CallBurstSeconds  = 4                 // of calls that may come at once; the page's engine counts its gateway as one
	HandshakeTime     = 5 * time.Second   // for a page to join
	HeaderTime        = 5 * time.Second   // for the header of an HTTP request
	BodyIdle          = 10 * time.Second  // between two pieces of its body
	BodyTime          = 30 * time.Second  // for its body in all
	WriteTime         = 20 * time.Second  // for one event of a stream, or one frame of a socket
	GraceTime         = 10 * time.Second  // a page that left may come back as if nothing had happened
	PingEvery         = 15 * time.Second  // to pages and assistants on WebSockets, and as comments on event streams
	PingTimeout       = 40 * time.Second  // a page that said nothing for so long is dead
	StreamAfter       = 2 * time.Second   // without a message, before an answer turns into an event stream
	NameTTL           = 24 * time.Hour    // how long the name of a page that left is kept
	SaveUsesEvery     = time.Minute       // how exactly the last use of names and sessions is stored while they are in use
	KeyTTL            = 12 * time.Hour    // how long a page's key is good without being used
	SessionTTL        = 24 * time.Hour    // how long an idle classic session is kept
	SessionIdle       = 30 * time.Second  // without a stream or a request, before a session gives up its memory
	LoginWindow       = time.Minute       // in which failedLogins wrong tokens are answered 401
	LoginPause        = 60 * time.Second  // in which wrong tokens are answered 429 after that
	MaxFailedLogins   = 10                // a minute
	ShutdownTime      = 3 * time.Second   // for answers under way when the gateway ends
	LockWait          = 5 * time.Second   // for another process to give up the state directory; longer than shutdownTime
	AttachTime        = 10 * time.Second  // for a page's engine to say what it speaks
	ProbeTime         = 1 * time.Second   // for an older stream to show that it is alive
	IdleTime          = 120 * time.Second // of a kept-alive HTTP connection
	MaxHeader         = 32 << 10          // bytes of a request's header
	MaxAuditFile      = 10 << 20          // bytes of the audit log, before the older half goes to audit.1.jsonl
)
