package engine

import "testing"

// A method without an entry requires the greatest right and is limited; each entry says what
// it names and returns.
func TestMethodsSayWhatTheyRequire(t *testing.T) {
	if m := MethodOf("tasks/run"); m.Right != RightCall || m.Rate != RateCalls || m.IsKnown() || m.Name != "tasks/run" {
		t.Errorf("an unknown method: %+v", m)
	}
	for _, m := range coreMethods {
		known := MethodOf(m.Name)
		if !known.IsKnown() || known.Name != m.Name || m.eras == 0 {
			t.Errorf("%q has no answer or no era", m.Name)
		}
		if m.Repeated && m.Named == "" {
			t.Errorf("%s: HTTP clients repeat a member that has no name", m.Name)
		}
		if m.Right == RightCall && m.Name != MethodCallTool {
			t.Errorf("%s requires the right to run tools", m.Name)
		}
	}
}
