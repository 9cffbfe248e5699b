package main

import (
	"strings"
	"testing"
)

func TestLogIsOneLineWithoutControlCharacters(t *testing.T) {
	var out strings.Builder
	log := (&settings{logLevel: "info"}).logger(streams{err: &out})
	log.Info("page joined", "page", "notes", "origin", "http://localhost:5173")
	log.Error("read \x1b[2J\nx", "file", "a\tb")
	log.Warn(`write C:\Users\A B\token`, "file", `C:\Users\A B\token`)
	log.Debug("not shown")
	want := "msg=\"page joined\" page=notes origin=http://localhost:5173\n" + `level=ERROR msg="read \x1b[2J\nx" file="a\tb"` + "\n" +
		`level=WARN msg="write C:\Users\A B\token" file="C:\Users\A B\token"` + "\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
