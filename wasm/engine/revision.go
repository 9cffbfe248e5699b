package engine

const (
	LatestModern         = "2026-07-28" // the revision that the engine is written for
	latestClassicVersion = "2025-11-25" // the newest revision that begins with initialize
)

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
var revisions = [...]string{"2024-11-05", "2025-03-26", "2025-06-18", latestClassicVersion, LatestModern}

func (r revision) String() string { return revisions[r-1] }

// Ends of the range of revisions.
const (
	oldest        = rev2024
	latestClassic = rev2025November
)

// What a revision has. These methods, and introducedIn, have all differences between
// revisions of the same era.

// hasCompletions: the capability completions.
func (r revision) hasCompletions() bool { return r >= rev2025March }

// hasProgressMessages: message in notifications/progress.
func (r revision) hasProgressMessages() bool { return r >= rev2025March }

// hasAudio: blocks of the type audio.
func (r revision) hasAudio() bool { return r >= rev2025March }

// hasLinks: blocks of the type resource_link.
func (r revision) hasLinks() bool { return r >= rev2025June }

// hasStructured: structuredContent in results of tools.
func (r revision) hasStructured() bool { return r >= rev2025June }

// hasElicitation: elicitation/create.
func (r revision) hasElicitation() bool { return r >= rev2025June }

// hasElicitationModes: mode in elicitation/create, form or url.
func (r revision) hasElicitationModes() bool { return r >= rev2025November }

// hasTitles: title, and _meta on resources, templates and contents.
func (r revision) hasTitles() bool { return r >= rev2025June }

// hasIcons: icons, and websiteUrl of an implementation.
func (r revision) hasIcons() bool { return r >= rev2025November }

// hasAllOfBlocks: no member of a block of content is newer.
func (r revision) hasAllOfBlocks() bool { return r >= rev2025November }

// introducedIn returns the revision that a member of a description, or of a block of
// content, appeared in.
func introducedIn(name string, isTool bool) revision {
	switch name {
	case "title", "_meta", "outputSchema":
		return rev2025June
	case "icons":
		return rev2025November
	case "annotations":
		if isTool {
			return rev2025March
		}
	}
	return rev2024
}

// negotiate returns what initialize answers to a requested version: that very
// one, or the newest classic one. A modern version is never negotiated.
func negotiate(requested string) revision {
	for r := oldest; r < modern; r++ {
		if r.String() == requested {
			return r
		}
	}
	return latestClassic
}

// ClassicVersion returns the version that initialize answers to a request for
// requested.
func ClassicVersion(requested string) string { return negotiate(requested).String() }
