package gateway

import (
	"context"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/remote"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// serveHub serves a page to another node until port closes.
func (l *links) serveHub(ctx context.Context, v *views, p *page, port jsonrpc.Port) {
	l.hubOf(v, p).Serve(remote.WithHub(ctx), port) // its error concerns that node, which dials again
}

func (l *links) hubOf(v *views, p *page) *engine.Engine {
	v.mu.Lock()
	defer v.mu.Unlock()
	if p.hub == nil {
		p.hub = v.newHub(p)
		l.updateHubs(v)
	}
	return p.hub
}

func (v *views) newHub(p *page) *engine.Engine {
	o := &v.gateway.Options
	options := EngineOptions(o.Logging)
	options.MaxMessage += limits.MaxSlack // one hop more
	options.MaxInFlight, options.Timeout, options.UpdateInterval = maxHubInFlight, hubTime, hubUpdates
	options.StateKeys, options.Report = o.StateKeys(v.owner), v.gateway.logError
	options.Extend = p.remote.Request // the view decides who may
	hub := engine.New(o.Info, options)
	hub.Mount("", p.remote)
	return hub
}

// updateHubs lets each hub declare what its page does. The caller holds the lock.
func (l *links) updateHubs(v *views) {
	for _, p := range v.pages {
		if p.hub == nil {
			continue
		}
		p.hub.SetSkills(p.remote.HasSkills())
		p.hub.SetTasks(p.remote.HasTasks())
		p.hub.SetExtensions(otherExtensions(p.remote.Extensions()))
		if info, ok := p.remote.Info(); ok && info.Name != "" {
			p.hub.SetInfo(pageInfoOf(info).engineInfo())
		}
	}
}
