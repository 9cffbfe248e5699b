//go:build !release

package site

var archive []byte
