package chat

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/nidoit/blunux-ai/i18n"
)

// vi is the state of the keys of vi. They edit the question and scroll the conversation; a confirmation keeps its own
// keys, so that no habit answers it.
type vi struct {
	on     bool
	normal bool   // keys are commands
	first  string // the first key of a command of two, or ""
}

// viEdits are the commands of one key that the text area carries out, as its own keys.
var viEdits = map[string][]tea.KeyPressMsg{
	"h": {{Code: tea.KeyLeft}},
	"l": {{Code: tea.KeyRight}},
	"w": {{Code: 'f', Mod: tea.ModAlt}},
	"e": {{Code: 'f', Mod: tea.ModAlt}},
	"b": {{Code: 'b', Mod: tea.ModAlt}},
	"0": {{Code: tea.KeyHome}},
	"^": {{Code: tea.KeyHome}},
	"$": {{Code: tea.KeyEnd}},
	"x": {{Code: tea.KeyDelete}},
	"D": {{Code: 'k', Mod: tea.ModCtrl}},
	"C": {{Code: 'k', Mod: tea.ModCtrl}},
	"a": {{Code: tea.KeyRight}},
	"I": {{Code: tea.KeyHome}},
	"A": {{Code: tea.KeyEnd}},
	"o": {{Code: tea.KeyEnd}, {Code: 'j', Mod: tea.ModCtrl}},
	"O": {{Code: tea.KeyHome}, {Code: 'j', Mod: tea.ModCtrl}, {Code: tea.KeyUp}},
}

// viInserts are the commands after which keys are text again.
const viInserts = "iaIAoOC"

// handleViKey handles a key if the keys of vi are on. It returns false if the key has its usual meaning.
func (m *model) handleViKey(name string, msg tea.KeyPressMsg) bool {
	v := &m.vi
	switch {
	case !v.on || m.list != nil || m.search != nil:
		return false
	case !v.normal:
		v.normal = name == "esc"
		return v.normal
	case msg.Text == "" && name != "ctrl+d" && name != "ctrl+u":
		v.first = ""
		return name == "esc" && !m.state.isBusy()
	}
	key, isKey := viKey(name, msg.Text)
	if !isKey { // composed text is a question, not a command
		v.normal, v.first = false, ""
		m.prompt.write(msg)
		return true
	}
	two := v.first + key
	v.first = ""
	switch {
	case two == "gg":
		m.log.toTop()
	case two == "dd", two == "cc":
		m.prompt.clear()
		v.normal = two == "dd"
	case key == "g", key == "d", key == "c":
		v.first = key
	case !m.scrollVi(key):
		m.editVi(key)
	}
	return true
}

// scrollVi scrolls the conversation and reports whether the key does.
func (m *model) scrollVi(key string) bool {
	half := max(m.log.height/2, 1)
	switch key {
	case "j":
		m.log.scroll(1)
	case "k":
		m.log.scroll(-1)
	case "ctrl+d":
		m.log.scroll(half)
	case "ctrl+u":
		m.log.scroll(-half)
	case "G":
		m.log.toEnd()
	default:
		return false
	}
	return true
}

// editVi edits the question.
func (m *model) editVi(key string) {
	for _, k := range viEdits[key] {
		typeKey(&m.prompt.area, k)
	}
	if strings.Contains(viInserts, key) {
		m.vi.normal = false
	}
}

// viKey returns the key that a press means: a letter of the Korean keyboard is the key that it is on. It returns false for
// text that no single key types.
func viKey(name, text string) (string, bool) {
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case text == "":
		return name, true
	case size != len(text):
		return "", false
	case r < utf8.RuneSelf:
		return text, true
	}
	i := strings.IndexRune(koreanLetters, r)
	if i < 0 {
		return "", false
	}
	return string(koreanKeys[utf8.RuneCountInString(koreanLetters[:i])]), true
}

// The letters of the Korean keyboard (KS X 5002, two sets) that one key types, and their keys.
const (
	koreanLetters = "ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔㅁㄴㅇㄹㅎㅗㅓㅏㅣㅋㅌㅊㅍㅠㅜㅡㅃㅉㄸㄲㅆㅒㅖ"
	koreanKeys    = "qwertyuiopasdfghjklzxcvbnmQWERTOP"
)

// viMode returns the name of the mode, or "" without the keys of vi.
func (m *model) viMode() string {
	switch {
	case !m.vi.on:
		return ""
	case m.vi.normal:
		return i18n.ChatViNormal.In(m.lang)
	}
	return i18n.ChatViInsert.In(m.lang)
}
