package tui

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

const (
	// longPaste and pasteLines are from when on pasted text stands beside the
	// question, not in it: in bytes and lines.
	longPaste, pasteLines = 8 << 10, 40
	// mostTyped is how long a question may grow in the input, in bytes.
	mostTyped = 32 << 10
	// promptSign stands before the first row of the input, and nowhere else.
	promptSign  = "› "
	promptWidth = 2
)

// prompt is where the person writes: text, and what was pasted beside it.
type prompt struct {
	area  textarea.Model
	clips []clip
}

// draft is what was written in a prompt.
type draft struct {
	text  string
	clips []clip
}

func (d draft) empty() bool { return d.text == "" && len(d.clips) == 0 }

func (p *prompt) draft() draft { return draft{p.text(), p.clips} }

// clip is a long text that was pasted.
type clip struct {
	ends  ipc.Ends
	lines int
}

// newArea is a text area without anything that moves, blinks or starts programs.
func newArea() textarea.Model {
	a := textarea.New()
	a.Prompt, a.ShowLineNumbers, a.CharLimit = "", false, 0
	a.DynamicHeight, a.MinHeight, a.MaxHeight, a.MaxContentHeight, a.MaxWidth = true, 1, 5, 1<<20, 0
	none, plain := key.NewBinding(), lipgloss.NewStyle()
	a.KeyMap.InsertNewline = key.NewBinding(key.WithKeys("alt+enter", "shift+enter", "ctrl+j"))
	a.KeyMap.DeleteCharacterForward = key.NewBinding(key.WithKeys("delete", "ctrl+d"))
	a.KeyMap.Paste, a.KeyMap.PageUp, a.KeyMap.PageDown = none, none, none // paste would start a program
	a.KeyMap.InputBegin = key.NewBinding(key.WithKeys("alt+<"))
	a.KeyMap.InputEnd = key.NewBinding(key.WithKeys("alt+>"))
	same := textarea.StyleState{
		Base: plain, Text: plain, LineNumber: plain, CursorLineNumber: plain,
		CursorLine: plain, EndOfBuffer: plain, Placeholder: plain, Prompt: plain,
	}
	a.SetStyles(textarea.Styles{Focused: same, Blurred: same, Cursor: textarea.CursorStyle{Shape: tea.CursorBar, Blink: true}})
	a.SetVirtualCursor(false)
	a.Focus()
	return a
}

// settle brings an area's window to its cursor after its text or size was set.
func settle(a *textarea.Model) {
	_ = a.View() // gives the window its text, which it scrolls in
	a.SetHeight(a.Height())
}

func setText(a *textarea.Model, text string) {
	a.SetValue(text)
	a.MoveToEnd()
	settle(a)
}

// write gives a key to the input, as long as there is room for what it writes.
func (p *prompt) write(msg tea.KeyPressMsg) {
	if len(p.text()) < mostTyped || msg.Text == "" {
		typed(&p.area, msg)
	}
}

// typed gives a key to an area.
func typed(a *textarea.Model, msg tea.KeyPressMsg) {
	if msg.Text != "\u200d" || !ipc.EndsInEmoji(beforeCaret(a)) { // else an emoji comes in pieces
		msg.Text = ipc.Clean(msg.Text)
	}
	*a, _ = a.Update(msg)
	if msg.Code == tea.KeyBackspace && strings.HasSuffix(beforeCaret(a), "\u200d") {
		*a, _ = a.Update(msg) // nobody sees that it is still there
	}
	settle(a)
}

// beforeCaret is the text of a line up to the caret.
func beforeCaret(a *textarea.Model) string {
	lines := strings.Split(a.Value(), "\n")
	line := []rune(lines[min(a.Line(), len(lines)-1)])
	return string(line[:min(a.Column(), len(line))])
}

// resize fits the input into a width and a number of rows.
func (p *prompt) resize(width, most int) {
	if p.area.Width() != width-promptWidth-1 || p.area.MaxHeight != most {
		resizeArea(&p.area, width-promptWidth, most)
	}
}

