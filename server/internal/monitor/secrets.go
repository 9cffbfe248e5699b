package monitor

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// secretMembers are those whose values nobody but their receiver may see: what a
// client proves itself with, and what only the one who asked may send back (MCP
// 2026-07-28, basic/patterns/mrtr). Names as they stand in JSON.
var secretMembers = [...]string{
	"requestState", "access_token", "refresh_token", "id_token", "client_secret", "authorization", "Authorization",
}

// withheld stands in place of a secret, or of what is no JSON and names one.
const redacted = "withheld"

// withoutSecrets returns msg with the values of secret members replaced. Where there
// is none it is msg itself, byte for byte.
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
			return bytes.TrimSuffix(out.Bytes(), []byte("\n")) // the encoder's, after each value
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

// isNameNext tells whether the token that was just read is the name of a member.
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

// mayHoldSecrets finds secret names as they are usually spelled. With escapes they
// can be spelled otherwise: then it is looked into, too.
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
