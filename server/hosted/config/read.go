package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pagemcp/pagemcp/server/internal/keys"
)

const maxConfigFile = 1 << 20 // bytes

// An Error is one reason why a gateway refuses to start. Its text contains no secrets.
type Error struct {
	File string // "" for a Config that was not read from a file
	Line int    // of the key; 0 if it is absent
	Key  string // with those around it: pages.tokens.issuer; "" if it is about the file
	Text string // what is wrong, and what to do

	meant string // the key that an unknown one resembles; may be empty
}

// Error returns `file:line: key: text`.
func (e *Error) Error() string {
	text := e.Text
	if e.Key != "" {
		text = e.Key + ": " + text
	}
	switch {
	case e.File != "" && e.Line > 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, text)
	case e.File != "":
		return e.File + ": " + text
	case e.Line > 0:
		return fmt.Sprintf("line %d: %s", e.Line, text)
	}
	return text
}

// Read reads and checks a configuration file, and the files that it names. The
// result has all defaults, and absolute names of files. The error joins a *Error for
// each reason not to start (see errors.Join), or is that of reading the file.
func Read(name string) (Config, error) {
	file, err := os.Open(name)
	if err != nil {
		return Config{}, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxConfigFile+1))
	if err != nil {
		return Config{}, err
	}
	if len(text) > maxConfigFile {
		return Config{}, &Error{File: name, Text: fmt.Sprintf("the file is longer than %d KiB", maxConfigFile>>10)}
	}
	absolute, err := filepath.Abs(name)
	if err != nil {
		return Config{}, err
	}
	config, lines, problems := parseConfig(text)
	if len(problems) == 0 || lines != nil { // else it is not YAML
		config.resolve(filepath.Dir(absolute))
		config = config.WithDefaults()
		problems = withoutConsequences(problems, config.problems())
	}
	errs := make([]error, len(problems))
	for i, problem := range problems {
		problem.File = name
		if problem.Line == 0 {
			problem.Line = lines[problem.Key]
		}
		errs[i] = problem
	}
	if len(errs) > 0 {
		return Config{}, errors.Join(errs...)
	}
	return config, nil
}

// withoutConsequences returns the problems of reading a file, and those of the values that
// were read. It leaves out values that are missing or wrong because they were not read.
func withoutConsequences(reading, values []*Error) []*Error {
	for _, problem := range values {
		follows := func(other *Error) bool {
			instead := problem.Key == "tls" && other.Key == "trustedProxies" // one of them is enough
			return instead || problem.Key == other.Key || problem.Key == other.meant || strings.HasPrefix(problem.Key, other.Key+".") || other.meant != "" && strings.HasPrefix(problem.Key, other.meant+".")
		}
		if !slices.ContainsFunc(reading, follows) {
			reading = append(reading, problem)
		}
	}
	return reading
}

// resolve makes names of files relative to dir. What is a secret, and no name, stays as it
// is, so that problems recognizes it.
func (c *Config) resolve(dir string) {
	for _, file := range c.Files() {
		if *file.Name == "" || filepath.IsAbs(*file.Name) {
			continue
		}
		if joined := filepath.Join(dir, *file.Name); !isSecret(*file.Name) || exists(joined) {
			*file.Name = joined
		}
	}
}

// isSecret reports whether text is the content of a file in place of its name: a key of
// 32 bytes, PEM, or several lines.
func isSecret(text string) bool {
	if strings.Contains(text, "\n") || strings.Contains(text, "-----") {
		return true
	}
	_, err := keys.Parse([]byte(strings.NewReplacer("+", "-", "/", "_").Replace(text)))
	return err == nil
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
