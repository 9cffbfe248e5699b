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
// Every door stands behind the same guard: Host, Origin and Sec-Fetch-Site are
// checked before anything is routed. Assistants show a bearer token, pages prove
// that they know a secret, and the gateway proves it to them first. By one more
// door, /watch, the playground sees what passes at the others, without secrets, and
// asks pages itself: see [Gateway.AllowMonitors].
package server