// resizeArea fits an area into a width. It breaks rows one cell earlier than that:
// a wide character at the end of a row may stand a cell outside of what a text area
// calls its width (bubbles v2.1.1, textarea.wrap), and its window would cut it off.
func resizeArea(a *textarea.Model, width, most int) {
	a.MaxHeight = most
	a.Prompt = " " // takes the cell while rows are measured, and is not shown
	a.SetWidth(width)
	a.Prompt = ""
	settle(a)
}

func (p *prompt) text() string { return p.area.Value() }

// blank reports whether there is nothing to send.
func (p *prompt) blank() bool { return strings.TrimSpace(p.text()) == "" }

func (p *prompt) empty() bool { return p.text() == "" && len(p.clips) == 0 }

func (p *prompt) clear() {
	p.area.Reset()
	p.clips = nil
	settle(&p.area)
}

// newline breaks the line where a backslash stands before the cursor at the end
// of the text, and reports whether it did.
func (p *prompt) newline() bool {
	text := p.text()
	if !strings.HasSuffix(text, `\`) || !p.atEnd() {
		return false
	}
	setText(&p.area, strings.TrimSuffix(text, `\`)+"\n")
	return true
}

func (p *prompt) atEnd() bool {
	lines := strings.Split(p.text(), "\n")
	return p.area.Line() == len(lines)-1 && p.area.Column() == len([]rune(lines[len(lines)-1]))
}

// atFirstRow and atLastRow report where the cursor is, for keys that then leave
// the text.
func (p *prompt) atFirstRow() bool { return p.area.Line() == 0 && p.area.LineInfo().RowOffset == 0 }

func (p *prompt) atLastRow() bool {
	li := p.area.LineInfo()
	return p.area.Line() == p.area.LineCount()-1 && li.RowOffset >= li.Height-1
}

// paste takes pasted text: into the input, or beside it where it is long.
func (p *prompt) paste(text string) {
	text = asPasted(text)
	lines := strings.Count(strings.TrimRight(text, "\n"), "\n") + 1
	if len(text) <= longPaste && lines <= pasteLines && len(p.text())+len(text) <= mostTyped {
		p.area.InsertString(text)
		settle(&p.area)
		return
	}
	ends, _ := ipc.ReadEnds(strings.NewReader(text)) // reads memory
	p.clips = append(p.clips, clip{ends, lines})
}

// asPasted is pasted text as it is taken in. Terminals send a carriage return for
// the end of a line, files have both: a line must not be glued to the next.
func asPasted(text string) string {
	return ipc.Clean(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text))
}

// drop removes what was pasted last.
func (p *prompt) drop() {
	if n := len(p.clips); n > 0 {
		p.clips = p.clips[:n-1]
	}
}

// pasted is what goes with the question, "" for nothing.
func (p *prompt) pasted(question string, lang i18n.Lang) string {
	if len(p.clips) == 0 {
		return ""
	}
	budget := ipc.StdinBudget(question) / len(p.clips)
	parts := make([]string, len(p.clips))
	for i, c := range p.clips {
		parts[i] = c.ends.Text(budget-64, func(left int) string { return i18n.StdinCut.In(lang, left) })
	}
	return strings.Join(parts, "\n")
}

// chips are the rows that stand for pasted text.
func (p *prompt) chips(lang i18n.Lang) []string {
	rows := make([]string, len(p.clips))
	for i, c := range p.clips {
		rows[i] = i18n.ChatPaste.In(lang, i+1, i18n.Count(int64(c.lines)), size(c.ends.Size()))
	}
	if n := len(rows); n > 0 {
		rows[n-1] += "  " + i18n.ChatPasteKeys.In(lang)
	}
	return rows
}

// size writes a number of bytes as people do.
func size(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}

// areaRows are the rows of a text area.
func areaRows(a *textarea.Model) []string {
	rows := strings.Split(a.View(), "\n")
	for i, r := range rows {
		rows[i] = fit(strings.TrimRight(ipc.Clean(r), " "), a.Width()+1)
	}
	return rows[:min(len(rows), a.Height())]
}

// areaCursor is where the cursor stands in an area.
func areaCursor(a *textarea.Model, x, y int) *tea.Cursor {
	c := a.Cursor()
	if c == nil {
		return nil
	}
	c.X = min(max(c.X, 0), a.Width()) + x
	c.Y = min(max(c.Y, 0), max(a.Height()-1, 0)) + y
	return c
}
