// Package web contains what the program knows of the web files: the version that npm package
// and Go module share, and the entries about error messages.
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
