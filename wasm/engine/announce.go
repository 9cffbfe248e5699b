package engine

// changed passes a change of a source to the subscriptions that it concerns, if
// policy still allows it. It never blocks.
func (e *Engine) changed(m *mount, change Change) {
	if which := change.lists(); which != 0 {
		e.announceLists(which)
	}
	switch uri := m.prefix + change.URI; {
	case change.URI == "":
	case change.Under:
		for _, uri := range e.registry.under(uri) {
			e.announce(uri)
		}
	default:
		e.announce(uri)
	}
}

func (e *Engine) announce(uri string) {
	for _, s := range e.registry.subscribers(uri) {
		if e.options.Allow(s.who, VerbWatch, uri) {
			s.enqueue(uri)
		}
	}
}

// announceLists enqueues a notification in each subscription to these lists.
func (e *Engine) announceLists(which lists) {
	for s, which := range e.registry.listeners(which & e.options.announced()) {
		for i, key := range listKeys {
			if which&(1<<i) != 0 {
				s.enqueue(key)
			}
		}
	}
}

// announced returns the lists whose changes are announced: those of what is
// offered.
func (o *Options) announced() lists {
	which := resourcesList
	if o.Prompts {
		which |= promptsList
	}
	if o.Tools {
		which |= toolsList
	}
	if o.NoListChanged {
		which = 0
	}
	return which
}

// lists is a set of the lists that a [Change] can concern.
type lists uint8

const (
	resourcesList lists = 1 << iota
	promptsList
	toolsList
	allLists = resourcesList | promptsList | toolsList
)

// listKeys stand for lists where URIs are, in the order of [lists]. None is a URI.
var listKeys = [...]string{"", "prompts", "tools"}

// lists returns which lists a change concerns.
func (c Change) lists() (which lists) {
	if c.List {
		which |= resourcesList
	}
	if c.Prompts {
		which |= promptsList
	}
	if c.Tools {
		which |= toolsList
	}
	return which
}
