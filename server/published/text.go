package published

import (
	"embed"
	"fmt"
	"regexp"
	"strings"
)

// texts has what a release says instead of each marked part of a document.
//
//go:embed texts
var texts embed.FS

// marked matches a part of a document that holds until the first release. The name of the part
// is that of the file in texts. Markers stand on lines of their own.
func marked() *regexp.Regexp {
	return regexp.MustCompile(`(?ms)^([ \t]*)<!-- until the first release: ([\w.-]+) -->\n(.*?)^[ \t]*<!-- end -->\n`)
}

// Text returns a document for readers of this build: with the parts that hold until the first
// release, or, if the names are registered, with those of the given version. It has no markers.
func Text(document []byte, version string) ([]byte, error) {
	return text(document, version, Registered)
}

func text(document []byte, version string, registered bool) ([]byte, error) {
	var failed error
	pattern := marked()
	out := pattern.ReplaceAllFunc(document, func(part []byte) []byte {
		found := pattern.FindSubmatch(part)
		if !registered {
			return found[3]
		}
		released, err := releasePart(string(found[2]), string(found[1]), version)
		if err != nil {
			failed = err
		}
		return released
	})
	if failed == nil && strings.Contains(string(out), "<!-- until the first release") {
		failed = fmt.Errorf("a part that holds until the first release has no name or no end")
	}
	return out, failed
}

// Part returns a text of a release by the name of its file in texts.
func Part(name, version string) ([]byte, error) { return releasePart(name, "", version) }

// releasePart returns the text of a release for a marked part, indented as its marker. In it
// {Package} and the like are replaced, by strings.Replacer: text/template would keep all methods
// of all types in the program.
func releasePart(name, indent, version string) ([]byte, error) {
	source, err := texts.ReadFile("texts/" + name + ".md")
	if err != nil {
		return nil, fmt.Errorf("read the text of a release: %w", err)
	}
	values := []string{
		"{Module}", Module, "{Package}", Package, "{Scope}", Scope, "{Tap}", Tap, "{Repository}", Repository, "{Site}", Site,
		"{Version}", version, "{Releases}", "https://github.com/" + Repository + "/releases",
	}
	for _, link := range InstallLinks(version) {
		values = append(values, "{"+link.Client+"}", link.String())
	}
	text := strings.NewReplacer(values...).Replace(string(source))
	var indented strings.Builder
	for line := range strings.Lines(text) {
		if line != "\n" {
			indented.WriteString(indent)
		}
		indented.WriteString(line)
	}
	return []byte(indented.String()), nil
}
