// Package cluster tests nodes of the hosted gateway and NATS servers as processes.
package cluster
