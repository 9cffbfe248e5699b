package release

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// changelogFile has a section for each version, newest first.
const changelogFile = "web/CHANGELOG.md"

// A Section is what the changelog says of a version.
type Section struct {
	Date time.Time // UTC, without a time of day
	Text string    // Markdown, without the heading
}

// ReadSection returns the section of a version.
func ReadSection(root, version string) (s Section, err error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(changelogFile)))
	if err != nil {
		return s, fmt.Errorf("read the changelog: %w", err)
	}
	return sectionOf(string(text), version)
}

func sectionOf(text, version string) (s Section, err error) {
	heading := regexp.MustCompile(`(?m)^## ` + regexp.QuoteMeta(version) + ` \((\d{4}-\d\d-\d\d)\)\n`)
	found := heading.FindStringSubmatchIndex(text)
	if found == nil {
		return s, fmt.Errorf("%s has no section \"## %s (date)\": write what changed before the release", changelogFile, version)
	}
	if s.Date, err = time.Parse(time.DateOnly, text[found[2]:found[3]]); err != nil {
		return s, fmt.Errorf("read %s: %w", changelogFile, err)
	}
	body, _, _ := strings.Cut(text[found[1]:], "\n## ")
	if s.Text = strings.TrimSpace(body); s.Text == "" {
		return s, fmt.Errorf("the section of %s in %s is empty", version, changelogFile)
	}
	return s, nil
}

// trialDate is that of artifacts which are not released: the same at each build.
var trialDate = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// readUnreleased returns the section of what is not released yet, for artifacts that are
// built for tests.
func readUnreleased(root string) (s Section, err error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(changelogFile)))
	if err != nil {
		return s, fmt.Errorf("read the changelog: %w", err)
	}
	_, body, _ := strings.Cut(string(text), "\n"+unreleased+"\n")
	body, _, _ = strings.Cut(body, "\n## ")
	return Section{Date: trialDate, Text: strings.TrimSpace(body)}, nil
}

// CheckTag returns an error if the sources below root cannot be released as tag, for
// example v0.2.0: versions differ, the changelog has no section of it, or what is not
// released yet stands above that section.
func CheckTag(root, tag string) error {
	version, err := CheckVersions(root)
	if err != nil {
		return err
	}
	if tag != "v"+version {
		return fmt.Errorf("the tag %q is not that of version %s: run `make version V=%s`, commit, and tag that", tag, version, strings.TrimPrefix(tag, "v"))
	}
	if _, err := ReadSection(root, version); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(changelogFile)))
	if err != nil {
		return fmt.Errorf("read the changelog: %w", err)
	}
	if strings.Contains(string(text), "\n"+unreleased+"\n") {
		return fmt.Errorf("%s has a section %q: its changes would be in the release, and not in its notes", changelogFile, unreleased)
	}
	return nil
}

// unreleased is the heading of what the next version brings.
const unreleased = "## Unreleased"
