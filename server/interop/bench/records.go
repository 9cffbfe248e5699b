package main

import (
	"fmt"
	"strings"
)

// The records of web/bench/data.ts: how many there are, and the size of their texts.
const (
	records  = 10_000
	textSize = 1024 // bytes
)

func recordURI(n int) string { return fmt.Sprintf("app://records/item-%d", n) }

// recordText returns the text that web/bench/data.ts makes for a record.
func recordText(n int) string {
	line := fmt.Sprintf("%d\t\"quoted\" and back\\slashed, then the end of the line\n", n)
	return strings.Repeat(line, textSize/len(line)+1)[:textSize]
}
