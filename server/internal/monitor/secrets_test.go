package monitor

import (
	"testing"
)

// Secrets are redacted at any depth and in any spelling; everything else is unchanged
// byte for byte.
func TestSecretsAreRedacted(t *testing.T) {
	for msg, want := range map[string]string{
		`{"jsonrpc": "2.0", "id": 1.50, "method": "ping"}`:                           `{"jsonrpc": "2.0", "id": 1.50, "method": "ping"}`,
		`{"result":{"resultType":"input_required","requestState":"s3cret","x":[1]}}`: `{"result":{"resultType":"input_required","requestState":"withheld","x":[1]}}`,
		`{"params":{"requestState":{"a":["s3cret"]},"n":9007199254740993}}`:          `{"params":{"requestState":"withheld","n":9007199254740993}}`,
		`{"a":[{"access_token":"s3cret"}],"text":"requestState"}`:                    `{"a":[{"access_token":"withheld"}],"text":"requestState"}`,
		`{"\u0072equestState":"s3cret"}`:                                             `{"requestState":"withheld"}`,
		`{"x":"requestState","y":["requestState","here"]}`:                           `{"x":"requestState","y":["requestState","here"]}`,
		`{"requestState":"s3cret"`:                                                   redacted,
		`not JSON`:                                                                   `not JSON`,
		`[{"params":{"Authorization":"s3cret"}}]`:                                    `[{"params":{"Authorization":"withheld"}}]`,
	} {
		if got := string(redactSecrets([]byte(msg))); got != want {
			t.Errorf("%s: %s, want %s", msg, got, want)
		}
	}
}
