package remote

import (
	"reflect"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A list that differs from the cached one in any field of an entry is a change.
func TestEachFieldOfAListCounts(t *testing.T) {
	differ := func(entry any, same func() bool) {
		t.Helper()
		fields := reflect.ValueOf(entry).Elem()
		for i := range fields.NumField() {
			field := fields.Field(i)
			switch field.Interface().(type) {
			case string:
				field.SetString("x")
			case int64:
				field.SetInt(1)
			case []byte:
				field.SetBytes([]byte("{}"))
			default:
				t.Fatalf("%s: compare a field of type %s, too", fields.Type().Field(i).Name, field.Type())
			}
			if same() {
				t.Errorf("a change of %s of %s is none", fields.Type().Field(i).Name, fields.Type())
			}
			field.SetZero()
		}
		if !same() {
			t.Errorf("two equal entries of %s differ", fields.Type())
		}
	}
	var r engine.Resource
	differ(&r, func() bool {
		return sameListing(engine.Listing{Resources: []engine.Resource{r}}, engine.Listing{Resources: []engine.Resource{{}}})
	})
	var template engine.Template
	differ(&template, func() bool { return sameTemplate(template, engine.Template{}) })
	var named engine.Named
	differ(&named, func() bool { return sameNamed(named, engine.Named{}) })
}
