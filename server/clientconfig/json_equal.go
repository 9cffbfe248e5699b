package clientconfig

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// same compares the literals themselves, so that numbers keep their spelling.
func (jsonFormat) same(before, after []byte, all []place) bool {
	a, errA := parseJSON(before)
	b, errB := parseJSON(after)
	if errA != nil || errB != nil {
		return false
	}
	for _, p := range all {
		if !dropJSON(&a, &b, p) {
			return false
		}
	}
	return equalJSON(a, b)
}

// dropJSON removes what is at p from both documents, and a parent that only one has if
// nothing else is in it.
func dropJSON(a, b *hujson.Value, p place) bool {
	for _, document := range []*hujson.Value{a, b} {
		if document.Value == nil {
			document.Value = &hujson.Object{}
		}
	}
	var at [2]location
	for i, document := range []*hujson.Value{a, b} {
		l, err := locateJSON(*document, p)
		if err != nil {
			return false
		}
		at[i] = l
		if l.index < 0 {
			continue
		}
		switch parent := l.parent.Value.(type) {
		case *hujson.Object:
			parent.Members = append(parent.Members[:l.index:l.index], parent.Members[l.index+1:]...)
		case *hujson.Array:
			parent.Elements = append(parent.Elements[:l.index:l.index], parent.Elements[l.index+1:]...)
		}
	}
	for i, l := range at {
		if other := at[1-i]; l.parent == nil || other.parent != nil || !isEmptyJSON(*l.parent) {
			continue
		}
		l.root.Members = append(l.root.Members[:l.at:l.at], l.root.Members[l.at+1:]...)
	}
	return true
}

func isEmptyJSON(v hujson.Value) bool {
	switch v := v.Value.(type) {
	case *hujson.Object:
		return len(v.Members) == 0
	case *hujson.Array:
		return len(v.Elements) == 0
	}
	return false
}

func equalJSON(a, b hujson.Value) bool {
	switch a := a.Value.(type) {
	case *hujson.Object:
		b, ok := b.Value.(*hujson.Object)
		if !ok || len(a.Members) != len(b.Members) {
			return false
		}
		for i := range a.Members {
			if !equalJSON(a.Members[i].Name, b.Members[i].Name) || !equalJSON(a.Members[i].Value, b.Members[i].Value) {
				return false
			}
		}
		return true
	case *hujson.Array:
		b, ok := b.Value.(*hujson.Array)
		if !ok || len(a.Elements) != len(b.Elements) {
			return false
		}
		for i := range a.Elements {
			if !equalJSON(a.Elements[i], b.Elements[i]) {
				return false
			}
		}
		return true
	case hujson.Literal:
		b, ok := b.Value.(hujson.Literal)
		return ok && bytes.Equal(a, b)
	}
	return a.Value == nil && b.Value == nil
}
