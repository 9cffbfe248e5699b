package clientconfig

import (
	"regexp"
	"strings"
)

// withoutOthers returns a unified diff without values of what is not changed: the lines
// around a change belong to other servers, whose credentials have any name and form.
func withoutOthers(diff string) string {
	lines := strings.Split(diff, "\n")
	for i, line := range lines {
		next := i + 1
		if next < len(lines) && strings.HasPrefix(lines[next], "\\") { // no newline at the end of the file
			next++
		}
		switch {
		case i < 2 || line == "": // the names of the files
		case line[0] == ' ':
			lines[i] = " " + withoutValue(line[1:])
		case line[0] == '-' && next < len(lines) && strings.HasPrefix(lines[next], "+"):
			lines[i], lines[next] = withoutShared(line[1:], lines[next][1:])
		}
	}
	return strings.Join(lines, "\n")
}

var (
	structure  = regexp.MustCompile(`^[\s{}\[\],]*$`)
	namedValue = regexp.MustCompile(`^(\s*(?:- )?["']?[\w.@ -]+["']?\s*[:=]\s*)(.*?)(,?)$`)
	header     = regexp.MustCompile(`^\s*\[\[?\w[\w.-]*\]\]?$`)
)

// withoutValue returns a line with its name and brackets only.
func withoutValue(line string) string {
	if structure.MatchString(line) || header.MatchString(line) {
		return line
	}
	if parts := namedValue.FindStringSubmatch(line); parts != nil {
		if structure.MatchString(parts[2]) {
			return line
		}
		return parts[1] + hidden + parts[3]
	}
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))] + hidden
}

// withoutShared returns a line that was replaced by another one, as they are shown. If only
// a comma differs, they are of another server; if they have several entries on one line, what
// they share is.
func withoutShared(before, after string) (string, string) {
	if strings.TrimSuffix(before, ",") == strings.TrimSuffix(after, ",") {
		return "-" + withoutValue(before), "+" + withoutValue(after)
	}
	start := 0
	for start < len(before) && start < len(after) && before[start] == after[start] {
		start++
	}
	if structure.MatchString(before[:start]) || !strings.ContainsAny(before[:start], "{[") {
		return "-" + before, "+" + after
	}
	end := 0
	for end < len(before)-start && end < len(after)-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	show := func(line string) string { return hidden + strings.ToValidUTF8(line[start:len(line)-end], "") + hidden }
	return "-" + show(before), "+" + show(after)
}
