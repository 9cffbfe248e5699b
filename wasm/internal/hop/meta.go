package hop

// Keys of the envelope that every modern request carries in params._meta.
// MCP 2026-07-28, basic/index, _meta.
const (
	KeyVersion      = "io.modelcontextprotocol/protocolVersion"
	KeyCapabilities = "io.modelcontextprotocol/clientCapabilities"
	KeyClientInfo   = "io.modelcontextprotocol/clientInfo"
	KeyLogLevel     = "io.modelcontextprotocol/logLevel"
	KeyServerInfo   = "io.modelcontextprotocol/serverInfo"
	KeySubscription = "io.modelcontextprotocol/subscriptionId"
)

// Keys of _meta of this project's own.
const (
	// KeyPrincipal is the principal on whose behalf a gateway sends a request to a page's
	// engine: a string.
	KeyPrincipal = "io.github.pagemcp/principal"

	// KeyDeclared, in a server/discover, with the value true, requests DeclaredChanged when
	// the answer would be another one.
	KeyDeclared = "io.github.pagemcp/declared"
)

// ExtensionEvents, in the extensions of clientCapabilities, requests the methods of events of a
// program of this project, which has them for others only by option. As a member of the answer to
// a discover with KeyDeclared, it says that the engine has them.
const ExtensionEvents = "io.github.pagemcp/events"

// Capabilities are those of a hop's own requests.
const Capabilities = `{"extensions":{"` + ExtensionEvents + `":{}}}`

// MemberGrants is the member of the answer to such a discover that has the decisions about
// assistants, if the engine has some: see engine.ParseGrants.
const MemberGrants = "io.github.pagemcp/grants"

// DeclaredChanged is a notification without params.
const DeclaredChanged = "notifications/io.github.pagemcp/declared"
