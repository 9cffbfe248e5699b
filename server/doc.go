// Package server is the gateway: the Go process between assistants and web pages.
//
// It has an MCP engine of its own, the same that pages run, and mounts each page that has
// joined as a Remote. Assistants and pages have separate MCP connections:
//
//	assistant ── HTTP, /ws or stdio, any revision ──▶ engine of the gateway
//	                                                   └─ "notes+"  Remote ── /page, 2026-07-28 ──▶ engine of a page
//
// Its engines have three tools that read resources, for assistants that support tools
// only. Requests of a page to the assistant during a call, like elicitation, are sent on
// the stream of that call.
//
// Each request passes the same guard, which checks Host, Origin and Sec-Fetch-Site before
// routing. Assistants send a bearer token. Pages and gateway prove to each other that they
// know a shared secret, the gateway first. At /watch the playground monitors the traffic
// of other clients, with secrets redacted, and sends requests: see
// [Door].
//
// This package has the parts of a gateway for one local user: pairing, page names, token,
// state directory, standard streams. Packages below server/internal have what any gateway
// needs: gateway (pages, and views of them by owner), mcphttp (Streamable HTTP), access
// (guard, limits, audit), socket (WebSockets) and monitor.
package server
