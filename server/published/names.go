// Package published has the names under which PageMCP is published, and the texts that tell
// readers to install it by those names. Until they are registered no text of the repository
// has them: another person could register a name first, and readers would run that person's code.
package published

// The names, in this file alone. After a change, `make version` writes them into the files that
// cannot import it; each import of a Go file begins with Module.
const (
	Module     = "github.com/pagemcp/pagemcp" // of Go
	Package    = "pagemcp"                    // on npm
	Scope      = "@pagemcp"                   // on npm, of the packages with programs
	Tap        = "pagemcp/tap"                // of Homebrew; its repository is homebrew-tap
	Owner      = "pagemcp"                    // on GitHub
	Repository = "pagemcp/pagemcp"            // on GitHub; also the marketplace of Claude Code
	RegistryID = "io.github.pagemcp/pagemcp"  // in the MCP registry
	AddOn      = "extension@pagemcp.github.io"
	Site       = "https://github.com/pagemcp/pagemcp"
)
