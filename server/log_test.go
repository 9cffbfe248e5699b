package server

import "log/slog"

// A lineWriter gets each record of a log as one line.
type lineWriter func(line string)

func (w lineWriter) Write(line []byte) (int, error) {
	w(string(line))
	return len(line), nil
}

func logTo(write func(line string)) *slog.Logger {
	return slog.New(slog.NewTextHandler(lineWriter(write), nil))
}
