package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
)

func TestWrongAnswersAreNotServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := ""
		reply := func(context.Context, []byte) ([]byte, error) { return []byte(answer), nil }
		table := engine.NewTable()
		if err := table.Put(engine.Entry{Kind: engine.Tools, JSON: []byte(`{"name":"t","inputSchema":{"type":"object"}}`), Call: reply}); err != nil {
			t.Fatal(err)
		}
		if err := table.Put(engine.Entry{Kind: engine.Prompts, JSON: []byte(`{"name":"p"}`), Call: reply}); err != nil {
			t.Fatal(err)
		}
		var reported enginetest.Reports
		e := engine.New(engine.Info{Name: "e", Version: "1"}, &engine.Options{Tools: true, Prompts: true, Report: reported.Add})
		e.Mount("", table)
		d := enginetest.NewDialogue(t, e)
		for method, cases := range enginetest.WrongAnswers {
			for _, c := range cases {
				answer = c.Text
				enginetest.CheckAnswer(t, d, &reported, method, "", "", c.Text, c.Problem)
				time.Sleep(time.Second) // the allowance of calls
			}
		}
		d.Port.Close()
		synctest.Wait()
	})
}
