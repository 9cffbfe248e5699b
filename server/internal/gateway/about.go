package gateway

import (
	"net/url"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// about is what a page says of itself, made safe: its author may be anybody, and
// assistants put it before models and people. At /mcp/{page} it takes the place of
// what the gateway says of itself. Limits are those of security.md §8.
type pageInfo struct {
	name, title, version, website, instructions string
}

func pageInfoOf(info engine.Info) pageInfo {
	return pageInfo{
		name:         engine.PlainText(info.Name, engine.MaxName),
		title:        engine.PlainText(info.Title, engine.MaxTitle),
		version:      engine.PlainText(info.Version, engine.MaxName),
		website:      webAddress(info.WebsiteURL),
		instructions: engine.PlainLines(info.Instructions, engine.MaxDescription),
	}
}

func (p pageInfo) engineInfo() engine.Info {
	return engine.Info{Name: p.name, Title: p.title, Version: p.version, WebsiteURL: p.website, Instructions: p.instructions}
}

// webAddress returns text if it is the URL of a web page, else nothing.
func webAddress(text string) string {
	u, err := url.Parse(text)
	if err != nil || len(text) > limits.MaxURI || engine.PlainText(text, limits.MaxURI) != text || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return ""
	}
	return text
}

// about returns what the page of a view says of itself; nothing at /mcp, and if
// the page was never here. The lock is held.
func (v *views) pageInfo(path string) pageInfo {
	name, _ := access.PageOf(path)
	p := v.pages[name]
	if name == "" || p == nil {
		return pageInfo{}
	}
	info, ok := p.remote.Info()
	reported := pageInfoOf(info)
	if !ok || reported.name == "" { // a name is required
		return pageInfo{}
	}
	return reported
}
