package server

import (
	"time"

	"golang.org/x/time/rate"
)

// Limits of the gateway. Their source is security.md §8 where nothing else is
// said; they are what a well-behaved peer never meets.
const (
	maxMessage     = 1 << 20           // bytes of a message from an assistant
	maxAnswer      = 8<<20 + 64<<10    // bytes of a message from a page, with the slack for the hop's own _meta
	maxSlack       = 64 << 10          // bytes by which a message may grow on the way to a page or another gateway: a hop's own _meta
	maxHandshake   = 4 << 10           // bytes of a frame before a page has joined
	maxDiscard     = 64 << 20          // bytes of an oversized frame that are thrown away before the socket is given up
	maxURI         = 8 << 10           // bytes
	maxInFlight    = 64                // requests of one assistant over HTTP, listens not counted
	maxAllInFlight = 1_024             // of all that share a token
	maxStreams     = 256               // open listens of one assistant over HTTP
	maxAllStreams  = 4_096             // of all that share a token
	maxUnknown     = 1_024             // connections of which nothing is known yet
	maxPerAddress  = 512               // of these, from one address
	maxSockets     = 256               // WebSockets in all
	maxPerOrigin   = 16                // pages of one origin that are joined at once
	maxEndpoints   = 256               // names at /mcp/{page} that have an engine
	maxQueued      = 256               // messages that wait for a session's stream, besides one `updated` for each URI
	maxQueuedBytes = 1 << 20           // bytes of these
	maxSessions    = 10_000            // stored classic sessions
	maxNames       = 64                // remembered page names of one origin; more than maxPerOrigin, so that one is always out of use
	maxKeys        = 1_024             // stored keys of pages
	maxSecrets     = 1_024             // secrets that are not used yet
	readRate       = rate.Limit(100)   // reads a second of one principal
	burstSeconds   = 5                 // of reads that may come at once
	maxDelay       = 2 * time.Second   // that a request over a rate waits; over it, it is refused
	completeRate   = rate.Limit(10)    // completions a second of one principal
	callRate       = rate.Limit(50)    // calls of tools, and prompts, a second of one principal
	callBurst      = 200               // of these; the page's engine counts its gateway as one
	handshakeTime  = 5 * time.Second   // for a page to join
	headerTime     = 5 * time.Second   // for the header of an HTTP request
	bodyIdle       = 10 * time.Second  // between two pieces of its body
	bodyTime       = 30 * time.Second  // for its body in all
	writeTime      = 20 * time.Second  // for one event of a stream, or one frame of a socket
	graceTime      = 10 * time.Second  // a page that left may come back as if nothing had happened
	pingEvery      = 15 * time.Second  // to pages and assistants on WebSockets, and as comments on event streams
	pingDead       = 40 * time.Second  // a page that said nothing for so long is dead
	silence        = 2 * time.Second   // without a message, before an answer turns into an event stream
	nameMemory     = 24 * time.Hour    // how long the name of a page that left is kept
	keepEvery      = time.Minute       // how exactly the last use of names and sessions is stored while they are in use
	keyMemory      = 12 * time.Hour    // how long a page's key is good without being used
	sessionMemory  = 24 * time.Hour    // how long an idle classic session is kept
	sessionSleep   = 30 * time.Second  // without a stream or a request, before a session gives up its memory
	loginWindow    = time.Minute       // in which failedLogins wrong tokens are answered 401
	loginPause     = 60 * time.Second  // in which wrong tokens are answered 429 after that
	failedLogins   = 10                // a minute
	shutdownTime   = 3 * time.Second   // for answers under way when the gateway ends
	ownWait        = 5 * time.Second   // for another process to give up the state directory; longer than shutdownTime
	attachTime     = 10 * time.Second  // for a page's engine to say what it speaks
	probeTime      = 1 * time.Second   // for an older stream to show that it is alive
	idleTime       = 120 * time.Second // of a kept-alive HTTP connection
	uploadHeaders  = 32 << 10          // bytes of a request's header
	auditSize      = 10 << 20          // bytes of the audit log, before the older half goes to audit.1.jsonl
)
