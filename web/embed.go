// Package web knows the version that npm package and Go module share.
package web

import (
	_ "embed"
	"strings"
)

//go:embed package.json
var packageJSON string

// Version returns the version in package.json, which is the program's too.
func Version() string {
	_, after, _ := strings.Cut(packageJSON, `"version": "`)
	version, _, _ := strings.Cut(after, `"`)
	return version
}
