// Package fit shows tools and prompts as the APIs of models accept them.
//
// A model API refuses the whole conversation for one tool whose name or schema it does not take.
// The rows of testdata/clients-accept have the rules, and which clients refuse what.
package fit

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"
)

// MaxName is the length of a name of a tool or prompt. Model APIs take 64 characters, of which
// hosts need some for a prefix such as mcp__pagemcp__.
const MaxName = 50 // characters

const hashLength = 6 // characters of the hash in a name, 30 bits

// A Fitter implements engine.Fitter.
type Fitter struct {
	// Taken reports whether a name belongs to another source of the same engine. Nil: none does.
	Taken func(name string) bool

	// Removed gets the name of each tool, and the rules at the top level of its schema that the
	// list lacks, or "". It must not block. May be nil.
	Removed func(tool, rules string)
}

// Names returns the names with characters of [A-Za-z0-9_-] only, at most MaxName of them. One that
// fits keeps its spelling. Another one has `_` for each other character; if it is too long or
// clashes, it ends with a hash of what its source calls it, so that it does not depend on the
// other names whether it means the same tool as before.
func (f Fitter) Names(names []string) []string {
	given := make(map[string]bool, len(names)) // names of this list, as shown
	spelled := make([]string, len(names))
	count := map[string]int{}
	for i, name := range names {
		if spelled[i] = spell(name); spelled[i] == name && len(name) <= MaxName {
			given[name] = true
		} else {
			count[spelled[i]]++
		}
	}
	shown := make([]string, len(names))
	for i, name := range names {
		one := spelled[i]
		if one == name && len(name) <= MaxName {
			shown[i] = name
			continue
		}
		what := name
		clashes := len(one) > MaxName || count[one] > 1 || given[one] || f.Taken != nil && f.Taken(one)
		for clashes {
			sum := sha256.Sum256([]byte(what))
			hash := strings.ToLower(base32.StdEncoding.EncodeToString(sum[:4])[:hashLength])
			one = spelled[i][:min(len(spelled[i]), MaxName-1-hashLength)] + "_" + hash
			what += "_" // only if a page has made a name that ends with the hash of another
			clashes = given[one]
		}
		given[one] = true
		shown[i] = one
	}
	return shown
}

// spell returns a name with `_` for each character that model APIs do not take.
func spell(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
}
