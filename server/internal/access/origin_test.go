package access

import "testing"

func TestOriginsAreSpelledAsBrowsersSendThem(t *testing.T) {
	for _, origin := range []string{
		"http://localhost:5173", "https://app.example", "https://app.example:8443", "http://[::1]:8080",
		"chrome-extension://abcdefghijklmnopponmlkjihgfedcba",
		"moz-extension://0f4a7a52-9c1e-4d2b-8f3a-6b5c4d3e2f10",
	} {
		if err := CheckOrigin(origin); err != nil {
			t.Error(err)
		}
	}
	for _, origin := range []string{
		"", "null", "*", "https://*", "https://app.example/", "https://APP.example", "https://app.example:443", "file:///",
		"chrome-extension://", "chrome-extension://*", "chrome-extension:",
		"chrome-extension://abcdefghijklmnopponmlkjihgfedcb",   // a letter is missing
		"chrome-extension://abcdefghijklmnopponmlkjihgfedcbaa", // one too many
		"chrome-extension://abcdefghijklmnopponmlkjihgfedcbq",
		"chrome-extension://abcdefghijklmnopponmlkjihgfedcba/",
		"chrome-extension://Abcdefghijklmnopponmlkjihgfedcba",
		"Chrome-Extension://abcdefghijklmnopponmlkjihgfedcba",
		"chrome-extension://abcdefghijklmnopponmlkjihgfedcba:80",
		"moz-extension://", "moz-extension://*",
		"moz-extension://0F4A7A52-9C1E-4D2B-8F3A-6B5C4D3E2F10",
		"moz-extension://0f4a7a529c1e4d2b8f3a6b5c4d3e2f100000",
		"moz-extension://0f4a7a52-9c1e-4d2b-8f3a-6b5c4d3e2f10/",
		"moz-extension://abcdefghijklmnopponmlkjihgfedcba",
		"safari-web-extension://0f4a7a52-9c1e-4d2b-8f3a-6b5c4d3e2f10",
	} {
		if CheckOrigin(origin) == nil {
			t.Errorf("origin %q is accepted", origin)
		}
	}
}
