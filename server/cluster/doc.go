// Package cluster connects the nodes of a hosted gateway by NATS: it finds the node that
// has a page, and carries MCP between two nodes over links.
//
// It uses core NATS, which delivers a message at most once and keeps the order of one
// publisher on one subject (docs.nats.io, core-nats). Links add what is missing: numbered
// frames, windows and timeouts. A link that misses a frame ends; nothing is repaired.
//
// All nodes of a cluster trust each other. What they send is sealed with keys that they share:
// other users of the NATS account can delay and drop messages, and nothing else.
package cluster
