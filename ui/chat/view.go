package chat

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// The smallest supported terminal, in cells.
const (
	leastWidth  = 40
	leastHeight = 10
)

// spinner has the frames of the spinner, one cell each.
var spinner = [...]string{"|", "/", "-", `\`}

// screen is a frame: as many rows as the terminal has, and the cursor.
type screen struct {
	rows   []string
	cursor *tea.Cursor
}

// View draws the screen.
func (m *model) View() tea.View {
	s := m.draw()
	v := tea.NewView(strings.Join(s.rows, "\n"))
	v.Cursor = s.cursor
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = i18n.ChatTitle.In(m.lang)
	return v
}

// draw lays out the panes: head, transcript, review or command output, status line, input.
func (m *model) draw() screen {
	if m.width < leastWidth || m.height < leastHeight {
		return m.tooSmall()
	}
	s := screen{rows: []string{m.head()}}
	below, cursor := m.inputRows()
	middle, at := m.middlePane(m.height - len(below) - 3)
	space := m.height - 1 - len(middle) - 1 - len(below)
	if m.list != nil {
		s.rows = append(s.rows, m.list.rows(m.width, space, m.look, m.lang)...)
	} else {
		s.rows = append(s.rows, m.transcript(space)...)
	}
	if at != nil {
		at.Y += len(s.rows)
		s.cursor = at
	}
	s.rows = append(s.rows, middle...)
	s.rows = append(s.rows, m.status())
	if cursor != nil {
		cursor.Y += len(s.rows)
		s.cursor = cursor
	}
	s.rows = append(s.rows, below...)
	for i, r := range s.rows {
		s.rows[i] = fit(r, m.width)
	}
	return s
}

func (m *model) tooSmall() screen {
	rows := make([]string, max(m.height, 0))
	if len(rows) > 0 {
		words := i18n.ChatTooSmall(leastWidth, leastHeight).In(m.lang)
		if cells(words) > m.width {
			words = i18n.ChatShortSmall(leastWidth, leastHeight).In(m.lang)
		}
		rows[0] = fit(words, max(m.width, 0))
	}
	return screen{rows: rows}
}

// transcript returns the transcript, or a welcome.
func (m *model) transcript(height int) []string {
	if len(m.log.blocks) > 0 {
		rows := m.log.view(m.width, height)
		if m.log.dropped && !m.log.follow && m.log.top == (place{}) {
			rows[0] = m.look.dim.Render(fit(i18n.ChatGone.In(m.lang), m.width))
		}
		return rows
	}
	words := prefixRows("  ", i18n.ChatWelcome.In(m.lang), m.width)
	if m.o.Hint != "" {
		words = append(append(words, ""), prefixRows("  ", ipc.Clean(m.o.Hint), m.width)...)
	}
	rows := make([]string, height)
	copy(rows, words)
	return rows
}

// head returns the program's name, the conversation and the model.
func (m *model) head() string {
	parts := []string{i18n.ChatTitle.In(m.lang)}
	if m.session != "" {
		parts = append(parts, ipc.VisibleLine(m.session))
	}
	if m.modelName != "" {
		parts = append(parts, m.modelName)
	}
	if !m.connected {
		parts = append(parts, i18n.ChatConnecting.In(m.lang))
	}
	return m.look.title.Render(fit(strings.Join(parts, " · "), m.width))
}

// rule returns a line across the screen that contains words.
func (m *model) rule(words string) string {
	row := "-- " + words + " "
	row = fit(row, m.width)
	return m.look.rule.Render(row + strings.Repeat("-", max(m.width-cells(row), 0)))
}

// middlePane returns the pane between transcript and status, with at most most rows: the command under
// review, or the output of the running command.
func (m *model) middlePane(most int) ([]string, *tea.Cursor) {
	switch {
	case m.state == ReviewAction:
		return m.reviewPane(most)
	case m.state == Executing:
		return m.outputPane(min(most, max(m.height/3, 3))), nil
	}
	return nil, nil
}

// outputPane shows the end of the output of the last started command.
func (m *model) outputPane(most int) []string {
	var out tail
	title := i18n.ChatOutput.In(m.lang)
	if n := len(m.turn.running); n > 0 {
		c := m.turn.running[n-1]
		out = c.output
		title += ": " + c.current(m.lang)
	}
	rows := []string{m.rule(title)}
	height := most - 1
	if out.cut && height > 1 {
		rows = append(rows, m.look.dim.Render(fit(gutters[byOutput]+i18n.ChatOutputCut.In(m.lang), m.width)))
		height--
	}
	for _, r := range out.rows(m.width-gutterWidth, height, m.lang) {
		rows = append(rows, gutters[byOutput]+r)
	}
	return rows
}

// reviewPane shows the command under review and its details, in pages if they do not fit.
func (m *model) reviewPane(most int) ([]string, *tea.Cursor) {
	r := m.review
	width := m.width - gutterWidth
	r.measure(width, m.lang)
	r.now = m.now()
	details, warned := r.details(m.width, m.lang, m.root)
	r.detailTotal = len(details)
	r.detail = min(r.detail, max(r.detailTotal-1, 0))
	room := most - 1
	r.detailPage = min(len(details), max(room-r.total, room/2, 1))
	r.page = max(min(r.total, room-r.detailPage), 1)
	command := r.layOut(width, r.page, m.look)

	title := i18n.ChatReview.In(m.lang)
	if n := len(m.questions); n > 0 {
		title += i18n.ChatReviewMore(n + 1).In(m.lang)
	}
	rows := []string{m.rule(title)}
	for i, row := range command {
		rows = append(rows, m.look.title.Render(r.sign(r.offset+i))+row)
	}
	for len(rows) < r.page+1 {
		rows = append(rows, "")
	}
	last := min(r.detail+r.detailPage, len(details))
	for i, d := range details[max(last-r.detailPage, 0):last] {
		if max(last-r.detailPage, 0)+i < warned {
			d = m.look.warn.Render(d)
		}
		rows = append(rows, d)
	}
	r.markVisible(m.now())
	if !r.editable {
		return rows, nil
	}
	return rows, areaCursor(&r.area, gutterWidth, 1)
}

// status returns the status line: the current activity and the active keys.
func (m *model) status() string {
	if m.notice != "" {
		return m.look.warn.Render(fit(m.notice, m.width))
	}
	var text string
	switch {
	case m.state.isBusy():
		words := map[State]i18n.Text{Thinking: i18n.ChatThinking, Executing: i18n.ChatExecuting, Finalizing: i18n.ChatFinalizing}[m.state]
		text = spinner[m.frame%len(spinner)] + " " + words.In(m.lang) + " " + formatElapsed(m.now().Sub(m.turn.began)) + " · " + i18n.ChatCancelKey.In(m.lang)
	case m.state == ReviewAction:
		text = m.reviewKeys()
	case m.state == Done:
		text = i18n.ChatDone.In(m.lang) + " · " + i18n.ChatDoneKeys.In(m.lang)
	case m.list != nil:
		text = i18n.ChatPickKeys.In(m.lang)
	case m.search != nil:
		text = i18n.ChatSearchKeys.In(m.lang)
	default:
		text = i18n.ChatInputKeys.In(m.lang)
	}
	if !m.log.follow && m.state != ReviewAction {
		text = i18n.ChatScrolled.In(m.lang)
	}
	if mode := m.viMode(); mode != "" && m.state != ReviewAction {
		text = mode + " · " + text
	}
	return m.look.dim.Render(fit(text, m.width))
}

// reviewKeys lists the keys that answer.
func (m *model) reviewKeys() string {
	r := m.review
	out := []i18n.Text{i18n.ChatReviewEsc, i18n.ChatReviewNo}
	short := []i18n.Text{i18n.ChatShortEsc, i18n.ChatShortNo}
	if r.standalone {
		out[0], short[0] = i18n.ChatReviewBack, i18n.ChatShortBack
	}
	long := []i18n.Text{i18n.ChatReviewRun}
	brief := []i18n.Text{i18n.ChatShortRun}
	switch {
	case !r.isSettled(m.now()):
		long, brief = []i18n.Text{i18n.ChatReviewWait}, []i18n.Text{i18n.ChatShortWait}
	case !r.isFullySeen():
		long, brief = []i18n.Text{i18n.ChatReviewUnsee}, []i18n.Text{i18n.ChatShortUnsee}
	case r.isEmptied():
		long, brief = []i18n.Text{i18n.ChatNoCommand}, []i18n.Text{i18n.ChatNoCommand}
	case r.judging:
		long, brief = []i18n.Text{i18n.ChatJudging}, []i18n.Text{i18n.ChatJudging}
	case r.class() == "BLOCKED":
		long, brief = []i18n.Text{i18n.ChatReviewDead}, []i18n.Text{i18n.ChatShortDead}
	default:
		if r.editable {
			long = append(long, i18n.ChatReviewEdit)
		}
		out = append(r.grantKeys(), out...)
	}
	return m.firstFitting(append(long, out...), append(slices.Clone(brief), out...), append(brief, short...))
}

// grantKeys returns the keys that allow more than the command once, where that is offered.
func (r *review) grantKeys() (keys []i18n.Text) {
	if r.ask.Covers != "" && !r.isEdited() {
		keys = append(keys, i18n.ChatReviewAll)
	}
	if r.ask.Family != nil && !r.isEdited() {
		keys = append(keys, i18n.ChatReviewFamily)
	}
	return keys
}

// firstFitting returns the first choice that fits on a row, else the last one.
func (m *model) firstFitting(choices ...[]i18n.Text) string {
	row := ""
	for _, words := range choices {
		said := make([]string, len(words))
		for i, w := range words {
			said[i] = w.In(m.lang)
		}
		if row = strings.Join(said, " · "); cells(row) <= m.width {
			break
		}
	}
	return row
}

// inputRows returns the input, or the line of a list or a search. A command under review replaces it.
func (m *model) inputRows() ([]string, *tea.Cursor) {
	switch {
	case m.state == ReviewAction:
		return nil, nil
	case m.list != nil:
		row := lastCells(promptSign+m.list.query, m.width-1)
		return []string{row}, tea.NewCursor(cells(row), 0)
	case m.search != nil:
		row := fit(promptSign+m.search.row(m.history.lines, m.lang), m.width-1)
		return []string{row}, tea.NewCursor(min(promptWidth+cells(i18n.ChatSearch(m.search.words).In(m.lang)), m.width-1), 0)
	}
	chips := m.prompt.chips(m.lang)
	if most := max(m.height/4, 1); len(chips) > most {
		chips = chips[len(chips)-most:]
	}
	m.prompt.resize(m.width, min(5, max(m.height/4, 1)))
	rows := chips
	for i, r := range areaRows(&m.prompt.area) {
		sign := "  "
		if i == 0 {
			sign = m.look.title.Render(promptSign)
		}
		rows = append(rows, sign+r)
	}
	return rows, areaCursor(&m.prompt.area, promptWidth, len(chips))
}

func lastCells(row string, width int) string {
	rs := []rune(row)
	for len(rs) > 0 && cells(string(rs)) > width {
		rs = rs[1:]
	}
	return string(rs)
}
