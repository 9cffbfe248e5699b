package release

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/server/bundle"
)

// The types are those of SPDX 2.3, as far as a list of packages needs them.
// https://spdx.github.io/spdx-spec/v2.3/

type spdxDocument struct {
	Version       string             `json:"spdxVersion"`
	License       string             `json:"dataLicense"`
	ID            string             `json:"SPDXID"`
	Name          string             `json:"name"`
	Namespace     string             `json:"documentNamespace"`
	Creation      spdxCreation       `json:"creationInfo"`
	Packages      []spdxPackage      `json:"packages"`
	Relationships []spdxRelationship `json:"relationships"`
}

type spdxCreation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type spdxPackage struct {
	Name          string          `json:"name"`
	ID            string          `json:"SPDXID"`
	Version       string          `json:"versionInfo"`
	Download      string          `json:"downloadLocation"`
	FilesAnalyzed bool            `json:"filesAnalyzed"`
	Concluded     string          `json:"licenseConcluded"`
	Declared      string          `json:"licenseDeclared"`
	Copyright     string          `json:"copyrightText"`
	References    []spdxReference `json:"externalRefs,omitempty"`
}

type spdxReference struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type spdxRelationship struct {
	From string `json:"spdxElementId"`
	Type string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

// spdx returns the list of what the artifacts of a version contain.
func spdx(version string, date time.Time, components []bundle.Component) ([]byte, error) {
	own := spdxPackage{
		Name: "pagemcp", ID: "SPDXRef-Package-pagemcp", Version: version, Download: repository + "/releases/tag/v" + version,
		Concluded: "MIT", Declared: "MIT", Copyright: "NOASSERTION",
		References: []spdxReference{{"PACKAGE-MANAGER", "purl", "pkg:npm/pagemcp@" + version}, {"PACKAGE-MANAGER", "purl", "pkg:golang/" + goModule + "@v" + version}},
	}
	document := spdxDocument{
		Version: "SPDX-2.3", License: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: "pagemcp-" + version,
		Namespace:     repository + "/releases/download/v" + version + "/pagemcp-" + version + ".spdx.json",
		Creation:      spdxCreation{date.Format(time.RFC3339), []string{"Organization: The PageMCP authors", "Tool: pagemcp-release-" + version}},
		Packages:      []spdxPackage{own},
		Relationships: []spdxRelationship{{"SPDXRef-DOCUMENT", "DESCRIBES", own.ID}},
	}
	components = slices.Clone(components)
	slices.SortFunc(components, func(a, b bundle.Component) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Version, b.Version))
	})
	components = slices.CompactFunc(components, func(a, b bundle.Component) bool { return a.Name == b.Name && a.Version == b.Version })
	for _, c := range components {
		id := "SPDXRef-Package-" + regexp.MustCompile(`[^A-Za-z0-9.]+`).ReplaceAllString(c.Name+"-"+c.Version, "-")
		document.Packages = append(document.Packages, spdxPackage{
			Name: c.Name, ID: id, Version: c.Version, Download: "NOASSERTION",
			Concluded: c.License, Declared: c.License, Copyright: copyright(c.Text),
			References: []spdxReference{{"PACKAGE-MANAGER", "purl", packageURL(c)}},
		})
		document.Relationships = append(document.Relationships, spdxRelationship{own.ID, "CONTAINS", id})
	}
	return indented(document)
}

// copyright returns the lines of a licence that name its holders.
func copyright(text string) string {
	lines := regexp.MustCompile(`(?mi)^\s*copyright .*\d{4}.*$|^\s*copyright \(c\) .*$`).FindAllString(text, -1)
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return cmp.Or(strings.Join(slices.Compact(lines), "\n"), "NOASSERTION")
}

// packageURL returns the purl of a component. https://github.com/package-url/purl-spec
func packageURL(c bundle.Component) string {
	first, _, _ := strings.Cut(c.Name, "/")
	switch {
	case c.Name == "Go":
		return "pkg:golang/stdlib@" + strings.TrimPrefix(c.Version, "go")
	case strings.Contains(first, "."): // a module: its first element is a host
		return fmt.Sprintf("pkg:golang/%s@%s", c.Name, c.Version)
	}
	return fmt.Sprintf("pkg:npm/%s@%s", strings.Replace(c.Name, "@", "%40", 1), c.Version)
}
