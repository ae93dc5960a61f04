package agent

import (
	_ "embed"
	"strings"
	"text/template"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/memory"
)

//go:embed prompt.md
var promptText string

// promptTemplate is the system prompt (NARE TDD section 9.2): identity and rules, then the notes as fenced
// data.
var promptTemplate = template.Must(template.New("prompt").Parse(promptText))

type prompt struct {
	Lang     i18n.Lang
	SafeMode bool
	// OnlyAsked says that notes are saved only when asked to.
	OnlyAsked bool
	Marker    string
	Autonomy  Autonomy
	Sections  []memory.Section
	Fence     fence
	Now       time.Time
}

// Language returns the answer's language in English, for the prompt.
func (p prompt) Language() string {
	switch p.Lang {
	case i18n.Korean:
		return "Korean (polite 해요체)"
	case i18n.Chinese:
		return "Chinese"
	case i18n.Traditional:
		return "Chinese, in traditional characters"
	}
	return "English"
}

// Date returns the current date and time.
func (p prompt) Date() string { return p.Now.Format("2006-01-02 15:04 MST, Monday") }

// Fenced returns a section's text as fenced data.
func (p prompt) Fenced(s memory.Section) string { return p.Fence.wrap(s.Title, s.Text) }

func systemPrompt(p prompt) string {
	var b strings.Builder
	if err := promptTemplate.Execute(&b, p); err != nil { // a strings.Builder cannot fail
		panic(err)
	}
	return b.String()
}
