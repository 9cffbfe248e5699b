package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// What policy needs besides Options.Allow: the descriptions of tools, and changes of lists.

// mayOnlyRead reports whether a client may run only tools that say that they change nothing.
func (e *Engine) mayOnlyRead(who Principal) bool {
	return e.options.ReadOnly != nil && e.options.ReadOnly(who)
}

// onlyReads reports whether a tool says that it changes nothing. It is a statement of the
// page, which no one checks. MCP 2026-07-28, server/tools, annotations.
func onlyReads(tool Item) bool {
	return string(jsonrpc.Member(jsonrpc.Member(tool.JSON, "annotations"), "readOnlyHint")) == "true"
}

// mayShow reports whether an entry of a mount is in the lists of a client.
func (e *Engine) mayShow(who Principal, m *mount, k Kind, item *Item) bool {
	return e.options.Allow(who, VerbList, k.scheme+m.prefixOf(k)+item.Key) &&
		(k != Tools || !e.mayOnlyRead(who) || onlyReads(*item))
}

// mayRun returns an error if the client may only read, and the tool name of source may change
// something, or if the user does not allow it. It requests the description from the source only
// if the decision needs it.
func (e *Engine) mayRun(ctx context.Context, req *Request, source Tooler, name string) error {
	readsOnly, g := e.mayOnlyRead(req.who), e.grants.Load()
	asks := g != nil || e.options.Ask != nil && !req.client.isOwnPage() // an open page asks about some tools
	if !readsOnly && !asks {
		return nil
	}
	tool, err := itemNamed(ctx, source, Tools, name)
	switch {
	case err != nil:
		return err
	case readsOnly && !onlyReads(tool):
		return errReadOnly
	case !asks || req.client.isOwnPage():
		return nil
	}
	q := &AccessQuestion{right: grantAct, Tool: tool.JSON, Arguments: req.arguments}
	if onlyReads(tool) {
		q.right = grantRead
	} else if isTrue(jsonrpc.Member(jsonrpc.Member(tool.JSON, "annotations"), "destructiveHint")) {
		q.tool = tool.Key
	}
	if g == nil && q.tool == "" {
		return nil
	}
	return e.admitOne(ctx, cmp.Or(g, openTable), req, q)
}

// itemNamed returns an entry of a source.
func itemNamed(ctx context.Context, source Source, k Kind, name string) (Item, error) {
	listing, err := source.List(ctx, k, "")
	if err != nil {
		return Item{}, err
	}
	at := slices.IndexFunc(listing.Items, func(item Item) bool { return k.compared(item.Key) == k.compared(name) })
	if at < 0 {
		return Item{}, ErrNotFound
	}
	return listing.Items[at], nil
}

// seesLists reports whether a client gets the changes of the lists of the source at prefix.
func (e *Engine) seesLists(who Principal, prefix string) bool {
	return e.options.Sees == nil || e.options.Sees(who, prefix)
}
