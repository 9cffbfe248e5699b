package schema

import (
	"strconv"
	"strings"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

const AnnotationsRule = "annotations must have an audience of user and assistant, a priority from 0 to 1, an ISO 8601 lastModified"

// ValidAnnotations. Members that are not known do no harm.
func ValidAnnotations(value []byte) bool {
	ok := true
	s := jsonrpc.Scan(value)
	for s.Next() {
		switch string(s.Name) {
		case "audience":
			elements, isArray := jsonrpc.Elements(s.Value)
			ok = ok && isArray
			for _, role := range elements {
				ok = ok && (string(role) == `"user"` || string(role) == `"assistant"`)
			}
		case "priority":
			priority, isNumber := Number(s.Value)
			ok = ok && isNumber && priority >= 0 && priority <= 1
		case "lastModified":
			text, isText := jsonrpc.Text(s.Value)
			ok = ok && isText && len(text) >= len("2006-01-02") && text[4] == '-' && text[7] == '-'
		}
	}
	return ok && s.Err() == nil
}

const IconsRule = "icons must be objects whose src is an https: URL of at most 8 KiB or a data:image/ URL of at most 64 KiB, and whose mimeType, if any, is a media type"

const maxDataIcon = 64 << 10 // bytes of a data: URL

// ValidIcons. SVG is allowed: clients show icons as images, where its
// scripts do not run, and an https: icon could be SVG, too.
func ValidIcons(value []byte) bool {
	elements, ok := jsonrpc.Elements(value)
	for _, element := range elements {
		src, isText := jsonrpc.Text(jsonrpc.Member(element, "src"))
		ok = ok && isText && (strings.HasPrefix(src, "https:") && len(src) <= MaxURI ||
			strings.HasPrefix(src, "data:image/") && len(src) <= maxDataIcon)
		if value := jsonrpc.Member(element, "mimeType"); value != nil {
			kind, isText := jsonrpc.Text(value)
			ok = ok && isText && ValidMediaType(kind)
		}
	}
	return ok
}

// Number returns the value of a JSON number, near enough to compare it: the
// library's, which is exact, costs every page 4 KB.
func Number(value []byte) (float64, bool) {
	digits, exponent, sign, at := 0.0, 0, 1.0, 0
	if len(value) > 0 && value[0] == '-' {
		sign, at = -1, 1
	}
	if at == len(value) || !IsDigit(value[at]) {
		return 0, false
	}
	for fraction := false; at < len(value) && (IsDigit(value[at]) || value[at] == '.'); at++ {
		if value[at] == '.' {
			fraction = true
			continue
		}
		digits = digits*10 + float64(value[at]-'0')
		if fraction {
			exponent--
		}
	}
	if at < len(value) { // e or E
		text := string(value[at+1:])
		shift, err := strconv.Atoi(text)
		if err != nil || shift > 400 || shift < -400 {
			return 0, false
		}
		exponent += shift
	}
	for ; exponent > 0; exponent-- {
		digits *= 10
	}
	divisor := 1.0
	for ; exponent < 0; exponent++ {
		divisor *= 10
	}
	return sign * digits / divisor, true
}
