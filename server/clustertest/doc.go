// Package clustertest runs nodes of a hosted gateway as processes, with simulated pages and
// assistants, and measures them. It has tests and benchmarks only.
package clustertest
