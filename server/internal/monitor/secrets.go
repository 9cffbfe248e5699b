package monitor

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// secretMembers are the JSON members whose values are redacted: credentials, and
// requestState, which only the client that received it may send (MCP 2026-07-28,
// basic/patterns/mrtr).
var secretMembers = [...]string{
	"requestState", "access_token", "refresh_token", "id_token", "client_secret", "authorization", "Authorization",
}

// redacted replaces a secret, and a whole message that is not JSON and contains the name
// of a secret.
const redacted = "withheld"

// redactSecrets replaces the values of secret members. A message without any is returned
// unchanged.
func redactSecrets(msg []byte) []byte {
	if !mayHoldSecrets(msg) {
		return msg
	}
	var out bytes.Buffer
	lenient := jsontext.AllowDuplicateNames(true)
	d := jsontext.NewDecoder(bytes.NewReader(msg), lenient)
	e := jsontext.NewEncoder(&out, lenient)
	for {
		token, err := d.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSuffix(out.Bytes(), []byte("\n")) // the encoder adds it after each value
		}
		isName := err == nil && token.Kind() == '"' && isNameNext(d)
		secret := isName && isSecretMember(token.String())
		if err == nil {
			err = e.WriteToken(token)
		}
		if err == nil && secret {
			if err = d.SkipValue(); err == nil {
				err = e.WriteToken(jsontext.String(redacted))
			}
		}
		if err != nil {
			return []byte(redacted)
		}
	}
}

// isNameNext reports whether the token that was just read is the name of a member.
func isNameNext(d *jsontext.Decoder) bool {
	kind, length := d.StackIndex(d.StackDepth())
	return kind == '{' && length%2 == 1
}

func isSecretMember(name string) bool {
	for _, secret := range secretMembers {
		if name == secret {
			return true
		}
	}
	return false
}

// mayHoldSecrets is a fast check for the names of secret members. A message with \u
// escapes, which could hide a name, must be parsed.
func mayHoldSecrets(msg []byte) bool {
	if bytes.Contains(msg, []byte(`\u`)) {
		return true
	}
	for _, name := range secretMembers {
		if bytes.Contains(msg, []byte(`"`+name+`"`)) {
			return true
		}
	}
	return false
}
