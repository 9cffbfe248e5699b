package remote_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

func TestWrongAnswersOfAPageAreNotServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGathering(t)
		answer := ""
		g.page("notes", func(jsonrpc.Message) string { return `"result":` + answer })
		d := g.client()
		for _, all := range []map[string][]enginetest.WrongAnswer{enginetest.WrongAnswers, enginetest.WrongAnswersOfPages} {
			for method, cases := range all {
				for _, c := range cases {
					answer = c.Text
					enginetest.CheckAnswer(t, d, &g.reports, method, "notes+", "notes.", c.Text, c.Problem)
					time.Sleep(time.Second)
				}
			}
		}
		g.end()
	})
}
