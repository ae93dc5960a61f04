package chat

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
	// minPasteBytes and minPasteLines are the size in bytes and lines from which pasted text is attached
	// to the question instead of inserted.
	minPasteBytes, minPasteLines = 8 << 10, 40
	// maxTyped is the maximum length of the input in bytes.
	maxTyped = 32 << 10
	// promptSign starts the first row of the input and is used nowhere else.
	promptSign  = "› "
	promptWidth = 2
)

// prompt is the input: text and attached pastes.
type prompt struct {
	area  textarea.Model
	clips []clip
}

// draft is the content of a prompt.
type draft struct {
	text  string
	clips []clip
}

func (d draft) isEmpty() bool { return d.text == "" && len(d.clips) == 0 }

func (p *prompt) draft() draft { return draft{p.text(), p.clips} }

// clip is a long pasted text.
type clip struct {
	ends  ipc.Excerpt
	lines int
}

// newArea returns a text area that does not animate, blink or start programs.
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

// scrollToCursor scrolls an area to its cursor after its text or size has changed.
func scrollToCursor(a *textarea.Model) {
	_ = a.View() // passes the text to the viewport, which scrolls it
	a.SetHeight(a.Height())
}

func setText(a *textarea.Model, text string) {
	a.SetValue(text)
	a.MoveToEnd()
	scrollToCursor(a)
}

// write passes a key to the input if its text fits.
func (p *prompt) write(msg tea.KeyPressMsg) {
	if len(p.text()) < maxTyped || msg.Text == "" {
		typeKey(&p.area, msg)
	}
}

// typeKey passes a key to an area.
func typeKey(a *textarea.Model, msg tea.KeyPressMsg) {
	if key.Matches(msg, a.KeyMap.WordBackward) && !hasWordBefore(a) {
		a.MoveToBegin() // the area would look for a word forever
		scrollToCursor(a)
		return
	}
	if msg.Text != "\u200d" || !ipc.EndsInEmoji(beforeCaret(a)) { // else an emoji would be split
		msg.Text = ipc.Clean(msg.Text)
	}
	*a, _ = a.Update(msg)
	if msg.Code == tea.KeyBackspace && strings.HasSuffix(beforeCaret(a), "\u200d") {
		*a, _ = a.Update(msg) // the zero-width joiner is invisible
	}
	scrollToCursor(a)
}

// beforeCaret returns the text of the current line before the cursor.
func beforeCaret(a *textarea.Model) string {
	lines := strings.Split(a.Value(), "\n")
	line := []rune(lines[min(a.Line(), len(lines)-1)])
	return string(line[:min(a.Column(), len(line))])
}

// hasWordBefore reports whether there is a word before the cursor, in its line or above.
func hasWordBefore(a *textarea.Model) bool {
	above := strings.Split(a.Value(), "\n")[:a.Line()]
	return strings.TrimSpace(beforeCaret(a)+strings.Join(above, "")) != ""
}

// resize fits the input into a width and a maximum number of rows.
func (p *prompt) resize(width, most int) {
	if p.area.Width() != width-promptWidth-1 || p.area.MaxHeight != most {
		resizeArea(&p.area, width-promptWidth, most)
	}
}

// resizeArea fits an area into a width. It wraps rows one cell earlier, because a wide character at the end of a row
// can exceed the text area's width by one cell (bubbles v2.1.1, textarea.wrap), and its viewport would cut it off.
func resizeArea(a *textarea.Model, width, most int) {
	a.MaxHeight = most
	a.Prompt = " " // reserves the cell when rows are measured; not shown
	a.SetWidth(width)
	a.Prompt = ""
	scrollToCursor(a)
}

func (p *prompt) text() string { return p.area.Value() }

func (p *prompt) isBlank() bool { return strings.TrimSpace(p.text()) == "" }

func (p *prompt) isEmpty() bool { return p.text() == "" && len(p.clips) == 0 }

func (p *prompt) clear() {
	p.area.Reset()
	p.clips = nil
	scrollToCursor(&p.area)
}

// breakLine replaces a backslash before the cursor at the end of the text by a line break. It reports
// whether there was one.
func (p *prompt) breakLine() bool {
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

// atFirstRow and atLastRow report whether the cursor is in the first or last row, where up and down leave the text.
func (p *prompt) atFirstRow() bool { return p.area.Line() == 0 && p.area.LineInfo().RowOffset == 0 }

func (p *prompt) atLastRow() bool {
	li := p.area.LineInfo()
	return p.area.Line() == p.area.LineCount()-1 && li.RowOffset >= li.Height-1
}

// paste inserts pasted text, or attaches it if it is long.
func (p *prompt) paste(text string) {
	text = normalizePaste(text)
	lines := strings.Count(strings.TrimRight(text, "\n"), "\n") + 1
	if len(text) <= minPasteBytes && lines <= minPasteLines && len(p.text())+len(text) <= maxTyped {
		p.area.InsertString(text)
		scrollToCursor(&p.area)
		return
	}
	ends, _ := ipc.ReadExcerpt(strings.NewReader(text)) // reading from memory cannot fail
	p.clips = append(p.clips, clip{ends, lines})
}

// normalizePaste normalizes line ends. Terminals send a carriage return, and files can have both.
func normalizePaste(text string) string {
	return ipc.Clean(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text))
}

// dropPaste removes the last attached paste.
func (p *prompt) dropPaste() {
	if n := len(p.clips); n > 0 {
		p.clips = p.clips[:n-1]
	}
}

func (p *prompt) pastedText(question string, lang i18n.Lang) string {
	if len(p.clips) == 0 {
		return ""
	}
	budget := ipc.StdinBudget(question) / len(p.clips)
	parts := make([]string, len(p.clips))
	for i, c := range p.clips {
		parts[i] = c.ends.Text(budget-64, func(left int) string { return i18n.StdinCut(left).In(lang) })
	}
	return strings.Join(parts, "\n")
}

// chips returns the rows that represent attached pastes.
func (p *prompt) chips(lang i18n.Lang) []string {
	rows := make([]string, len(p.clips))
	for i, c := range p.clips {
		rows[i] = i18n.ChatPaste(i+1, i18n.Count(int64(c.lines)), formatSize(c.ends.Size())).In(lang)
	}
	if n := len(rows); n > 0 {
		rows[n-1] += "  " + i18n.ChatPasteKeys.In(lang)
	}
	return rows
}

// formatSize formats a number of bytes.
func formatSize(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}

func areaRows(a *textarea.Model) []string {
	rows := strings.Split(a.View(), "\n")
	for i, r := range rows {
		rows[i] = fit(strings.TrimRight(ipc.Clean(r), " "), a.Width()+1)
	}
	return rows[:min(len(rows), a.Height())]
}

// areaCursor returns an area's cursor on the screen.
func areaCursor(a *textarea.Model, x, y int) *tea.Cursor {
	c := a.Cursor()
	if c == nil {
		return nil
	}
	c.X = min(max(c.X, 0), a.Width()) + x
	c.Y = min(max(c.Y, 0), max(a.Height()-1, 0)) + y
	return c
}
