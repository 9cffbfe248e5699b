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
type about struct {
	name, title, version, website, instructions string
}

func aboutOf(info engine.Info) about {
	return about{
		name:         engine.PlainText(info.Name, engine.MaxName),
		title:        engine.PlainText(info.Title, engine.MaxTitle),
		version:      engine.PlainText(info.Version, engine.MaxName),
		website:      webAddress(info.WebsiteURL),
		instructions: engine.PlainLines(info.Instructions, engine.MaxDescription),
	}
}

func (a about) info() engine.Info {
	return engine.Info{Name: a.name, Title: a.title, Version: a.version, WebsiteURL: a.website, Instructions: a.instructions}
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
func (v *views) about(path string) about {
	name, _ := access.PageOf(path)
	p := v.pages[name]
	if name == "" || p == nil {
		return about{}
	}
	info, ok := p.remote.Info()
	says := aboutOf(info)
	if !ok || says.name == "" { // a name is required
		return about{}
	}
	return says
}
