package clientconfig

import (
	"fmt"
	"strings"
	"testing"
)

func TestUnifiedDiff(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"", "a\n", "@@ -0,0 +1,1 @@\n+a\n"},
		{"a\n", "", "@@ -1,1 +0,0 @@\n-a\n"},
		{"a", "a\n", "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{"1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\nx\n5\n6\n", "@@ -2,5 +2,6 @@\n 2\n 3\n 4\n+x\n 5\n 6\n"},
		{"", "a\x1b[2J\tb\n", "@@ -0,0 +1,1 @@\n+a\ufffd[2J\tb\n"},
		{"1\r\n2\r\n", "1\r\nx\r\n2\r\n", "@@ -1,2 +1,3 @@\n 1\n+x\n 2\n"},
		{"a\n1\n2\n3\n4\n5\n6\n7\n8\n9\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\n8\n9\nB\n",
			"@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -8,4 +8,4 @@\n 7\n 8\n 9\n-b\n+B\n"},
		{"a\n1\n2\n3\n4\nb\n", "A\n1\n2\n3\n4\nB\n", "@@ -1,6 +1,6 @@\n-a\n+A\n 1\n 2\n 3\n 4\n-b\n+B\n"},
	} {
		if got := unified("f", []byte(c.before), []byte(c.after)); got != "--- f\n+++ f\n"+c.want {
			t.Errorf("%q, %q:\n%s\nwant\n%s", c.before, c.after, got, c.want)
		}
	}
}

// Lines around a change show no values, whatever their names are.
func TestDiffShowsNoValuesOfOthers(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"{\n  \"a\": {\n    \"command\": \"run --pass=hunter2\",\n    \"args\": [\n      \"hunter3\"\n    ]\n  }\n}\n",
			"{\n  \"a\": {\n    \"command\": \"run --pass=hunter2\",\n    \"args\": [\n      \"hunter3\"\n    ]\n  },\n  \"pagemcp\": {}\n}\n",
			"       …\n     ]\n-  }\n+  },\n"},
		{"a: hunter2\nb:\n- hunter3\n", "a: hunter2\nb:\n- hunter3\nc: 1\n", "@@ -1,3 +1,4 @@\n a: …\n b:\n …\n+c: 1\n"},
		{"# hunter2\n[a.b]\nx = 'hunter3'\n", "# hunter2\n[a.b]\nx = 'hunter3'\n[c]\n", "@@ -1,3 +1,4 @@\n …\n [a.b]\n x = …\n+[c]\n"},
		{`{"a":{"env":{"K":"hunter2"}}}`, `{"a":{"env":{"K":"hunter2"}},"b":{"c":1}}`, "@@ -1,1 +1,1 @@\n"},
		{"\"a\": \"hunter2\"\n", "\"a\": \"hunter2\",\n\"b\": 1\n", "@@ -1,1 +1,2 @@\n-\"a\": …\n+\"a\": …,\n+\"b\": 1\n"},
	} {
		got := withoutOthers(unified("f", []byte(c.before), []byte(c.after)))
		if strings.Contains(got, "hunter") || !strings.HasPrefix(got, "--- f\n+++ f\n") {
			t.Errorf("%s", got)
		}
		for line := range strings.Lines(c.want) {
			if !strings.Contains(got, line) {
				t.Errorf("%s\nhas no line %q", got, line)
			}
		}
	}
}

// A diff of a large file is made of the lines around the change: it takes no memory for
// the others. Characters that a terminal would act on, or not show, are replaced.
func TestDiffOfLargeFiles(t *testing.T) {
	large := strings.Repeat("\n", 30<<20)
	var got string
	bytes := testing.AllocsPerRun(1, func() {
		got = unified("f", []byte(large+"a\u202eb\u200b\U000e0041\x1b[2J\n"+large), []byte(large+"c\n"+large))
	})
	if want := "@@ -31457278,7 +31457278,7 @@\n \n \n \n-a\ufffdb\ufffd\ufffd\ufffd[2J\n+c\n \n \n \n"; !strings.HasSuffix(got, want) || len(got) > 200 || bytes > 200 {
		t.Errorf("%.300q, %v allocations", got, bytes)
	}
	var tables strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&tables, "[mcp_servers.s%d]\n", i)
	}
	for name, text := range map[string]string{"50,000 tables": tables.String(), "one table of 50,000 keys": "a = {" + strings.Repeat("b=1,", 50_000) + "}"} {
		if _, err := parseTOML([]byte(text)); err == nil || !strings.Contains(err.Error(), "lines or keys") {
			t.Errorf("%s: %.200v", name, err)
		}
	}
}

// What other servers of the file need is not shown either.
func TestSecretsAreNotShown(t *testing.T) {
	for text, want := range map[string]string{
		`"API_KEY": "sk-\"1",`:                           `"API_KEY": "…",`,
		`"env": {"GITHUB_TOKEN": "ghp_1", "A": "b"}`:     `"env": {"GITHUB_TOKEN": "…", "A": "b"}`,
		`"Authorization": "Bearer abcdefghijk"`:          `"Authorization": "Bearer …"`,
		`Authorization: Bearer abcdefghijk`:              `Authorization: Bearer …`,
		"Authorization: Basic abc\nA: b\n":               "Authorization: …\nA: b\n",
		`"X": "Bearer abcdefghijk"`:                      `"X": "Bearer …"`,
		`"Authorization": "Bearer ${input:pagemcp}"`:     `"Authorization": "Bearer ${input:pagemcp}"`,
		`"Authorization": "Bearer {file:/home/a/token}"`: `"Authorization": "Bearer {file:/home/a/token}"`,
		`api_key = 'abc' # x`:                            `api_key = … # x`,
		`password: hunter2`:                              `password: …`,
		`"password": true`:                               `"password": true`,
		`"oauth": false,`:                                `"oauth": false,`,
		`"args": ["own"]`:                                `"args": […]`,
	} {
		if got := redact(text, "", `"own"`); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
