package oauth

import (
	"encoding/json"
	"net/http/httptest"
	"reflect"
	"testing"
)

func TestMetadataDocuments(t *testing.T) {
	handler, err := NewMetadataHandler(Metadata{PublicURL: testURL, Issuer: testIssuer, Name: "Notes", Scopes: ScopeNames{callTools: "api://call"}})
	if err != nil {
		t.Fatal(err)
	}
	for path, resource := range map[string]string{
		metadataPath: testMCP, metadataPath + "/mcp": testMCP, metadataPath + "/mcp/notes-k7qd2m": testMCP + "/notes-k7qd2m",
		metadataPath + "/mcp/": "", metadataPath + "/mcp/Notes": "", metadataPath + "/mcp/a/b": "", metadataPath + "/page": "", metadataPath + "x": "", "/mcp": "",
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", path, nil)
		r.Host = "evil.example"
		handler.ServeHTTP(w, r)
		if resource == "" {
			if w.Code != 404 {
				t.Errorf("%s: %d", path, w.Code)
			}
			continue
		}
		var got map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatalf("%s: %d %v", path, w.Code, err)
		}
		want := map[string]any{
			"resource": resource, "authorization_servers": []any{testIssuer}, "bearer_methods_supported": []any{"header"},
			"scopes_supported": []any{"resources:read", "prompts:get", "api://call"}, "resource_name": "Notes",
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v", path, got)
		}
		for name, want := range map[string]string{
			"Content-Type": "application/json", "Access-Control-Allow-Origin": "*", "Cache-Control": "max-age=300", "Cross-Origin-Resource-Policy": "cross-origin",
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
	}
	for method, want := range map[string]int{"HEAD": 200, "OPTIONS": 204, "POST": 405, "DELETE": 405} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(method, metadataPath+"/mcp", nil))
		if w.Code != want || w.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %d %v", method, w.Code, w.Header())
		}
	}
}
