package jsonrpc

import (
	"github.com/go-json-experiment/json/jsontext"
)

// An ID is the id of a request as the token that was sent: `7`, `"7"` and
// `9007199254740993` stay what they are, byte for byte. The zero ID means that
// there is none. MCP 2026-07-28, basic/index: a string or an integer, never null.
type ID string

// IDOf returns the ID of an own request with number n.
func IDOf(n int64) ID {
	var digits [20]byte
	return ID(appendInt(digits[:0], n))
}

// Key returns what makes two ids the same one: their type and value. The strings
// "a" and "\u0061" are one id in two spellings; 7 and "7" are two ids.
func (id ID) Key() string {
	if len(id) == 0 || id[0] != '"' {
		return string(id)
	}
	text, err := jsontext.AppendUnquote([]byte{'"'}, string(id))
	if err != nil {
		return string(id)
	}
	return string(text)
}

// validID reports whether token is a JSON string or an integer literal. 1.0 and
// 1e2 are integers by value but not by spelling, and would come back changed
// from a peer that keeps numbers; they are refused like 1.5.
func validID(token []byte) bool {
	if len(token) == 0 {
		return false
	}
	if token[0] == '"' {
		return true
	}
	digits := token
	if digits[0] == '-' {
		digits = digits[1:]
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(digits) > 0 && string(token) != "-0"
}

func appendInt(dst []byte, n int64) []byte {
	if n < 0 {
		return append(dst, jsontext.Int(n).String()...)
	}
	if n >= 10 {
		dst = appendInt(dst, n/10)
	}
	return append(dst, byte('0'+n%10))
}
