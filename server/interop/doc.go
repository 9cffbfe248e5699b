// Package interop tests the gateway with MCP clients of others, and compares what tests
// recorded with the specification's schemas.
//
// It is a module of its own, so that the modules it needs are not among those of a
// program that embeds the gateway.
package interop
