package clientconfig

import (
	"fmt"
	"regexp"
)

// A Server is the MCP server to add. It is a command or a URL.
type Server struct {
	Name    string   // letters, digits, '-' and '_'
	Command []string // program and arguments; for stdio

	URL       string // for HTTP; Command is not used then
	TokenFile string // contains the bearer token of URL

	// HeadersCommand is a command line that prints {"Authorization": "Bearer TOKEN"}, for
	// clients that run such a command.
	HeadersCommand string

	// Token is written into the file in clear text. If it is empty, the file refers to
	// TokenFile; clients that cannot do so need the token.
	Token string
}

// A TokenNeededError reports that a client cannot refer to a token that is in a file.
type TokenNeededError struct{ Client string }

// Error implements error.
func (e *TokenNeededError) Error() string {
	return fmt.Sprintf("%s cannot read the token from a file: omit --http, since commands need no token, or copy the token in clear text into the file by --write-token", e.Client)
}

// An object is a JSON object, TOML table or YAML map with its order. Values are string,
// bool, int, []string and object.
type object []member

type member struct {
	key   string
	value any
}

func (s Server) commandAndArgs() object {
	return object{{"command", s.Command[0]}, {"args", s.Command[1:]}}
}

func (s Server) headers(authorization string) member {
	return member{"headers", object{{"Authorization", authorization}}}
}

// tokenOr returns the token, or a reference to it.
func (s Server) tokenOr(reference string) string {
	if s.Token != "" {
		return s.Token
	}
	return reference
}

// urlAndToken returns the form of clients that cannot refer to a file.
func urlAndToken(title string) func(Server) (object, error) {
	return func(s Server) (object, error) {
		if s.Token == "" {
			return nil, &TokenNeededError{title}
		}
		return object{{"url", s.URL}, s.headers("Bearer " + s.Token)}, nil
	}
}

// inputReference is how an entry of VS Code refers to a value that VS Code asks for once
// and keeps in the system's store of secrets.
func inputReference(id string) string { return "${input:" + id + "}" }

// input returns the description of that value.
func (s Server) input() object {
	return object{
		{"type", "promptString"}, {"id", s.Name},
		{"description", "the line in " + s.TokenFile}, {"password", true},
	}
}

// A place is where a value is in a file: the member name of the object parent, or the
// element of the array parent whose id is name.
type place struct {
	parent, name string
	element      bool
}

// A placement is a value and its place.
type placement struct {
	place
	value object
}

// placements returns what to add to the file of c for s.
func (c Client) placements(s Server) ([]placement, error) {
	if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`).MatchString(s.Name) {
		return nil, fmt.Errorf("the name %q is not valid: use letters, digits, '-' and '_'", s.Name)
	}
	if s.URL == "" {
		return []placement{{place{c.parent, s.Name, false}, c.stdio(s)}}, nil
	}
	if c.http == nil {
		return nil, fmt.Errorf("%s starts commands only: omit --http", c.Title)
	}
	entry, err := c.http(s)
	if err != nil {
		return nil, err
	}
	all := []placement{{place{c.parent, s.Name, false}, entry}}
	if c.ID == "vscode" && s.Token == "" {
		all = append(all, placement{place{"inputs", s.Name, true}, s.input()})
	}
	return all, nil
}

// plain returns an object as decoders return it, with every number as float64.
func plain(value any) any {
	switch v := value.(type) {
	case object:
		all := map[string]any{}
		for _, m := range v {
			all[m.key] = plain(m.value)
		}
		return all
	case map[string]any:
		all := map[string]any{}
		for key, one := range v {
			all[key] = plain(one)
		}
		return all
	case []string:
		all := make([]any, len(v))
		for i, one := range v {
			all[i] = one
		}
		return all
	case []any:
		all := make([]any, len(v))
		for i, one := range v {
			all[i] = plain(one)
		}
		return all
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	}
	return value
}
