package engine

import "github.com/pagemcp/pagemcp/wasm/jsonrpc"

// Requests of clients. MCP 2026-07-28 and the classic revisions; what each needs is in methods.go.
const (
	MethodPing          = "ping"
	MethodInitialize    = "initialize"
	MethodDiscover      = "server/discover"
	MethodListResources = "resources/list"
	MethodListTemplates = "resources/templates/list"
	MethodReadResource  = "resources/read"
	MethodSubscribe     = "resources/subscribe"
	MethodUnsubscribe   = "resources/unsubscribe"
	MethodListen        = "subscriptions/listen"
	MethodListTools     = "tools/list"
	MethodCallTool      = "tools/call"
	MethodListPrompts   = "prompts/list"
	MethodGetPrompt     = "prompts/get"
	MethodComplete      = "completion/complete"
	MethodSetLevel      = "logging/setLevel"
)

// Requests of servers, which clients answer.
const (
	MethodElicit    = "elicitation/create"
	MethodSample    = "sampling/createMessage"
	MethodListRoots = "roots/list"
)

// Notifications.
const (
	MethodCancelled        = jsonrpc.MethodCancelled
	MethodInitialized      = "notifications/initialized"
	MethodProgress         = "notifications/progress"
	MethodMessage          = "notifications/message"
	MethodUpdated          = "notifications/resources/updated"
	MethodResourcesChanged = "notifications/resources/list_changed"
	MethodPromptsChanged   = "notifications/prompts/list_changed"
	MethodToolsChanged     = "notifications/tools/list_changed"
	MethodAcknowledged     = "notifications/subscriptions/acknowledged"
)
