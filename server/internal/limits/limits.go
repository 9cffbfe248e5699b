// Package limits defines how much memory, work and time a peer can make a gateway
// spend. All limits are in one place so that they can be compared: a message that one
// hop makes longer must still fit the next hop.
package limits

import "time"

// Sizes of messages and frames, in bytes.
const (
	// MaxMessage is the size of a message from an assistant.
	MaxMessage = 1 << 20

	// SmallBody is the size up to which the body of an HTTP request is not counted.
	SmallBody = 16 << 10

	// MaxSlack is how much a message may grow on the way to a page or another gateway,
	// by the _meta that a hop adds.
	MaxSlack = 64 << 10

	// MaxAnswer is the size of a message from a page, with MaxSlack.
	MaxAnswer = 8<<20 + MaxSlack

	// MaxHandshake is the size of a frame before a page has joined.
	MaxHandshake = 4 << 10

	// MaxDiscard is how much of an oversized frame is read and discarded before the
	// connection is closed.
	MaxDiscard = 64 << 20

	// MaxURI is the length of a URI.
	MaxURI = 8 << 10

	// MaxHeader is the size of the header of an HTTP request.
	MaxHeader = 32 << 10

	// MaxAuditFile is the size of the audit log before it is renamed to audit.1.jsonl. One more
	// file of that size, audit.2.jsonl, is kept.
	MaxAuditFile = 10 << 20
)

// Numbers of requests, connections and stored records.
const (
	// MaxInFlight is the number of concurrent requests of one assistant for one page,
	// subscriptions/listen excluded. Requests that are not for one page, like lists, count
	// as those for a page of their own.
	MaxInFlight = 64

	// QueueTime is how long a request over these numbers waits for others to end, since a client may
	// read a whole page of a list at once; and a join.
	QueueTime = 10 * time.Second

	// SharesInFlight is how many times the share of one page an assistant may have for all pages.
	SharesInFlight = 4

	// MinInFlight is the number that an assistant may have for each page even then.
	MinInFlight = 4

	// MaxAllInFlight is the number of concurrent requests of all assistants together.
	MaxAllInFlight = 1_024

	// MaxStreams is the number of open subscriptions/listen of one assistant over HTTP.
	MaxStreams = 256

	// MaxAllStreams is the same for all assistants together, with the GET streams of sessions.
	MaxAllStreams = 4_096

	// MaxUnknown is the number of TCP connections whose client is not authenticated.
	MaxUnknown = 1_024

	// MaxPerAddress is the number of those from one address.
	MaxPerAddress = 512

	// MaxSockets is the number of WebSockets.
	MaxSockets = 256

	// MaxPagesPerOrigin is the number of joined pages of one origin.
	MaxPagesPerOrigin = 16

	// MaxEndpoints is the number of /mcp/{page} endpoints that have an engine.
	MaxEndpoints = 256

	// MaxNames is the number of remembered page names of one origin. It exceeds
	// MaxPagesPerOrigin, so that at least one of them has no page.
	MaxNames = 64

	// MaxKeys is the number of stored keys of pages.
	MaxKeys = 1_024

	// MaxSecrets is the number of pairing secrets that are not used yet.
	MaxSecrets = 1_024

	// MaxFailedLogins is the number of wrong tokens within LoginWindow that are answered
	// with 401; further ones get 429 for LoginPause.
	MaxFailedLogins = 10
)

// Timeouts and intervals.
const (
	// MaxDelay is how long a request over the rate is delayed. If it had to wait longer,
	// it is rejected.
	MaxDelay = 2 * time.Second

	// HandshakeTime is for a page to join.
	HandshakeTime = 5 * time.Second

	// HeaderTime is for the header of an HTTP request.
	HeaderTime = 5 * time.Second

	// BodyIdle is the time between two reads of a request's body.
	BodyIdle = 10 * time.Second

	// BodyTime is for the whole body.
	BodyTime = 30 * time.Second

	// WriteTime is for one event of a stream, or one frame of a WebSocket.
	WriteTime = 20 * time.Second

	// IdleTime is for a kept-alive HTTP connection.
	IdleTime = 120 * time.Second

	// StreamAfter is how long a POST waits for its first message before the response
	// becomes an event stream.
	StreamAfter = 2 * time.Second

	// GraceTime is how long the entries of a disconnected page stay in the lists.
	GraceTime = 10 * time.Second

	// LeaveTime is how long a page has to be away before a new tab of its browser gets its name:
	// until then it may be reloading, which takes a busy machine more than a second.
	LeaveTime = 2 * time.Second

	// PingEvery is the interval of pings on WebSockets and of comments on event streams.
	PingEvery = 15 * time.Second

	// PingTimeout is how long a peer may be silent before its connection is closed.
	PingTimeout = 40 * time.Second

	// SilentTime is how long a page may be silent, though its browser answers, before it counts as
	// asleep: two pings are missed.
	SilentTime = 2 * PingEvery

	// MaxSleep is how long a page may be asleep before its connection is closed.
	MaxSleep = 24 * time.Hour

	// AttachTime is for a page's engine to answer server/discover.
	AttachTime = 10 * time.Second

	// DrainTime is for calls of tools that run when the gateway closes.
	DrainTime = 10 * time.Second

	// ShutdownTime is for other requests in flight, after that.
	ShutdownTime = 3 * time.Second

	// LockWait is for another process to release the state directory. It exceeds DrainTime
	// and ShutdownTime together, since that process may be shutting down.
	LockWait = 15 * time.Second

	// LoginWindow is the time in which MaxFailedLogins wrong tokens are allowed.
	LoginWindow = time.Minute

	// LoginPause is how long wrong tokens are answered with 429 after that.
	LoginPause = 60 * time.Second

	// SessionIdle is how long a session without a stream or request keeps its engine
	// connection.
	SessionIdle = 30 * time.Second

	// SaveUsesEvery is the interval at which the last uses of tokens of assistants are stored.
	SaveUsesEvery = time.Minute
)

// How long unused records are kept.
const (
	// NameTTL is for the name of a page that has left. Its origin keeps one name of each
	// app until the user revokes it.
	NameTTL = 24 * time.Hour

	// KeyTTL is for a page's key: a user who returns from a holiday needs no new link.
	KeyTTL = 30 * 24 * time.Hour
)
