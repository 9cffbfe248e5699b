package hop

// Keys of the context in which an engine calls or follows a source.
type (
	// Requested has the time at which a client requested a list.
	Requested struct{}

	// Continued has true if a source lists again for a further page of a client. A cached
	// copy is good enough then.
	Continued struct{}

	// Report has a func(error) that reports.
	Report struct{}
)
