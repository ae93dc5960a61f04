package intent

// Size is how much a lexicon knows, for people.
type Size struct {
	Names    int // texts of programs and services
	Words    int // texts of concepts, verbs and kinds of programs
	Rules    int
	Features int // that something was learned of
	Own      int // phrases of the person's own
}

// Size counts what the lexicon knows.
func (l *Lexicon) Size() Size {
	return Size{
		Names: len(l.index[layerName]),
		Words: len(l.index[layerConcept]) + len(l.index[layerVerb]) + len(l.index[layerTopic]),
		Rules: len(l.rules), Features: l.weights.features, Own: len(l.own),
	}
}
