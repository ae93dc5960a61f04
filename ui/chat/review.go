package chat

import (
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/textarea"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/ui/confirm"
)

// settleTime is how long a page of a review must be visible before a key can answer it. Keys typed
// before that were meant for something else.
const settleTime = 300 * time.Millisecond

// maxEditable is the maximum size of an editable command in bytes, maxEditableLines in lines.
const maxEditable, maxEditableLines = 16 << 10, 400

// judgeAfter is the pause in typing after which an edited command is judged.
const judgeAfter = 250 * time.Millisecond

// question is a confirmation that waits for an answer.
type question struct {
	id         string // of the ask frame; "" if it is answered by its code
	text       string // what is asked; "" if it is answered by its code
	ask        ipc.Ask
	standalone bool // does not belong to a turn of this chat
}

// review is the question that the person is deciding about.
type review struct {
	question
	area        textarea.Model // the command, if it is editable
	editable    bool
	caretPlaced bool // the cursor was moved to the end, which happens once the whole command was visible
	edits       int  // number of edits, to recognize outdated judgements
	judged      *ipc.Judgement
	judging     bool

	measured [2]int         // the width and edit for which total and rows were computed
	rows     []commandRow   // the text is only set if the command is not editable
	heights  map[string]int // of lines of an edited command, at that width

	// The part of command and details that was visible: the rows from the top, and whether
	// everything was visible since the last edit.
	offset, page, total int
	seenTo              int
	seen                bool
	detail, detailPage  int
	detailTotal         int
	detailsSeen         bool
	since               time.Time // when this page became visible; zero if it is not yet
	newSince            time.Time // start of the settle time of a new question; zero if it was not visible yet
	settled             bool      // keys that edit are active
	now                 time.Time // time of drawing
}

func newReview(q question) *review {
	r := &review{question: q, editable: isEditable(q.ask)}
	if r.editable {
		r.area = newArea()
		r.area.SetValue(q.ask.Command)
		r.area.MoveToBegin()
	}
	return r
}

// isEditable reports whether a text area can show exactly this command, and whether an edited command is allowed.
func isEditable(ask ipc.Ask) bool {
	c := ask.Command
	if !ask.Editable() || len(c) > maxEditable || strings.Count(c, "\n") > maxEditableLines {
		return false
	}
	if ipc.Visible(c) != c || strings.ContainsAny(c, "\t\r") {
		return false
	}
	a := newArea()
	a.SetValue(c)
	return a.Value() == c
}

// command returns the command that a yes would run.
func (r *review) command() string {
	if r.editable {
		return r.area.Value()
	}
	return r.ask.Command
}

func (r *review) isEdited() bool { return r.command() != r.ask.Command }

// isEmptied reports whether the person deleted the whole command.
func (r *review) isEmptied() bool { return r.isEdited() && strings.TrimSpace(r.command()) == "" }

// handleEdit handles an edit. The new command must become fully visible again.
func (r *review) handleEdit() {
	r.edits++
	r.judged, r.judging, r.caretPlaced = nil, r.isEdited() && !r.isEmptied(), true
	r.seen, r.seenTo = false, 0
	r.detail, r.detailsSeen, r.since = 0, false, time.Time{}
}

// acceptsTyping reports whether a key that edits text can be meant for this command. A key that comes
// too early belongs to text begun before the question appeared, and restarts the settle time.
func (r *review) acceptsTyping(now time.Time, writes bool) bool {
	if r.isSettled(now) {
		return true
	}
	if writes && !r.newSince.IsZero() {
		r.newSince, r.since = now, now
	}
	return false
}

// isSettled reports whether the question has been visible long enough without typing.
func (r *review) isSettled(now time.Time) bool {
	r.settled = r.settled || !r.newSince.IsZero() && now.Sub(r.newSince) >= settleTime
	return r.settled
}

// setJudgement stores the judgement of the edited command. The person must see the updated details.
func (r *review) setJudgement(j *ipc.Judgement) {
	r.judging, r.judged = false, j
	r.detail, r.detailsSeen, r.since = 0, false, time.Time{}
}

