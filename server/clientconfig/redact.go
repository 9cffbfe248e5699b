package clientconfig

import (
	"regexp"
	"strings"
)

// hidden replaces secrets in every output.
const hidden = "…"

// redact returns text, which may be shown to other people, without the given secrets and
// without what looks like credentials of other servers: values of members whose names say
// so, and bearer tokens. References to variables and files stay.
func redact(text string, secrets ...string) string {
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, hidden)
		}
	}
	bearer := regexp.MustCompile(`(?i)\b(Bearer\s+)[A-Za-z0-9._~+/=-]+`)
	text = bearer.ReplaceAllString(text, "${1}"+hidden)
	named := regexp.MustCompile(`(?i)([\w-]*(?:token|secret|passw|api[_-]?key|apikey|private[_-]?key|credential|auth)[\w-]*["']?\s*[:=]\s*)("(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?|[^\s"',{}\[\]][^,}\]\n]*)`)
	return named.ReplaceAllStringFunc(text, func(found string) string {
		parts := named.FindStringSubmatch(found)
		value := strings.Trim(parts[2], `"'`)
		switch {
		case value == "", value == "true", value == "false", value == "null", strings.Contains(value, hidden):
			return found
		case strings.Contains(value, "${"), strings.Contains(value, "{file:"), strings.Contains(value, "{env:"), strings.HasPrefix(value, "$"):
			return found
		case strings.HasPrefix(parts[2], `"`):
			return parts[1] + `"` + hidden + `"`
		}
		return parts[1] + hidden
	})
}
