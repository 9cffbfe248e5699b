package fit

// Tool returns the description of a tool with schemas that model APIs take.
func (f Fitter) Tool(object []byte) []byte { return object }
