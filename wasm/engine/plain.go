package engine

import "github.com/pagemcp/pagemcp/wasm/plain"

// Limits of descriptions, in characters.
const (
	MaxName        = plain.MaxName
	MaxTitle       = plain.MaxTitle
	MaxDescription = plain.MaxDescription
)

// PlainText returns text on one line, without hidden characters and with at most
// most characters. It removes
//   - control characters, and escape sequences of terminals (ECMA-48) as a whole
//   - bidirectional marks, embeddings, overrides and isolates
//   - zero-width characters, soft hyphens, fillers and others without a shape
//   - tags, noncharacters, private use beyond the BMP
//   - U+FFFD, which stands for invalid UTF-8 and lone surrogates
//
// Line ends, tabs and the blank of Braille become blanks. The two joiners remain
// between letters of scripts that need them (Arabic, Indic and similar ones) and
// between emoji; variation selectors 15 and 16 remain behind emoji, symbols, digits.
// Flags that are spelled in tags lose them and become a black flag.
func PlainText(text string, most int) string { return plain.Text(text, most) }

// PlainLines is PlainText for text of several lines: line feeds and tabs remain.
func PlainLines(text string, most int) string { return plain.Lines(text, most) }
