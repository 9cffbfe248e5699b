package engine

import (
	"github.com/pagemcp/pagemcp/wasm/plain"
	"github.com/pagemcp/pagemcp/wasm/schema"
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
