package mcpschema

// results are the types of results by the method of the request; of every other
// method a result is a Result.
var results = map[string]string{
	"initialize":               "InitializeResult",
	"ping":                     "EmptyResult",
	"server/discover":          "DiscoverResult",
	"resources/list":           "ListResourcesResult",
	"resources/templates/list": "ListResourceTemplatesResult",
	"resources/read":           "ReadResourceResult",
	"resources/subscribe":      "EmptyResult",
	"resources/unsubscribe":    "EmptyResult",
	"subscriptions/listen":     "SubscriptionsListenResult",
	"prompts/list":             "ListPromptsResult",
	"prompts/get":              "GetPromptResult",
	"tools/list":               "ListToolsResult",
	"tools/call":               "CallToolResult",
	"completion/complete":      "CompleteResult",
	"logging/setLevel":         "EmptyResult",
}

// serverMessages are the types of what an engine sends: requests to classic clients, and notifications.
var serverMessages = map[string]string{
	"ping":                   "PingRequest",
	"sampling/createMessage": "CreateMessageRequest",
	"elicitation/create":     "ElicitRequest",
	"roots/list":             "ListRootsRequest",

	"notifications/cancelled":                  "CancelledNotification",
	"notifications/progress":                   "ProgressNotification",
	"notifications/message":                    "LoggingMessageNotification",
	"notifications/resources/updated":          "ResourceUpdatedNotification",
	"notifications/resources/list_changed":     "ResourceListChangedNotification",
	"notifications/prompts/list_changed":       "PromptListChangedNotification",
	"notifications/tools/list_changed":         "ToolListChangedNotification",
	"notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
	"notifications/elicitation/complete":       "ElicitationCompleteNotification",
}

// errorTypes are the types of errors in 2026-07-28; true: the type is that of
// the whole response.
var errorTypes = map[int]struct {
	name  string
	whole bool
}{
	-32700: {"ParseError", false},
	-32600: {"InvalidRequestError", false},
	-32601: {"MethodNotFoundError", false},
	-32602: {"InvalidParamsError", false},
	-32603: {"InternalError", false},
	-32020: {"HeaderMismatchError", true},
	-32021: {"MissingRequiredClientCapabilityError", true},
	-32022: {"UnsupportedProtocolVersionError", true},
}