// warnings returns the warnings of the question or of the edited command's judgement, and those
// derived from the command itself.
func (r *review) warnings() []string {
	all := r.ask.Warnings
	if r.isEdited() {
		all = nil
		if r.judged != nil {
			all = r.judged.Warnings
		}
	}
	all = slices.Clone(all)
	for _, w := range ipc.Suspicions(r.command()) {
		if !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return all
}

func (r *review) isPrivileged() bool {
	if r.isEdited() && r.judged != nil {
		return r.judged.Privileged
	}
	return r.ask.Privileged
}

func (r *review) class() string {
	if r.isEdited() && r.judged != nil {
		return r.judged.Class
	}
	return r.ask.Class
}

func (r *review) reasons() []string {
	if r.isEdited() && r.judged != nil {
		return r.judged.Reasons
	}
	return r.ask.Reasons
}

// details returns the rows below the command, with the warnings first.
func (r *review) details(width int, lang i18n.Lang, root bool) (rows []string, warned int) {
	warn := func(text string) {
		rows = append(rows, prefixRows("! ", text, width)...)
	}
	if r.class() == "BLOCKED" {
		warn(i18n.ChatBlocked.In(lang))
	}
	if r.isPrivileged() || root {
		warn(i18n.ChatPrivileged.In(lang))
	}
	for _, w := range r.warnings() {
		warn(ipc.VisibleLine(i18n.Warning(w, lang)))
	}
	warned = len(rows)
	rows = append(rows, r.facts(width, lang)...)
	return rows, warned
}

// facts returns the rows with the reason, the directory and the scope of a yes.
func (r *review) facts(width int, lang i18n.Lang) []string {
	why := make([]string, 0, len(r.reasons()))
	for _, code := range r.reasons() {
		why = append(why, ipc.VisibleLine(i18n.Reason(code, lang)))
	}
	class := ipc.VisibleLine(r.class())
	if r.isEdited() {
		class = i18n.ChatEdited.In(lang) + " · " + class
		if r.judging {
			class = i18n.ChatEdited.In(lang) + " · " + i18n.ChatJudging.In(lang)
			why = nil
		}
	}
	if r.isEmptied() {
		class, why = i18n.ChatEdited.In(lang)+" · "+i18n.ChatNoCommand.In(lang), nil
	}
	fact := func(label i18n.Text, text string) []string {
		return prefixRows("  ", label.In(lang)+": "+text, width)
	}
	var rows []string
	for _, line := range r.ask.ForeseenLines() {
		text := strings.TrimLeft(line, " ")
		rows = append(rows, prefixRows("  "+line[:min(len(line)-len(text), 4)], text, width)...)
	}
	rows = append(rows, fact(i18n.AskWhy, strings.TrimSuffix(class+" · "+strings.Join(why, "; "), " · "))...)
	if r.ask.Cwd != "" {
		rows = append(rows, fact(i18n.AskDirectory, ipc.VisibleLine(r.ask.Cwd))...)
	}
	if r.ask.Covers != "" && r.ask.Covers != r.ask.Command {
		rows = append(rows, fact(i18n.AskCovers, ipc.VisibleLine(r.ask.Covers))...)
	}
	if r.ask.Family != nil && !r.isEdited() {
		rows = append(rows, fact(i18n.ChatFamilyKey, ipc.VisibleLine(confirm.FamilyLine(*r.ask.Family, lang)))...)
	}
	for _, f := range r.ask.Files {
		hash := strings.TrimPrefix(f.SHA256, "sha256:")
		rows = append(rows, fact(i18n.AskFile, ipc.VisibleLine("sha256:"+hash[:min(len(hash), 12)]+"… "+f.Path))...)
	}
	if !r.ask.Expires.IsZero() {
		rows = append(rows, fact(i18n.AskExpires, formatTime(r.ask.Expires, r.now))...)
	}
	return rows
}

// prefixRows breaks a one-line text into rows, with a sign before the first one.
func prefixRows(sign, text string, width int) []string {
	rows := plainRows(text, max(width-len(sign), 1))
	for i := range rows {
		if i == 0 {
			rows[i] = sign + rows[i]
		} else {
			rows[i] = strings.Repeat(" ", len(sign)) + rows[i]
		}
	}
	return rows
}

// markVisible records which part is visible now.
func (r *review) markVisible(now time.Time) {
	if r.since.IsZero() {
		r.since = now
	}
	if r.newSince.IsZero() {
		r.newSince = now
	}
	if r.offset <= r.seenTo {
		r.seenTo = max(r.seenTo, r.offset+r.page)
	}
	r.seen = r.seen || r.seenTo >= r.total
	if r.seen {
		r.placeCaret()
	}
	r.detailsSeen = r.detailsSeen || r.seen && r.detail+r.detailPage >= r.detailTotal
}

// placeCaret moves the cursor to the end of the command, where people continue typing. It waits
// until the whole command was visible, because people read it from its start.
func (r *review) placeCaret() {
	if r.editable && !r.caretPlaced {
		r.caretPlaced = true
		r.area.MoveToEnd()
		scrollToCursor(&r.area)
	}
}

// isReady reports whether a key can be meant for what is currently visible.
func (r *review) isReady(now time.Time) bool {
	return r.isSettled(now) && !r.since.IsZero() && now.Sub(r.since) >= settleTime
}

// isFullySeen reports whether everything was visible.
func (r *review) isFullySeen() bool { return r.seen && r.detailsSeen }

// showNext shows the part after the seen one.
func (r *review) showNext() {
	r.since = time.Time{}
	if !r.seen {
		r.scrollTo(r.seenTo)
		return
	}
	r.detail = min(r.detail+r.detailPage, max(r.detailTotal-1, 0))
}

// scrollTo scrolls the command to a row, as far as possible.
func (r *review) scrollTo(row int) {
	if !r.editable {
		r.offset = min(max(row, 0), max(r.total-r.page, 0))
		return
	}
	if r.area.ScrollYOffset() > row {
		r.area.MoveToBegin()
		scrollToCursor(&r.area)
	}
	r.scrollDown(row)
	for range r.total + r.area.Length() { // downwards it can jump over a row that is wrapped at wide characters
		at := [3]int{r.area.Line(), r.area.Column(), r.area.ScrollYOffset()}
		if at[2] <= row {
			return
		}
		r.area.CursorUp()
		if at[0] == r.area.Line() && at[1] == r.area.Column() {
			r.area.SetCursorColumn(at[1] - 1)
		}
		scrollToCursor(&r.area)
	}
}

// scrollDown scrolls an editable command down, to a row or the next one that the text area can show first.
func (r *review) scrollDown(row int) {
	for range r.total + r.area.Length() {
		at := r.area.ScrollYOffset()
		if at >= row || at+r.page >= r.total {
			return
		}
		before := [2]int{r.area.Line(), r.area.Column()}
		r.area.CursorDown()
		scrollToCursor(&r.area)
		if before == [2]int{r.area.Line(), r.area.Column()} && r.area.ScrollYOffset() == at {
			r.area.SetCursorColumn(r.area.Column() + 1) // the text area stays in a row of wide characters
			if r.area.Column() != before[1] {
				continue
			}
			r.area.MoveToEnd() // after the last character, which can be in a new row
			scrollToCursor(&r.area)
			return
		}
	}
}

// measure wraps the command to a width and computes its rows.
func (r *review) measure(width int, lang i18n.Lang) {
	key := [2]int{width, r.edits}
	if r.measured == key && r.total > 0 {
		return
	}
	if r.measured[0] != width || len(r.heights) > 2*maxEditableLines {
		r.heights = map[string]int{}
	}
	r.measured = key
	switch steps := r.ask.Steps(); {
	case r.editable:
		r.rows = r.wrapRows(width)
	case len(steps) > 0:
		r.rows = r.planRows(steps, width+gutterWidth, lang)
	default:
		r.rows = visibleRows(r.ask.Command, width)
	}
	r.total = len(r.rows)
}

// planRows returns the question about a plan and its steps.
func (r *review) planRows(steps []ipc.PlanStep, width int, lang i18n.Lang) []commandRow {
	_, text := r.ask.CutForeseen(r.text)
	if text == "" {
		text = i18n.AskPlan(len(steps)).In(lang)
	}
	var rows []commandRow
	for _, row := range plainRows(ipc.VisibleLine(text), width) {
		rows = append(rows, commandRow{text: row, unsigned: true, heading: true})
	}
	for _, row := range confirm.PlanRows(steps, width, lang) {
		rows = append(rows, commandRow{text: row.Text, unsigned: true, role: row.Role})
	}
	return rows
}

// wrapRows returns the rows into which a text area wraps the command. It only computes the layout of
// new lines, because it runs at every key.
func (r *review) wrapRows(width int) []commandRow {
	var rows []commandRow
	a := newArea()
	resizeArea(&a, width, 0)
	for line := range strings.SplitSeq(r.area.Value(), "\n") {
		height, known := r.heights[line]
		if !known {
			a.SetValue(line)
			height = a.Height()
			r.heights[line] = height
		}
		for i := range height {
			rows = append(rows, commandRow{continued: i > 0})
		}
	}
	return rows
}

// Signs before the rows of a command: for its first line, for another line, and for a row that
// continues a line. The command's text cannot overwrite them.
const commandSign, lineSign, onSign = "$ ", "  ", "» "

func (r *review) sign(row int) string {
	switch {
	case row < len(r.rows) && r.rows[row].unsigned:
		return ""
	case row == 0:
		return commandSign
	case row < len(r.rows) && r.rows[row].continued:
		return onSign
	}
	return lineSign
}

// layOut renders the visible rows of the command.
func (r *review) layOut(width, page int, look look) []string {
	r.page = page
	if r.editable {
		if r.area.Width() != width-1 || r.area.MaxHeight != page {
			resizeArea(&r.area, width, page)
		}
		r.offset = r.area.ScrollYOffset()
		return areaRows(&r.area)
	}
	r.offset = min(r.offset, max(r.total-page, 0))
	var rows []string
	for _, row := range r.rows[r.offset:min(r.offset+page, r.total)] {
		rows = append(rows, look.paint(row))
	}
	return rows
}

// formatTime formats a time, with the date if it is not today.
func formatTime(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format(time.TimeOnly)
	}
	return at.Format(time.DateTime)
}
