package config

import (
	"maps"
	"slices"
	"strings"
)

// maxDistance is how many characters may be missing, additional or different in a key for
// another one to be suggested.
const maxDistance = 2

// nearest returns the key of known that word is probably meant to be, or "".
func nearest[V any](word string, known map[string]V) string {
	best, least := "", maxDistance+1
	for _, key := range slices.Sorted(maps.Keys(known)) {
		if d := distance(strings.ToLower(word), strings.ToLower(key)); d < least && d < len(key) {
			best, least = key, d
		}
	}
	return best
}

// distance returns the Levenshtein distance of two texts in bytes, or more than
// maxDistance if their lengths differ by more than that.
func distance(a, b string) int {
	if len(a) > len(b)+maxDistance || len(b) > len(a)+maxDistance {
		return maxDistance + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
