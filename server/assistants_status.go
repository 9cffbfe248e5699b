package server

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// An AssistantStatus is what is known of one assistant: its rights, when it was used, and what
// it did last.
type AssistantStatus struct {
	NamedAssistant        // only Name and Used, for one without a token
	HasToken       bool   `json:"hasToken"`       // rights are those of the token; without one it may do everything
	Calls          string `json:"calls,omitzero"` // what it calls itself, as it says
	LastRead       *Read  `json:"lastRead,omitzero"`
	Requests       int    `json:"requests"` // since the gateway started
}

// assistantName returns the name of the assistant with a principal, for people.
func assistantName(principal string) string {
	switch principal {
	case unnamedPrincipal, stdioPrincipal, anyonePrincipal:
		return unnamedAssistant
	}
	return principal
}

// assistantStates joins the tokens with the clients that were active and their reads, which are
// in order of time, the latest first.
func assistantStates(named []NamedAssistant, clients []ActiveClient, reads []Read) []AssistantStatus {
	all := make([]AssistantStatus, 0, len(named)+1)
	for _, one := range named {
		all = append(all, AssistantStatus{NamedAssistant: one, HasToken: one.Revoked.IsZero()})
	}
	at := func(name string) *AssistantStatus {
		i := slices.IndexFunc(all, func(s AssistantStatus) bool { return s.Name == name })
		if i < 0 {
			i, all = len(all), append(all, AssistantStatus{NamedAssistant: NamedAssistant{Name: name}})
		}
		return &all[i]
	}
	for _, c := range clients {
		s := at(c.Assistant)
		s.Requests += c.Requests
		s.Calls = cmp.Or(s.Calls, c.Client)
		if c.Last.After(s.Used) {
			s.Used = c.Last
		}
	}
	for i := range reads {
		if s := at(reads[i].Assistant); s.LastRead == nil {
			s.LastRead = &reads[i]
		}
	}
	slices.SortStableFunc(all, func(x, y AssistantStatus) int {
		return cmp.Or(y.Used.Compare(x.Used), strings.Compare(x.Name, y.Name))
	})
	return all
}

// Rights returns the rights for people, like "read only, pages notes".
func (a *NamedAssistant) Rights(now time.Time) string {
	rights := []string{"read and act"}
	if a.ReadOnly {
		rights[0] = "read only"
	}
	if len(a.Apps) > 0 {
		rights = append(rights, "pages "+strings.Join(a.Apps, " "))
	}
	switch {
	case !a.Revoked.IsZero():
		rights = []string{"revoked"}
	case a.IsExpired(now):
		rights = []string{"expired"}
	case !a.Expires.IsZero():
		rights = append(rights, "until "+a.Expires.Format("2006-01-02 15:04"))
	}
	return strings.Join(rights, ", ")
}
