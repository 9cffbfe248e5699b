package clientconfig

import (
	"bytes"
	"strings"
)

// A Status is what is in the configuration file of one client.
type Status struct {
	Client Client
	Path   string
	Found  bool // the client seems to be installed

	Installed bool   // the server is in the file
	Program   string // that it runs; empty for HTTP
	URL       string // for HTTP
	Err       error  // the file could not be read
}

// List returns the status of each client for the server name: of the files of the user,
// or of the project in env.Dir, for clients that have one.
func List(env Environment, name string, project bool) []Status {
	var all []Status
	for _, c := range Clients() {
		if project && !c.hasProjectFile() {
			continue
		}
		s := Status{Client: c, Found: c.Found(env)}
		ch, err := open(env, c, project)
		if err != nil {
			s.Path, _ = c.File(env, project)
			s.Err = err
			all = append(all, s)
			continue
		}
		s.Path = ch.Path
		value, err := find(c.format, ch.before, place{c.parent, name, false})
		if err != nil {
			s.Err = ch.explain(err, "")
		}
		s.Installed = value != nil
		s.Program, s.URL = target(value)
		all = append(all, s)
	}
	return all
}

// find is format.find without the byte order mark.
func find(f format, text []byte, p place) (value any, err error) {
	_, err = splice(text, func(body []byte) (edit, error) {
		value, err = f.find(body, p)
		return edit{}, err
	})
	return value, err
}

// target returns the program or URL of an entry of any client.
func target(value any) (program, url string) {
	entry, ok := value.(map[string]any)
	if !ok {
		return "", ""
	}
	for _, key := range []string{"command", "cmd"} {
		switch command := entry[key].(type) {
		case string:
			program = command
		case []any:
			if len(command) > 0 {
				program, _ = command[0].(string)
			}
		}
	}
	for _, key := range []string{"url", "serverUrl", "uri", "httpUrl"} {
		if text, ok := entry[key].(string); ok {
			url = text
		}
	}
	return program, url
}

// Mentions reports whether a text, like the path of a program, is in a file of a client: of the
// user, or of the project in env.Dir. A file that cannot be read counts as one that has it.
func Mentions(env Environment, text string) bool {
	spellings := [][]byte{[]byte(text), []byte(strings.Trim(quoted(text), `"`))}
	for _, c := range Clients() {
		for _, project := range []bool{false, true} {
			if project && !c.hasProjectFile() {
				continue
			}
			ch, err := open(env, c, project)
			if err != nil {
				return true
			}
			for _, spelling := range spellings {
				if bytes.Contains(ch.before, spelling) {
					return true
				}
			}
		}
	}
	return false
}
