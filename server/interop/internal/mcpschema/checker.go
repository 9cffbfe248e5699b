package mcpschema

import (
	"errors"
	"fmt"
	"sync"
)

// A Checker compares the messages of many conversations. Its methods may be called
// concurrently.
type Checker struct {
	schemas *Schemas

	mu            sync.Mutex
	conversations map[string]*Conversation
	count         int // messages of servers
	wrong         []error
}

// Checker returns a Checker without conversations.
func (s *Schemas) Checker() *Checker {
	return &Checker{schemas: s, conversations: map[string]*Conversation{}}
}

// Record takes a message of a conversation; from is client or server.
func (c *Checker) Record(conversation, from string, message []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.conversations[conversation]
	if one == nil {
		one = c.schemas.Conversation()
		c.conversations[conversation] = one
	}
	if from == "client" {
		one.FromClient(message)
		return
	}
	c.count++
	if err := one.Check(message); err != nil {
		c.wrong = append(c.wrong, fmt.Errorf("%s: %w\n  <- %.2000s", conversation, err, message))
	}
}

// Count returns how many messages of servers were compared.
func (c *Checker) Count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count
}

// Err returns what was wrong with them.
func (c *Checker) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return errors.Join(c.wrong...)
}
