// Package ring lets several nodes of a hosted gateway serve as one: each owner lives on one
// node, its home, and every other node passes requests and pages of this owner on to it.
//
// Locks: Nodes.mu and Front.mu are never held together, nor across a call of others.
package ring
