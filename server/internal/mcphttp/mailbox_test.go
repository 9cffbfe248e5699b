package mcphttp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
)

// Messages wait until they are read, with one `updated` per URI.
func TestMailboxMergesUpdates(t *testing.T) {
	box := newMailbox()
	for i := range 1000 {
		msg := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:%d"}}`, i%100)
		box.put(msg, message.HeadOf(msg))
		log := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":%d}}`, i)
		box.put(log, message.HeadOf(log))
	}
	take := func() (all []string) {
		for msg, ok := box.next(nil); ok; msg, ok = box.next(nil) {
			all = append(all, string(msg))
		}
		return all
	}
	all := take()
	if len(all) != 100+limits.MaxQueued {
		t.Errorf("%d messages", len(all))
	}
	for _, msg := range all[:50] {
		box.requeue([]byte(msg))
		box.requeue([]byte(msg))
	}
	if !strings.Contains(all[len(all)-1], "999") || len(take()) != 50 {
		t.Errorf("the last: %s", all[len(all)-1])
	}
	for i := range 100 { // few, but large
		log := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"%d%0100000d"}}`, i, 0)
		box.put(log, message.HeadOf(log))
	}
	if all := take(); len(all) > 10 || !strings.Contains(all[len(all)-1], `"990000`) {
		t.Errorf("%d large messages are kept", len(all))
	}
}
