package hosted

import "testing"

func TestLabelsAreBounded(t *testing.T) {
	for text, want := range map[string]string{"resources/read": "resources/read", "tools/call": "tools/call", "": otherLabel, "acme/x": otherLabel, "Resources/Read": otherLabel} {
		if got := methodLabel(text); got != want {
			t.Errorf("method %q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"ok": "ok", "cancelled": "cancelled", "busy": "busy", "dropped": "dropped", "refused": "refused",
		"403": "rejected", "499": "rejected", "500": "error", "-32602": "error", "-1": "error", "": "error", "any text": "error",
	} {
		if got := outcomeLabel(text); got != want {
			t.Errorf("outcome %q: %q, want %q", text, got, want)
		}
	}
}
