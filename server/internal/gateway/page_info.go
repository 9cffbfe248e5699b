package gateway

import (
	"net/url"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/plain"
)

// pageInfo is what a page declares about itself, cleaned: its author may be hostile, and
// assistants show it to models and users. /mcp/{page} serves it in place of the
// gateway's own. The maximum lengths are those of package engine.
type pageInfo struct {
	name, title, version, website, instructions string
}

func pageInfoOf(info engine.Info) pageInfo {
	return pageInfo{
		name:         plain.Text(info.Name, plain.MaxName),
		title:        plain.Text(info.Title, plain.MaxTitle),
		version:      plain.Text(info.Version, plain.MaxName),
		website:      webAddress(info.WebsiteURL),
		instructions: plain.Lines(info.Instructions, plain.MaxDescription),
	}
}

func (p pageInfo) engineInfo() engine.Info {
	return engine.Info{Name: p.name, Title: p.title, Version: p.version, WebsiteURL: p.website, Instructions: p.instructions}
}

// webAddress returns text if it is a valid http or https URL, else "".
func webAddress(text string) string {
	u, err := url.Parse(text)
	if err != nil || len(text) > limits.MaxURI || plain.Text(text, limits.MaxURI) != text || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return ""
	}
	return text
}

// pageInfo returns the info of the page that is served at path. It is empty at /mcp, and
// for a page that has not joined yet. The caller holds the lock.
func (v *views) pageInfo(path string) pageInfo {
	name, _ := access.PageOf(path)
	p := v.pages[name]
	if name == "" || p == nil {
		return pageInfo{}
	}
	info, ok := p.remote.Info()
	reported := pageInfoOf(info)
	if !ok || reported.name == "" { // Implementation.name is required
		return pageInfo{}
	}
	return reported
}

// updateDeclarations updates what each view declares, after a page has joined or its grace time has ended. The caller
// holds the lock.
func (v *views) updateDeclarations() {
	v.updateTabs()
	for path, at := range v.byPath {
		if reported := v.pageInfo(path); reported != at.info {
			at.info = reported
			if info := reported.engineInfo(); reported != (pageInfo{}) {
				at.engine.SetInfo(info)
			} else {
				at.engine.SetInfo(v.gateway.Options.Info)
			}
		}
	}
}
