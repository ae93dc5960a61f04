package i18n

// Sentence is a text with its arguments, for code that does not know the reader's language.
type Sentence struct {
	text Text
	args []any
}

// With returns the text with arguments. An argument that is a Sentence is translated too.
func (x Text) With(args ...any) Sentence { return Sentence{x, args} }

// Verbatim returns text that is the same in all languages.
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

// IsZero reports whether the sentence is empty.
func (s Sentence) IsZero() bool { return s.text.IsZero() }

// Failure is an error with a translated text.
type Failure struct {
	Sentence
	err error // the cause, or nil
}

// WithCause returns an error with the text of the sentence and the given cause, which can be nil. The text has to
// include what users should know of the cause.
func (s Sentence) WithCause(because error) error { return &Failure{s, because} }

// Error returns the English text, for logs.
func (f *Failure) Error() string { return f.In(English) }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.err }

// ErrorText returns an error's translated text if it has one, else its [Cause].
func ErrorText(err error, lang Lang) string { return Cause(err, lang) }
