//go:build release

package site

import _ "embed"

// archive is made by cmd/release. Without the file this does not compile, so that a
// release cannot lack it.
//
//go:embed site.zip
var archive []byte
