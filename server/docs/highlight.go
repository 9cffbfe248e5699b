package docs

import (
	"html"
	"regexp"
	"strings"
)

const (
	quotedText = `"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`
	rawText    = "`(?:[^`\\\\]|\\\\.)*`"
	cComment   = `//[^\n]*|/\*[\s\S]*?\*/`
	never      = `[^\s\S]`
)

// tokens are expressions by language: their groups are comments, strings, keywords and
// numbers. They color code; they do not parse it.
var tokens = map[string]*regexp.Regexp{
	"ts": tokenPattern(cComment, rawText+"|"+quotedText,
		`\b(?:as|async|await|break|case|catch|class|const|continue|declare|default|delete|do|else|export|extends|false|finally|for|from|function|if|implements|import|in|instanceof|interface|keyof|let|new|null|of|readonly|return|satisfies|static|super|switch|this|throw|true|try|type|typeof|undefined|var|void|while|yield)\b`),
	"go": tokenPattern(cComment, "`[^`]*`|"+quotedText,
		`\b(?:break|case|chan|const|continue|default|defer|else|false|for|func|go|goto|if|import|interface|map|nil|package|range|return|select|struct|switch|true|type|var)\b`),
	"json": tokenPattern(never, `"(?:[^"\\\n]|\\.)*"`, `\b(?:true|false|null)\b`),
	"sh":   tokenPattern(`(?:^|\s)#[^\n]*`, quotedText, `\b(?:case|do|done|else|esac|export|fi|for|function|if|in|then|while)\b`),
	"html": tokenPattern(`<!--[\s\S]*?-->`, `"[^"\n]*"`, `</?[\w-]+|/?>`),
}

// sameTokens are languages that are colored as another one.
var sameTokens = map[string]string{
	"tsx": "ts", "js": "ts", "jsx": "ts", "mjs": "ts", "jsonc": "ts", "bash": "sh", "toml": "sh", "yaml": "sh", "xml": "html", "svelte": "html", "vue": "html",
}

func tokenPattern(comment, text, keyword string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)(` + comment + `)|(` + text + `)|(` + keyword + `)|(-?\b\d[\d_.]*(?:e[+-]?\d+)?\b)`)
}

// highlight returns code as HTML, with a span for each token: class c for comments, s for
// strings, k for keywords, n for numbers, and o for the name of a member in JSON.
func highlight(language, code string) string {
	if same := sameTokens[language]; same != "" {
		language = same
	}
	pattern := tokens[language]
	if pattern == nil {
		return html.EscapeString(code)
	}
	var out strings.Builder
	from := 0
	for _, found := range pattern.FindAllStringSubmatchIndex(code, -1) {
		class := byte('c')
		for i, name := range []byte("cskn") {
			if found[2*i+2] >= 0 {
				class = name
			}
		}
		if class == 's' && language == "json" && strings.HasPrefix(strings.TrimLeft(code[found[1]:], " "), ":") {
			class = 'o'
		}
		out.WriteString(html.EscapeString(code[from:found[0]]))
		out.WriteString(`<span class="` + string(class) + `">` + html.EscapeString(code[found[0]:found[1]]) + "</span>")
		from = found[1]
	}
	out.WriteString(html.EscapeString(code[from:]))
	return out.String()
}
