package clientconfig

import (
	"fmt"
	"slices"
	"strings"
)

// A Client is a program that connects to the MCP servers of a configuration file.
type Client struct {
	ID    string // on the command line, such as "vscode"
	Title string // its name, such as "VS Code"

	// NoResources reports that it uses tools only, or tools and prompts: it reads
	// resources by the gateway's tools.
	NoResources bool

	Reload string // what the user does so that the client reads its file again; a sentence
	Seen   bool   // the format was tried with the client; otherwise it is that of its documentation

	format  format
	parent  string // member that contains the servers
	user    func(Environment) []string
	project []string // path in a project; nil if there is none
	stdio   func(Server) object
	http    func(Server) (object, error) // nil if the client starts commands only
}

// checked is the date on which formats and paths were compared with the clients or their
// documentation.
const checked = "2026-11-21"

// ClientNamed returns the client with an ID. The error lists all of them.
func ClientNamed(id string) (Client, error) {
	var ids []string
	for _, c := range Clients() {
		if c.ID == id {
			return c, nil
		}
		ids = append(ids, c.ID)
	}
	return Client{}, fmt.Errorf("there is no client %q: use one of %s", id, strings.Join(ids, ", "))
}

// hasProjectFile reports whether the client has a file for servers of one project.
func (c Client) hasProjectFile() bool { return c.project != nil }

// File returns the path of the client's configuration file: that of the user, or that of
// the project in env.Dir. Of several possible files it is the first that exists, else
// the first whose directory exists, else the first.
func (c Client) File(env Environment, project bool) (string, error) {
	var paths []string
	switch {
	case !project:
		paths = c.user(env)
	case c.project == nil:
		return "", fmt.Errorf("%s has no configuration file for a project: omit --project", c.Title)
	default:
		paths = []string{env.join(append([]string{env.Dir}, c.project...)...)}
		if with := paths[0] + "c"; c.ID == "opencode" {
			paths = append(paths, with)
		}
	}
	if i := slices.IndexFunc(paths, env.Exists); i >= 0 {
		return paths[i], nil
	}
	if i := slices.IndexFunc(paths, func(path string) bool { return env.Exists(env.parent(path)) }); i >= 0 {
		return paths[i], nil
	}
	return paths[0], nil
}

// Found reports whether the client seems to be installed: its file or the directory of
// its file exists, or its program is on the PATH.
func (c Client) Found(env Environment) bool {
	for _, path := range c.user(env) {
		if dir := env.parent(path); env.Exists(path) || dir != env.Home && env.Exists(dir) {
			return true
		}
	}
	if c.ID == claudeCode {
		_, ok := env.LookPath(claudeProgram)
		return ok
	}
	return false
}
