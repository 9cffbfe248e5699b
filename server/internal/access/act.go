package access

// An Act is one request of a client, as far as authorization depends on it.
type Act struct {
	Method string

	// Generated says that a tools/call is for a tool of the gateway, not of a page: these
	// list, read and watch resources.
	Generated bool

	// Resources says that a subscriptions/listen watches resources or their list, or that a
	// completion/complete is for a template of resources. Otherwise they are about prompts,
	// or about tools.
	Resources bool
}
