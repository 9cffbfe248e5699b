package hop

// Keys of the context in which an engine calls or follows a source.
type (
	// Requested has the time at which a client requested a list.
	Requested struct{}

	// Report has a func(error) that reports.
	Report struct{}
)
