package main

import (
	"context"
	"strconv"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Events of the app, and the window's store of those that it keeps.

// keptEvents is not nil once the app has events that are kept, and closed when those of earlier
// programs are there.
var keptEvents chan struct{}

// registerEvent registers, removes or emits an event: element is its description, with keep where
// it is kept; or an object of remove, its name; or one of emit, its name, data, and time (ms since
// 1970). Only descriptions are registered again for the next program.
func registerEvent(element []byte) error {
	if name, ok := jsonrpc.Text(jsonrpc.Member(element, "remove")); ok {
		serving.RemoveEvent(name)
		return nil
	}
	if name, ok := jsonrpc.Text(jsonrpc.Member(element, "emit")); ok {
		return emitEvent(name, element)
	}
	event, err := engine.ParseEvent(element)
	if err != nil {
		return err
	}
	isKept := string(jsonrpc.Member(element, "keep")) == "true"
	if isKept {
		restoreEvents()
	}
	return serving.PutEvent(event, isKept)
}

func emitEvent(name string, element []byte) error {
	at, _ := jsonrpc.Int(jsonrpc.Member(element, "time"))
	number, isKept, err := serving.Emit(name, jsonrpc.Member(element, "data"), time.UnixMilli(at))
	if err == nil && isKept {
		text := aboutTasks() + raw(`,"event":`, element) + `,"number":` + strconv.Itoa(int(number)) + "}"
		go func() { // ends with the answer
			<-keptEvents // its number counts from theirs
			registered.exchange(context.Background(), opEvents, text)
		}()
	}
	return err
}

// restoreEvents takes over the events that earlier programs have left.
func restoreEvents() {
	if keptEvents != nil {
		return
	}
	keptEvents = make(chan struct{})
	go func() { // ends with the answer
		if a, err := registered.exchange(context.Background(), opEvents, aboutTasks()+"}"); err == nil && a.reason == reasonNone {
			serving.RestoreEvents(a.text)
		}
		close(keptEvents)
	}()
}
