package access

import (
	"strings"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// PageConcerned returns the name of the page that has to answer a request at endpoint; ""
// if that is not one page, as for lists of all. The name is the client's: there may be no
// such page.
func PageConcerned(endpoint string, x engine.Examination) string {
	if page, ok := PageOf(endpoint); ok && page != "" {
		return page
	}
	name, uri := x.Name, x.Name
	switch x.Method {
	case engine.MethodCallTool:
		uri = textMember(x.Arguments, "uri") // of a generated tool, as uris
		if all, _ := jsonrpc.Elements(jsonrpc.Member(x.Arguments, "uris")); len(all) > 0 {
			uri, _ = jsonrpc.Text(all[0])
		}
	case engine.MethodComplete, engine.MethodSubscribe:
		ref := jsonrpc.Member(x.Params, "ref")
		name, uri = textMember(ref, "name"), textMember(ref, "uri")+textMember(x.Params, "uri")
	}
	if page, _, ok := CutName(name); ok && x.Method != engine.MethodReadResource && ValidName(page) {
		return page
	}
	return PageOfURI(uri)
}

// PageOfURI returns the page that a URI at /mcp names by its prefix, or "".
func PageOfURI(uri string) string {
	if page, _, ok := strings.Cut(uri, "+"); ok && ValidName(page) {
		return page
	}
	return ""
}

// textMember returns a member of a JSON object that is a string; otherwise "".
func textMember(object []byte, name string) string {
	text, _ := jsonrpc.Text(jsonrpc.Member(object, name))
	return text
}
