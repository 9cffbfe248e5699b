// Package server is the gateway: the Go process between assistants and pages.
//
// It answers MCP itself, with the engine that pages run too, and mounts every
// page that joined as a Remote. So there are two MCP conversations, never one
// that is passed through:
//
//	assistant ── HTTP, /ws or stdio, any revision ──▶ engine of the gateway
//	                                                   └─ "notes+"  Remote ── /page, 2026-07-28 ──▶ engine of a page
//
// Its engines have one source of their own: three tools that read resources, for
// assistants that know tools alone. What a page asks its assistant while a call
// runs, elicitation for example, goes to the stream that the call came by.
//
// Each request passes the same guard: Host, Origin and Sec-Fetch-Site are checked
// before anything is routed. Assistants show a bearer token, pages prove that they
// know a secret, and the gateway proves it to them first. At /watch the playground
// sees the traffic of the others, without secrets, and sends requests itself: see
// [Gateway.AllowMonitors].
//
// What is local stands here: pairing, page names, token, state directory, standard
// streams. What any gateway needs is in server/internal: gateway (pages, and views of
// them by owner), mcphttp (Streamable HTTP), access (who may do what), socket, monitor.
package server
