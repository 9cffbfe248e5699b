package ring

import (
	"context"
	"errors"
)

// A Bucket is a part of a key-value store that all nodes share. Keys consist of letters, digits,
// `-` and `.`. Values expire some time after they were written. Its methods may be called
// concurrently, and return soon after ctx ends.
type Bucket interface {
	// Get returns a value and its revision. Revision 0 without error: there is none.
	Get(ctx context.Context, key string) (value []byte, revision uint64, err error)

	// Put writes a value and returns its revision, which is above 0 and differs from earlier
	// ones of the key. The error wraps ErrRevision if the present revision is not last, which
	// is 0 for a key without value, or AnyRevision.
	Put(ctx context.Context, key string, value []byte, last uint64) (revision uint64, err error)

	// Delete removes a value. There need not be one.
	Delete(ctx context.Context, key string) error

	// Watch calls changed for all present values, once with the key "" after them, and for
	// each value that is written or deleted later; a deleted value is nil, and an expired one
	// need not be reported. It returns when ctx ends, or with an error: the caller tries again.
	Watch(ctx context.Context, changed func(key string, value []byte)) error
}

// AnyRevision as the last revision of Put replaces whatever is there.
const AnyRevision = ^uint64(0)

// ErrRevision is the error of Bucket.Put for a key that another writer has written.
var ErrRevision = errors.New("another revision is stored")

// A Store is what the nodes of a deployment share.
type Store struct {
	Nodes    Bucket // values expire after Expiry
	Sessions Bucket // values expire after SessionExpiry

	// Host is the IP address of this machine as the servers of the store see it: other nodes
	// are expected to reach this one by it.
	Host func() (string, error)

	Close func()
}
