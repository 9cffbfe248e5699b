package monitor

import (
	"testing"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// No frame contains a secret, and valid JSON stays valid.
func FuzzRedactSecrets(f *testing.F) {
	for _, text := range []string{
		`{"result":{"requestState":"s"}}`, `{"\u0072equestState":{"requestState":[1]}}`, `[{"access_token":null},"requestState"]`,
		`{"requestState":`, `"requestState"`, `{"a":"\ud800\u0000","authorization":1e400}`, "",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, msg []byte) {
		got := redactSecrets(msg)
		var before, after any
		if json.Unmarshal(msg, &before, jsontext.AllowDuplicateNames(true)) != nil {
			return // that it does not fall is enough
		}
		if err := json.Unmarshal(got, &after, jsontext.AllowDuplicateNames(true)); err != nil {
			t.Fatalf("%q became %q: %v", msg, got, err)
		}
		var look func(value any)
		look = func(value any) {
			switch value := value.(type) {
			case []any:
				for _, one := range value {
					look(one)
				}
			case map[string]any:
				for name, one := range value {
					if isSecretMember(name) && one != redacted {
						t.Errorf("%q became %q", msg, got)
					}
					look(one)
				}
			}
		}
		look(after)
	})
}
