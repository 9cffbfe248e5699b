// Package jsonrpc reads and writes JSON-RPC 2.0 messages and carries them.
//
// A [Port] moves whole messages, whatever the channel is: two ends of a [Pipe],
// newline-delimited streams ([Lines]), a WebSocket, an HTTP exchange. [Parse]
// turns the bytes of one message into a [Message] without interpreting what it
// does not need: an [ID] stays the token that was sent, params and results stay
// JSON text. A [Conn] is the calling side: it sends requests under ids of its
// own and matches the answers.
//
// What MCP requires beyond JSON-RPC is decided here once, for every channel: ids are
// strings or integers, never null; names appear once and in the right case;
// nesting is bounded. See MCP 2026-07-28, basic/index.
package jsonrpc
