package config

import "testing"

// The audience of tokens follows publicURL only together with it.
func TestTheDefaultAudienceStaysWithItsURL(t *testing.T) {
	for given, want := range map[string]string{"": "https://mcp.app.example/mcp", "https://api.example": "https://api.example"} {
		config := Config{PublicURL: "https://other.example"}
		if given != "" {
			config.Assistants.Audience = []string{given}
		}
		next := &Loaded{Config: config.WithDefaults()}
		keepPublicURL(&Loaded{Config: Config{PublicURL: "https://mcp.app.example"}}, next)
		if got := next.Config.Assistants.Audience; len(got) != 1 || got[0] != want || next.Config.PublicURL != "https://mcp.app.example" {
			t.Errorf("%q: %q", given, got)
		}
	}
}
