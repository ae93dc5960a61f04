package agent

import (
	_ "embed"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/memory"
)

// promptText is the system prompt (NARE TDD section 9.2): identity and rules, then the notes as fenced data. Names in
// braces represent a turn's values. It is no text/template, which makes the linker keep every exported method.
//
//go:embed prompt.md
var promptText string

type prompt struct {
	Lang     i18n.Lang
	SafeMode bool
	// OnlyAsked says that notes are saved only when asked to.
	OnlyAsked bool
	Marker    string
	Autonomy  Autonomy
	// Instructions are the person's for this agent.
	Instructions string
	Sections     []memory.Section
	Fence        fence
	Now          time.Time
}

// language returns the answer's language in English, for the prompt.
func (p prompt) language() string {
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

func systemPrompt(p prompt) string {
	save, safe := "states a lasting fact or preference, or asks you to", "off"
	if p.OnlyAsked {
		save = "asks you to, and only then"
	}
	if p.SafeMode {
		safe = "on"
	}
	var rules, sections strings.Builder
	for _, rule := range p.AutonomyRules() {
		rules.WriteString("- " + rule + "\n")
	}
	if p.Instructions != "" {
		rules.WriteString("\nThe person set this for you, within the rules above:\n" + p.Instructions + "\n")
	}
	for _, s := range p.Sections {
		sections.WriteString("\n" + p.Fence.wrap(s.Title, s.Text) + "\n")
	}
	// The values are not searched for names again.
	return strings.NewReplacer(
		"{when_to_save}", save, "{language}", p.language(), "{safe_mode}", safe, "{now}", p.Now.Format("2006-01-02 15:04 MST, Monday"),
		"{autonomy}", p.Autonomy.Level, "{rules}", rules.String(), "{marker}", p.Marker, "{sections}", sections.String(),
	).Replace(promptText)
}
