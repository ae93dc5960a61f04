package intent

// Size counts a lexicon's entries, for display.
type Size struct {
	Names       int // texts of programs and services
	Words       int // texts of concepts, verbs and kinds of programs
	Rules       int
	Features    int // features with learned weights
	UserPhrases int // phrases that the user defined
}

// Size counts the lexicon's entries.
func (l *Lexicon) Size() Size {
	return Size{
		Names: len(l.index[layerName]),
		Words: len(l.index[layerConcept]) + len(l.index[layerVerb]) + len(l.index[layerTopic]),
		Rules: len(l.rules), Features: l.weights.features, UserPhrases: len(l.userPhrases),
	}
}
