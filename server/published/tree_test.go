package published

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// fetches matches texts that have their reader, or a program of the reader, run or install what
// has the project's names at a registry, or download it from its pages.
func fetches() *regexp.Regexp {
	name := `(?:` + regexp.QuoteMeta(Scope) + `/[\w-]+|` + regexp.QuoteMeta(Package) + `)(?:@[\w.$\{\}-]+)?(?:['"` + "`" + `\s,)\]]|$)`
	return regexp.MustCompile(strings.Join([]string{
		`\b(?:npx|bunx|pnpx)\b.{0,40}\b` + name,
		`\b(?:pnpm|yarn|bun|deno)\s+(?:dlx|add|i|install|x|create)\s(?:-\S+\s)*` + name,
		`\bnpm\s+(?:i|install|add|exec|x|create|init)\s(?:-\S+\s)*` + name,
		`["'\x60]` + regexp.QuoteMeta(Package) + `@[\d$%]`,
		`\bbrew\s+(?:install|tap)\b`,
		`\bgo\s+(?:install|run|get)\s+` + regexp.QuoteMeta(Module) + `\S*@`,
		`\bmarketplace\s+add\s+` + regexp.QuoteMeta(Owner) + `/`,
		`github\.com/` + regexp.QuoteMeta(Repository) + `/releases`,
		`(?:unpkg\.com|jsdelivr\.net/npm|esm\.sh|esm\.run|skypack\.dev)/` + regexp.QuoteMeta(Package) + `\b`,
		`\b(?:docker|podman)\s+(?:run|pull)\b.*\b` + regexp.QuoteMeta(Package),
		`\b(?:pip|pipx|uvx|cargo|gem|winget|scoop|choco|apt|apt-get)\s+(?:install\s+)?` + name,
		`"command":\s*"npx"`, `command: 'npx'`,
	}, "|"))
}

// allowed are the files that may have such a text, each with the reason. Readers see none of them.
var allowed = map[string]string{
	"server/published/texts/install.md":       "what a release says instead",
	"server/published/texts/start.md":         "what a release says instead",
	"server/published/texts/start.de.md":      "what a release says instead",
	"server/published/texts/start.ja.md":      "what a release says instead",
	"server/published/texts/start.zh-Hans.md": "what a release says instead",
	"server/published/texts/assistants.md":    "what a release says instead",
	"server/published/tree_test.go":           "this test",
	".goreleaser.yaml":                        "the addresses in the formula of a release",
	"web/test/release/artifacts.check.ts":     "a test of artifacts",
	"web/test/release/npm.check.ts":           "a test of artifacts, with a registry on loopback",
}

// Before the first release a name could be registered by another person, whose code readers
// would run. Texts of a release are in server/published/texts.
func TestTreeNamesNoPackageToRun(t *testing.T) {
	pattern := fetches()
	found := map[string]bool{}
	for file, text := range treeFiles(t) {
		for number, line := range slices.Collect(strings.SplitSeq(text, "\n")) {
			// Most lines have none of these, and the pattern is slow.
			if !strings.Contains(line, Package) && !strings.Contains(line, "brew") && !strings.Contains(line, "npx") || !pattern.MatchString(line) {
				continue
			}
			found[file] = true
			if allowed[file] == "" {
				t.Errorf("%s:%d names a package of a registry: %q. Name a program of the clone, or put the text into server/published/texts", file, number+1, pattern.FindString(line))
			}
		}
	}
	for file, reason := range allowed {
		if !found[file] {
			t.Errorf("%s (%s) has no such text: remove it from the list", file, reason)
		}
	}
}
