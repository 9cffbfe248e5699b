package mcpschema

import (
	"encoding/json"
	"errors"
	"fmt"
)

// The extension for tasks (SEP-2663) is in no official schema of a revision: its types are always those of the playground's table.

// extensionResults are the types of results of extensions by the method of the request.
var extensionResults = map[string]string{
	"tasks/get":    "TaskResult",
	"tasks/update": "EmptyResult",
	"tasks/cancel": "EmptyResult",
}

// extensionNotifications are the types of params, and the request whose subscription a
// notification names.
var extensionNotifications = map[string]struct{ params, of string }{
	"notifications/tasks": {"TaskNote", "subscriptions/listen"},
}

// validateExtension compares a value with a type of an extension.
func validateExtension(typeName string, value any) error {
	dir, err := derived()
	if err != nil {
		return err
	}
	return (&Schemas{dir: dir}).Validate(R20260728, typeName, value)
}

// checkExtensionResult checks a result of an extension; isOne is false for one of the revision.
func checkExtensionResult(method string, result map[string]json.RawMessage, whole any) (isOne bool, err error) {
	kind := string(result["resultType"])
	if method == "tools/call" && kind == `"task"` {
		return true, validateExtension("CreateTaskResult", whole)
	}
	name, isOne := extensionResults[method]
	switch {
	case !isOne:
		return false, nil
	case kind != `"complete"`:
		return true, fmt.Errorf("resultType %s", kind)
	}
	return true, validateExtension(name, whole)
}

// checkExtensionNotification checks a notification of an extension.
func (c *Conversation) checkExtensionNotification(m message, whole map[string]any) error {
	kind := extensionNotifications[m.Method]
	subscription := m.Params.Meta[metaSubscription]
	if subscription == nil {
		return fmt.Errorf("%s without a subscription", m.Method)
	}
	req, ok := c.requests[string(subscription)]
	if !ok || req.method != kind.of {
		return fmt.Errorf("%s for subscription %s, which is no open %s", m.Method, subscription, kind.of)
	}
	if kind.of == "subscriptions/listen" && !req.acked {
		return fmt.Errorf("%s for subscription %s: acknowledged is the first", m.Method, subscription)
	}
	req.acked = true
	c.requests[string(subscription)] = req
	params, ok := whole["params"].(map[string]any)
	if !ok {
		return errors.New("params is missing")
	}
	return validateExtension(kind.params, params)
}

// withoutExtensions removes the members of extensions from the filter of an acknowledgement.
func withoutExtensions(whole map[string]any) {
	params, _ := whole["params"].(map[string]any)
	if filter, ok := params["notifications"].(map[string]any); ok {
		delete(filter, "taskIds")
	}
}
