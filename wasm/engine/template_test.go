package engine

import (
	"encoding/base64"
	"strings"
	"testing"
)

// A cursor keeps its place, and its form is checked. R-214 R-216.
func TestCursor(t *testing.T) {
	at := position{prefix: "notes+", nth: 2, cursor: "somewhere \x00 else"}
	cursor := writeCursor(listResourcesMethod, at)
	if got, err := readCursor(listResourcesMethod, cursor); got != at || err != nil {
		t.Errorf("read %+v, %v", got, err)
	}
	if _, err := readCursor(listTemplatesMethod, cursor); err == nil {
		t.Error("a cursor of one list is none of the other")
	}
	made := func(raw string) string { return base64.RawURLEncoding.EncodeToString([]byte(raw)) }
	for _, wrong := range []string{
		"", "A", cursor + "=", cursor + "\n", cursor[:5] + "\n" + cursor[5:], "*" + cursor[1:],
		made("r"), made("r\x00"), made("r\x00\x01"), made("r\x00\x07notes+"), made("r\x80\x00\x00"), made("r\x00\x80\x00"),
		made("r" + strings.Repeat("\xff", 11)), made("r\x00" + strings.Repeat("\xff", 9) + "\x01"),
	} {
		if got, err := readCursor(listResourcesMethod, wrong); err == nil {
			t.Errorf("%q was taken for %+v", wrong, got)
		}
	}
}
