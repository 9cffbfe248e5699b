package hosted

import (
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/oauth"
)

const (
	pageMark    = 6                             // characters of the page key in a name: 30 bits
	maxPageBase = access.MaxName - 1 - pageMark // characters of a name before the page key
)

// pageName returns the name of a page, such as notes-k7qd2m. It is derived from the owner,
// the origin and the page's own id, so all nodes find the same name without a store, and
// so does a node after a restart. requested is the name that the page declares; it may
// contain any characters.
//
// Names are not secret and not unique: two pages of one owner have the same name with a
// probability of 2^-30. The newer one must get another id then.
func pageName(owner access.Owner, origin, page, requested string) string {
	base := access.TruncateName(access.SpellName(requested), maxPageBase)
	return base + "-" + oauth.PageKey(owner, origin, page)[:pageMark]
}
