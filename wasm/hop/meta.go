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

	// KeyPublished, in the _meta of the result of a read, says that the gateway may answer
	// with that result by itself until NotifyValue says otherwise: the app has published the
	// value. Its value is true. A Remote removes it.
	KeyPublished = "io.github.pagemcp/published"

	// KeyAge is how old a result is that a gateway has given while the page was asleep: the
	// time since it was known to be the newest, in ms.
	KeyAge = "io.github.pagemcp/ageMs"
)

// MemberReaders is the member of the answer to such a discover that says which assistants may read everything,
// if the engine has decisions about them: see engine.ParseReaders.
const MemberReaders = "io.github.pagemcp/readers"

// DeclaredChanged is a notification with the params that are the answer to a discover now.
const DeclaredChanged = "notifications/io.github.pagemcp/declared"

// Notifications about published values, on a connection of a page with a gateway.
const (
	// NotifyMirror, by the gateway, says that it keeps published values: results of reads may have
	// KeyPublished from then on. It has no params.
	NotifyMirror = "notifications/io.github.pagemcp/mirror"

	// NotifyValue, by the page, replaces the published value of a uri by the result of a read, or
	// drops it if there is none. Without a uri it drops all values.
	NotifyValue = "notifications/io.github.pagemcp/value"

	// NotifyAsleep, by the page, says with the member asleep whether its browser stops it now.
	NotifyAsleep = "notifications/io.github.pagemcp/asleep"

	// NotifyServed, by the gateway, tells of reads that it has answered: reads, an array of objects
	// of assistant, callsItself, uri, reason, count, and bytes as in the audit of a page.
	NotifyServed = "notifications/io.github.pagemcp/served"
)
