package main

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/server"
	"github.com/pagemcp/pagemcp/server/clientconfig"
)

// Texts in configuration files of clients, in all of their formats.
var (
	bearer  = regexp.MustCompile(`Bearer\s+([A-Za-z0-9_-]{43,})`)
	namesIt = regexp.MustCompile(`--as["']?[\s,-]*["']?([a-z][a-z0-9-]*)`)
)

// checkName looks at the name that a client gives to `pagemcp stdio`: the gateway refuses it
// after its token was revoked or has expired.
func checkName(ctx context.Context, s clientconfig.Status, state string, add func(client string, level server.Level, text, advice string)) {
	text, _ := os.ReadFile(s.Path)
	all, err := server.Assistants(ctx, state)
	if err != nil {
		add(s.Client.Title, server.LevelProblem, err.Error(), "restart the gateway")
		return
	}
	for _, m := range namesIt.FindAllSubmatch(text, -1) {
		for _, a := range all {
			if a.Name == string(m[1]) && a.Name == s.Client.ID && !a.IsUsable(time.Now()) {
				add(s.Client.Title, server.LevelProblem, "the gateway refuses "+a.Name+": its token "+whyEnded(a), "`pagemcp token add "+a.Name+"` lets it in again")
				return
			}
		}
	}
}

func whyEnded(a server.NamedAssistant) string {
	if !a.Revoked.IsZero() {
		return "was revoked"
	}
	return "has expired"
}

// checkTokenOf looks at the token that a client uses over HTTP: in its file, or in a file of
// the state directory that it refers to. It returns what is wrong, or "".
func checkTokenOf(ctx context.Context, s clientconfig.Status, state, tokenFile, again string) (problem, advice string) {
	text, _ := os.ReadFile(s.Path)
	if stored := bearer.FindAllSubmatch(text, -1); len(stored) > 0 {
		return checkStoredTokens(stored, s, state, tokenFile, again+" --write-token")
	}
	named := namesIt.FindSubmatch(text)
	if named == nil && !strings.Contains(string(text), "tokens/"+s.Client.ID) && !strings.Contains(string(text), `tokens\\`+s.Client.ID) {
		return "", "" // the token of assistants without a name
	}
	all, err := server.Assistants(ctx, state)
	if err != nil {
		return err.Error(), "restart the gateway"
	}
	at := slices.IndexFunc(all, func(a server.NamedAssistant) bool { return a.Name == s.Client.ID })
	switch _, err := server.ReadSavedToken(state, s.Client.ID); {
	case at >= 0 && !all[at].IsUsable(time.Now()):
		return "the gateway refuses " + s.Client.ID + ": its token " + whyEnded(all[at]), again
	case at < 0 || err != nil:
		return s.Client.ID + " has no token of its own", again
	}
	return "", ""
}

// checkStoredTokens looks at the tokens in the file of a client: one of them has to be valid.
func checkStoredTokens(stored [][][]byte, s clientconfig.Status, state, tokenFile, again string) (problem, advice string) {
	unnamed, err := os.ReadFile(tokenFile)
	if err != nil {
		return "", "" // the check of the token says so
	}
	problem = s.Path + " has an old token"
	for _, m := range stored {
		a, ok := server.AssistantOf(state, string(m[1]))
		switch {
		case string(m[1]) == strings.TrimSpace(string(unnamed)), ok && a.IsUsable(time.Now()):
			return "", ""
		case ok:
			problem = s.Path + " has the token of " + a.Name + ", which " + whyEnded(a)
		}
	}
	return problem, again
}
