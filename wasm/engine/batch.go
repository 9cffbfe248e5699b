package engine

import (
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Batches exist in 2025-03-26 alone: an array of messages, whose responses are one
// array. MCP 2025-03-26, basic, Batching; JSON-RPC 2.0, section 6.

// A batch is one array of messages whose responses are not complete.
type batch struct {
	waiting   int // calls without an outcome, and one more while calls are opened
	responses []byte
	batched   int // bytes of these that the sink counts
}

// add adds a response; the sink's mu is held.
func (b *batch) add(s *portSink, response []byte) {
	separator := byte(',')
	if len(b.responses) == 0 {
		separator = '['
	}
	b.responses = append(append(b.responses, separator), response...)
	b.batched += len(response)
	s.batched += len(response)
}

// done counts a call that has its outcome, and writes the array after the last one;
// the sink's mu is held.
func (b *batch) done(s *portSink) {
	if b.waiting--; b.waiting > 0 || len(b.responses) == 0 {
		return
	}
	s.batched -= b.batched
	s.enqueue(append(b.responses, ']'))
}

func emptyBatch() *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "A batch must not be empty"}
}

// beginBatch begins a batch, until endBatch: calls that are opened meanwhile belong to it.
func (s *portSink) beginBatch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = &batch{waiting: 1}
	if s.batches == nil {
		s.batches = map[sink.Call]*batch{}
	}
}

func (s *portSink) endBatch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.current
	s.current = nil
	b.done(s)
}

// answer writes the response of a call, or notes that there is none: nil. That of a
// call in a batch waits for the others. s.mu is held.
func (s *portSink) answer(call sink.Call, response []byte) {
	b := s.batches[call]
	delete(s.batches, call)
	switch {
	case b != nil:
		if response != nil {
			b.add(s, response)
		}
		b.done(s)
	case response != nil:
		s.enqueue(response)
	}
}
