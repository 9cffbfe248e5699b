package clientconfig

import (
	"os"
	"path"
	"strings"
	"testing"
)

// The documentation has a row for each client, with its file for a project.
func TestClientsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../web/docs/gateway.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range Clients() {
		_, row, ok := strings.Cut(string(page), "\n| `"+c.ID+"` | "+c.Title)
		row, _, _ = strings.Cut(row, "\n")
		project := "no"
		if c.project != nil {
			project = "`" + path.Join(c.project...) + "`"
		}
		if !ok || !strings.HasSuffix(row, "| "+project+" |") || strings.Contains(row, "tools") != c.NoResources {
			t.Errorf("%s: no row of web/docs/gateway.md with the project file %s, and \"tools\" if it is without resources: %q", c.ID, project, row)
		}
	}
}
