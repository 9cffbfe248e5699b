package clientconfig

import "testing"

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
