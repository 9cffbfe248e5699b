package mcphttp

import (
	"container/list"
	"context"
	"sync"

	json "github.com/go-json-experiment/json"
)

// A memoryStore keeps sessions in the memory of this process. If they use too much of it, those of
// the owner that has most are removed, the ones that were saved first. The zero value is empty.
type memoryStore struct {
	mu     sync.Mutex
	owners map[string]*ownerMemory
	size   int // bytes
}

type ownerMemory struct {
	byID  map[string]*list.Element // of order
	order list.List                // of memoryDocument, saved last at the back
	size  int                      // bytes
}

type memoryDocument struct {
	id   string
	text []byte // JSON, so that no session shares memory with it
}

const (
	maxMemory      = 64 << 20 // bytes
	memoryOverhead = 256      // bytes of a document besides its text
)

// Load implements [SessionStore].
func (m *memoryStore) Load(_ context.Context, owner, id string) (*Stored, error) {
	text := m.text(owner, id)
	if text == nil {
		return nil, nil
	}
	s := new(Stored)
	return s, json.Unmarshal(text, s)
}

func (m *memoryStore) text(owner, id string) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if own := m.owners[owner]; own != nil && own.byID[id] != nil {
		return own.byID[id].Value.(memoryDocument).text
	}
	return nil
}

// Save implements [SessionStore].
func (m *memoryStore) Save(_ context.Context, s *Stored) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	s.Version = 1 // there is no other writer
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remove(s.Owner, s.ID)
	own := m.owners[s.Owner]
	if own == nil {
		own = &ownerMemory{byID: map[string]*list.Element{}}
		if m.owners == nil {
			m.owners = map[string]*ownerMemory{}
		}
		m.owners[s.Owner] = own
	}
	own.byID[s.ID] = own.order.PushBack(memoryDocument{s.ID, text})
	own.size += memoryOverhead + len(text)
	m.size += memoryOverhead + len(text)
	for m.size > maxMemory {
		heaviest := s.Owner
		for owner, other := range m.owners {
			if other.size > m.owners[heaviest].size {
				heaviest = owner
			}
		}
		m.remove(heaviest, m.owners[heaviest].order.Front().Value.(memoryDocument).id)
	}
	return nil
}

// Delete implements [SessionStore].
func (m *memoryStore) Delete(_ context.Context, owner, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remove(owner, id)
	return nil
}

// remove removes a document, if there is one. The caller holds the lock.
func (m *memoryStore) remove(owner, id string) {
	own := m.owners[owner]
	if own == nil || own.byID[id] == nil {
		return
	}
	size := memoryOverhead + len(own.order.Remove(own.byID[id]).(memoryDocument).text)
	delete(own.byID, id)
	m.size -= size
	if own.size -= size; len(own.byID) == 0 {
		delete(m.owners, owner)
	}
}
