package engine

import "testing"

// One match of each kind: by the scan from the left (the first three), and in general.
func BenchmarkMatch(b *testing.B) {
	for _, test := range [][2]string{
		{"app://t17/items/{id}", "app://t17/items/5"},
		{"idb:///{database}/{store}/{key}", "idb:///shop/orders/n.1"},
		{"opfs:///{+path}", "opfs:///notes/2026/cart.txt"},
		{"x:{+path}/{name}", "x:a/b/c.txt"},
		{"idb:///{database}/{store}/range{?from,to,after}", "idb:///shop/orders/range?from=n.1&to=n.9"},
	} {
		m, err := newMatcher(test[0])
		if err != nil {
			b.Fatal(err)
		}
		b.Run(test[0], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := m.match(test[1]); !ok {
					b.Fatal("no match")
				}
			}
		})
	}
}
