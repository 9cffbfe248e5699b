package engine

import (
	"github.com/pagemcp/pagemcp/wasm/internal/hop"
	"github.com/pagemcp/pagemcp/wasm/internal/plain"
	"github.com/pagemcp/pagemcp/wasm/internal/schema"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// SetInfo replaces the Info, from the next result on: a gateway learns it from the page
// that it serves. Classic sessions keep that of their initialize. It is for engines
// without OnForget: the old documents are not passed to it.
func (e *Engine) SetInfo(info Info) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f := newFixed(info, &e.options)
	e.fixed.Store(f)
	e.discovery.Store(f.discover(&e.options))
	e.skeletons.Store(new([]skeleton))
	e.mounted++ // kept pages of lists begin with the old one
}

// plain cleans an Info. ok is false if its icons are not valid; they are left out then.
func (i *Info) plain() (ok bool) {
	i.Name = plain.Member("name", i.Name)
	i.Title = plain.Member("title", i.Title)
	i.Version = plain.Member("name", i.Version)
	i.WebsiteURL = plain.Text(i.WebsiteURL, schema.MaxURI)
	i.Instructions = plain.Member("instructions", i.Instructions)
	if ok = i.Icons == nil || schema.ValidIcons(i.Icons); ok {
		i.Icons, ok = plain.JSON("icons", i.Icons)
	}
	if !ok {
		i.Icons = nil
	}
	return ok
}

// Info returns the Info of the other engine, unchanged and without Icons; false if it has
// not arrived yet.
func (r *Remote) Info() (Info, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.info, r.info.Name != ""
}

// infoOf returns the Info in a result of discover.
func infoOf(discovered []byte) (info Info) {
	server := jsonrpc.Member(jsonrpc.Member(discovered, "_meta"), hop.KeyServerInfo)
	for _, member := range [...]struct {
		name  string
		value *string
	}{{"name", &info.Name}, {"title", &info.Title}, {"version", &info.Version}, {"websiteUrl", &info.WebsiteURL}} {
		*member.value, _ = jsonrpc.Text(jsonrpc.Member(server, member.name))
	}
	info.Instructions, _ = jsonrpc.Text(jsonrpc.Member(discovered, "instructions"))
	return info
}
