package i18n

// Sentence is a text with its arguments, for whoever finds something before it is
// known in which language it is read.
type Sentence struct {
	text Text
	args []any
}

// With returns the text with its arguments. An argument that is a Sentence is
// read in the language of the whole.
func (x Text) With(args ...any) Sentence { return Sentence{x, args} }

// Verbatim returns the words of others, which are the same in all languages.
func Verbatim(words string) Sentence { return T("%s", "%s", "%s").With(words) }

// In returns the sentence in a language.
func (s Sentence) In(lang Lang) string {
	args := make([]any, len(s.args))
	for i, a := range s.args {
		if inner, ok := a.(Sentence); ok {
			a = inner.In(lang)
		}
		args[i] = a
	}
	return s.text.In(lang, args...)
}

// IsZero reports whether there is no sentence.
func (s Sentence) IsZero() bool { return s.text.IsZero() }

// Failure is an error that has words in all languages.
type Failure struct {
	Sentence
	err error // what brought it about, or nil
}

// Failed returns an error with the words of a sentence, brought about by another
// one, or by none. The words hold what of that one is to be told.
func (s Sentence) Failed(because error) error { return &Failure{s, because} }

// Error returns the words in English, as logs have them.
func (f *Failure) Error() string { return f.In(English) }

// Unwrap returns what brought it about.
func (f *Failure) Unwrap() error { return f.err }

// Tell tells an error in a language: its own words where it has some, else its
// [Cause].
func Tell(err error, lang Lang) string { return Cause(err, lang) }
