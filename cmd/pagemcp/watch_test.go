package main

import (
	"strings"
	"testing"
)

func TestWatchChecksItsFlags(t *testing.T) {
	state := t.TempDir()
	for words, want := range map[string]string{
		"watch --settle 0s":          "--settle must be above 0",
		"watch --settle 2m":          "--settle must be above 0 and at most 1m0s",
		"watch --as Claude":          "--as: the name",
		"watch --state " + state:     "no gateway is running",
		"watch x:y --state " + state: "no gateway is running",
	} {
		if _, err := runForOutput(t, strings.Fields(words)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", words, err, want)
		}
	}
}
