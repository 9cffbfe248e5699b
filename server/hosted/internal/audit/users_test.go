package audit

import (
	"fmt"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

// The names of users behind owners are known up to a number, the latest ones.
func TestKnownUsersAreBounded(t *testing.T) {
	u := NewUsers()
	owner := func(i int) access.Owner { return access.Owner(fmt.Sprint("owner", i)) }
	for i := range maxUsers + 10 {
		u.Add(owner(i), "tenant", fmt.Sprint(i))
		u.Add(owner(i), "tenant", fmt.Sprint(i))
	}
	if len(u.known) != maxUsers || len(u.order) != maxUsers {
		t.Errorf("%d users are known, %d in order", len(u.known), len(u.order))
	}
	for i, want := range map[int]string{9: "", 10: "10", maxUsers + 9: fmt.Sprint(maxUsers + 9)} {
		if _, got := u.Of(owner(i)); got != want {
			t.Errorf("user %d is %q, want %q", i, got, want)
		}
	}
}
