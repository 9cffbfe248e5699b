package fit

import (
	"strings"
	"testing"
)

// What APIs refuse is not in the list of a client: the list accepts what the page accepts, and the
// description has what is missing.
func TestSchemasAreThoseOfModelAPIs(t *testing.T) {
	for about, test := range map[string]struct{ own, want, note string }{
		"as it is":              {`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`, "", ""},
		"no properties":         {`{"type":"object"}`, `{"type":"object","properties":{}}`, ""},
		"alternatives":          {`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"anyOf":[{"properties":{"a":{"type":"number"}},"required":["a","id"]},{"properties":{"b":{"type":"number"}},"required":["b"]}]}`, `{"type":"object","properties":{"id":{"type":"string"},"a":{"type":"number"},"b":{"type":"number"}},"required":["id"]}`, `{"anyOf":[{"properties":{"a"`},
		"all of them":           {`{"type":"object","allOf":[{"properties":{"a":{}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}]}`, `{"type":"object","properties":{"a":{},"b":{}},"required":["a","b"]}`, `{"allOf"`},
		"a kind in each":        {`{"type":"object","oneOf":[{"properties":{"k":{"const":"a"}},"required":["k"]},{"properties":{"k":{"const":"b"}},"required":["k"]}]}`, `{"type":"object","properties":{"k":{"anyOf":[{"const":"a"},{"const":"b"}]}},"required":["k"]}`, `{"oneOf"`},
		"a reference":           {`{"type":"object","$ref":"#/$defs/x","$defs":{"x":{"properties":{"a":{}},"required":["a"]}}}`, `{"type":"object","$defs":{"x":{"properties":{"a":{}},"required":["a"]}},"properties":{"a":{}},"required":["a"]}`, `{"$ref"`},
		"a reference to itself": {`{"type":"object","$ref":"#/$defs/x","$defs":{"x":{"$ref":"#/$defs/x"}}}`, `{"type":"object","$defs":{"x":{"$ref":"#/$defs/x"}},"properties":{}}`, `{"$ref"`},
		"below, it stays":       {`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"number"}]}}}`, "", ""},
		"exclusive, whole":      {`{"type":"object","properties":{"n":{"type":"integer","exclusiveMinimum":0,"exclusiveMaximum":10}}}`, `{"type":"object","properties":{"n":{"type":"integer","minimum":1,"maximum":9}}}`, ""},
		"exclusive":             {`{"type":"object","properties":{"n":{"type":"number","exclusiveMinimum":0,"description":"How many."}}}`, `{"type":"object","properties":{"n":{"type":"number","minimum":0,"description":"How many. More than 0."}}}`, ""},
		"formats":               {`{"type":"object","properties":{"a":{"type":"string","format":"email"},"b":{"type":"string","format":"date-time"}}}`, `{"type":"object","properties":{"a":{"type":"string","description":"Format: email."},"b":{"type":"string","format":"date-time"}}}`, ""},
		"deep":                  {`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}}}`, `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{}}}}}`, ""},
		"keys":                  {`{"type":"object","properties":{"items[]":{"type":"array"},"items__":{}},"required":["items[]"]}`, `{"type":"object","properties":{"items___2":{"type":"array","description":"In a call its name is \"items[]\"."},"items__":{}},"required":["items___2"]}`, ""},
		"data is left":          {`{"type":"object","properties":{"a":{"default":{"type":"object"},"enum":[{"format":"email"}]}}}`, "", ""},
		"nonsense":              {`{"type":"object","properties":5,"required":"a","anyOf":7,"$ref":null}`, `{"type":"object","properties":{}}`, `{"anyOf":7,"$ref":null}`},
	} {
		got := string(Fitter{}.Tool("t", []byte(`{"name":"t","description":"Does it.","inputSchema":`+test.own+`}`)))
		want := test.want
		if want == "" {
			want = test.own
		}
		if !strings.HasSuffix(got, `"inputSchema":`+want+`}`) {
			t.Errorf("%s:\n got %s\nwant %s", about, got, want)
		}
		if strings.Contains(got, "must also fit") != (test.note != "") || !strings.Contains(got, strings.ReplaceAll(test.note, `"`, `\"`)) || !strings.Contains(got, "Does it.") {
			t.Errorf("%s: the description of %s has no %s", about, got, test.note)
		}
	}
}

// A schema of a page that multiplies by its references costs no more than a long one.
func TestSchemasOfReferencesAreBounded(t *testing.T) {
	var defs strings.Builder
	for i := range 12 {
		ref := `{"$ref":"#/$defs/d` + string(rune('a'+i+1)) + `"}`
		defs.WriteString(`"d` + string(rune('a'+i)) + `":{"anyOf":[` + strings.Repeat(ref+",", 9) + ref + `]},`)
	}
	own := `{"type":"object","$ref":"#/$defs/da","$defs":{` + defs.String() + `"x":{}}}`
	got := Fitter{}.Tool("t", []byte(`{"name":"t","inputSchema":`+own+`}`))
	if len(got) > 3*len(own) {
		t.Errorf("%d bytes became %d", len(own), len(got))
	}
}

// FuzzTool: whatever the schema, the result is one object with properties and without combinators.
func FuzzTool(f *testing.F) {
	f.Add(`{"type":"object","anyOf":[{"properties":{"a":{"exclusiveMinimum":1}}}]}`)
	f.Fuzz(func(t *testing.T, schema string) {
		Fitter{}.Tool("t", []byte(`{"name":"t","inputSchema":`+schema+`}`)) // does not panic
	})
}
