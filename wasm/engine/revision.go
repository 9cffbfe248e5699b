package engine

// LatestModern is the revision that the engine is written for.
const LatestModern = "2026-07-28"

// LatestClassic is the newest revision that begins with initialize.
const LatestClassic = "2025-11-25"

// A revision is a version of the protocol, in order, so that "since" is >=.
type revision uint8

const (
	rev2024         revision = iota + 1 // 2024-11-05
	rev2025March                        // 2025-03-26
	rev2025June                         // 2025-06-18
	rev2025November                     // 2025-11-25
	modern                              // 2026-07-28
)

// revisions has their names, oldest first.
var revisions = [...]string{"2024-11-05", "2025-03-26", "2025-06-18", LatestClassic, LatestModern}

func (r revision) String() string { return revisions[r-1] }

// hasTitles: title, and _meta on resources, templates and contents.
func (r revision) hasTitles() bool { return r >= rev2025June }

// hasIcons: icons, and description and websiteUrl of an implementation.
func (r revision) hasIcons() bool { return r >= rev2025November }

// hasBatches: several messages in one array.
func (r revision) hasBatches() bool { return r == rev2025March }

// negotiate returns what initialize answers to a requested version: that very
// one, or the newest classic one. A modern version is never negotiated.
func negotiate(requested string) revision {
	for r := rev2024; r < modern; r++ {
		if r.String() == requested {
			return r
		}
	}
	return rev2025November
}

// ClassicVersion returns the version that initialize answers to a request for
// requested.
func ClassicVersion(requested string) string { return negotiate(requested).String() }
