package engine

import (
	"cmp"
	"context"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// What policy needs besides Options.Allow: the descriptions of tools, and changes of lists.

// mayOnlyRead reports whether a client may run only tools that say that they change nothing.
func (e *Engine) mayOnlyRead(who Principal) bool {
	return e.options.ReadOnly != nil && e.options.ReadOnly(who)
}

// onlyReads reports whether a tool says that it changes nothing. It is a statement of the
// page, which no one checks. MCP 2026-07-28, server/tools, annotations.
func onlyReads(tool Tool) bool {
	return string(jsonrpc.Member(jsonrpc.Member(tool.Object, "annotations"), "readOnlyHint")) == "true"
}

// hides reports whether a tool is not in the lists of a client, since it may only read.
func (e *Engine) hides(who Principal, tool Tool) bool { return e.mayOnlyRead(who) && !onlyReads(tool) }

// mayRun returns an error if the client may only read, and the tool name of source may change
// something, or if the user does not allow it. It requests the description from the source only
// if the decision needs it.
func (e *Engine) mayRun(ctx context.Context, req *request, source Tooler, name string) error {
	readsOnly, g := e.mayOnlyRead(req.who), e.grants.Load()
	asks := g != nil || e.options.Ask != nil && !req.client.isOwnPage() // an open page asks about some tools
	if !readsOnly && !asks {
		return nil
	}
	all, err := source.Tools(ctx)
	if err != nil {
		return err
	}
	for _, tool := range all {
		if tool.Name != name {
			continue
		}
		switch {
		case readsOnly && !onlyReads(tool):
			return errReadOnly
		case g != nil || asks && isDestructive(tool):
			return e.admitTool(ctx, cmp.Or(g, openTable), req, tool)
		}
		return nil
	}
	return ErrNotFound
}

// seesLists reports whether a client gets the changes of the lists of the source at prefix.
func (e *Engine) seesLists(who Principal, prefix string) bool {
	return e.options.Sees == nil || e.options.Sees(who, prefix)
}
