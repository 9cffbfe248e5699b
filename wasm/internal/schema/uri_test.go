package schema

import (
	"strings"
	"testing"
)

// RFC 3986 by its characters. R-122 R-128 R-255.
func TestCheckURI(t *testing.T) {
	for uri, valid := range map[string]bool{
		"notes://cart": true, "idb:///a/b/n.1": true, "urn:x": true, "a+b-c.d:/x?y=%20#z": true, "x:": true, "notes+idb:///a": true,
		"": false, ":x": false, "no scheme": false, "1a:x": false, "+a:x": false, "notes://a b": false, "notes://ü": false,
		"notes://%": false, "notes://%4": false, "notes://%zz": false, "notes://\x00": false, "notes://\\": false, "notes://<>": false,
		"notes://" + strings.Repeat("x", MaxURI-8): true, "notes://" + strings.Repeat("x", MaxURI-7): false,
	} {
		if err := CheckURI(uri); (err == nil) != valid {
			t.Errorf("CheckURI(%.40q) is %v, want valid %v", uri, err, valid)
		}
	}
}
