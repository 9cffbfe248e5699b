package approvals

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A Question is a permission prompt: whether an assistant may call a tool.
type Question struct {
	ID          string `json:"request_id"`
	Tool        string `json:"tool_name"`
	Description string `json:"description"`
	Preview     string `json:"input_preview"` // the beginning of the input, JSON text
}

// Lengths of what is shown, in characters.
const (
	maxTool        = 200
	maxDescription = 2_000
	maxPreview     = 1_000
)

// cutLength is the length from which a preview counts as cut: Claude Code sends the first 200
// UTF-16 code units of the input, without a mark if there is more.
const cutLength = 200

// A shownQuestion is what the page shows of a question.
type shownQuestion struct {
	Number      int64  `json:"number"`
	Tool        string `json:"tool"`
	Description string `json:"description"`
	Preview     string `json:"preview"`
	Complete    bool   `json:"complete"` // all of it is shown; else it cannot be allowed here
	AgeSeconds  int    `json:"ageSeconds"`
}

func showQuestion(q Question) shownQuestion {
	tool, wholeTool := visible(q.Tool, maxTool)
	description, wholeDescription := visible(q.Description, maxDescription)
	preview, wholePreview := visible(q.Preview, maxPreview)
	return shownQuestion{
		Tool: tool, Description: description, Preview: preview,
		Complete: tool != "" && wholeTool && wholeDescription && wholePreview && !isCut(q.Preview),
	}
}

// isCut reports whether a preview may be only the beginning of the input. An empty one is: an
// input without members is {}.
func isCut(preview string) bool {
	text := strings.TrimSpace(preview)
	return text == "" || len(utf16.Encode([]rune(preview))) >= cutLength || strings.HasSuffix(text, "…") || strings.HasSuffix(text, "...")
}

// visible returns the first characters of a text, with a symbol or an escape in place of each
// that has no shape of its own, such as controls, line ends and bidirectional marks: they could
// hide a part of what is approved. whole reports whether these are all.
func visible(text string, most int) (shown string, whole bool) {
	var out strings.Builder
	count := 0
	for _, r := range text {
		if count++; count > most {
			out.WriteString("…")
			return out.String(), false
		}
		switch {
		case r >= ' ' && r < 0x7f, unicode.IsPrint(r) && engine.PlainText(string(r), 1) == string(r):
			out.WriteRune(r)
		case r < ' ':
			out.WriteRune(0x2400 + r) // control pictures
		default:
			fmt.Fprintf(&out, `\u{%x}`, r)
		}
	}
	return out.String(), true
}
