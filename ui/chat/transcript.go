package chat

import (
	"strings"
	"time"
	"unicode/utf8"
)

// maxText is the maximum text of a transcript in bytes, maxLaidOut how many blocks keep their rows.
const (
	maxText    = 32 << 20
	maxLaidOut = 600
)

// block is a part of a message that is rendered separately. A long message has many blocks. They
// are rendered when they become visible.
type block struct {
	role  role
	first bool   // starts a message
	text  string // cleaned
	fence string // the code fence it starts in
	call  *call  // of a tool line, which changes while the call runs

	width int
	rows  []string
}

type place struct{ block, row int }

// transcript is the list of messages and calls with its scroll position. Only the visible part is
// rendered, so the cost does not depend on its length.
type transcript struct {
	look     look
	md       markdown
	now      func() time.Time
	callLine func(c call, now time.Time) string // renders a tool line

	blocks    []*block
	messages  int
	bytes     int
	dropped   bool // older messages were dropped
	streaming bool // the last message is still being streamed
	laidOut   []*block

	follow bool
	top    place // the first visible row, unless follow is set
	height int
	width  int
}

// add appends a message.
func (t *transcript) add(r role, text string) {
	t.close()
	t.blocks = append(t.blocks, &block{role: r, first: true})
	t.messages++
	t.grow(text)
	t.trim()
}

// addCall appends the line of a call.
func (t *transcript) addCall(c *call) {
	t.close()
	t.blocks = append(t.blocks, &block{role: byTool, first: true, call: c})
	t.messages++
}

// stream appends text to the message being streamed.
func (t *transcript) stream(text string) {
	if !t.streaming {
		t.add(byAssistant, "")
		t.streaming = true
	}
	t.grow(text)
	t.trim()
}

// close ends the message being streamed, and removes it if it is empty.
func (t *transcript) close() {
	if !t.streaming {
		return
	}
	t.streaming = false
	if last := t.blocks[len(t.blocks)-1]; last.first && strings.TrimSpace(last.text) == "" {
		t.blocks = t.blocks[:len(t.blocks)-1]
		t.messages--
		t.top.block = min(t.top.block, max(len(t.blocks)-1, 0))
	}
}

// grow appends text to the last message, in blocks.
func (t *transcript) grow(text string) {
	t.bytes += len(text)
	last := t.blocks[len(t.blocks)-1]
	text = last.text + text
	last.width = 0
	for {
		at, rest := 0, ""
		if last.role != byUser && last.role != bySystem {
			at, rest = findBlockEnd(text, last.fence)
		} else if len(text) > mostBlock {
			at, rest = findBlockEnd(text, "")
		}
		if at == 0 || at >= len(text) {
			last.text = text
			return
		}
		last.text, text = text[:at], text[at:]
		last = &block{role: last.role, fence: rest}
		t.blocks = append(t.blocks, last)
	}
}

// trim drops the oldest messages of a transcript that is too long.
func (t *transcript) trim() {
	n := 0
	for t.bytes > maxText && n < len(t.blocks)-1 {
		t.bytes -= len(t.blocks[n].text)
		n++
	}
	if n == 0 {
		return
	}
	t.dropped = true
	t.blocks = append([]*block(nil), t.blocks[n:]...)
	if t.top.block -= n; t.top.block < 0 {
		t.top = place{}
	}
}

// last returns the text of a role's latest message, or "".
func (t *transcript) last(r role) string {
	end := len(t.blocks)
	for end > 0 && t.blocks[end-1].role != r {
		end--
	}
	begin := end
	for begin > 0 {
		begin--
		if t.blocks[begin].first {
			break
		}
	}
	var b strings.Builder
	for _, k := range t.blocks[begin:end] {
		b.WriteString(k.text)
	}
	return b.String()
}

// layout returns a block's rows.
func (t *transcript) layout(i int) []string {
	b := t.blocks[i]
	live := b.call != nil && b.call.running
	if b.width == t.width && !live {
		return b.rows
	}
	if live {
		return t.render(b, i)
	}
	if b.rows == nil {
		t.laidOut = append(t.laidOut, b)
	}
	b.width, b.rows = t.width, t.render(b, i)
	return b.rows
}

// discardRows discards the rows of blocks that have not been visible for a while.
func (t *transcript) discardRows() {
	if len(t.laidOut) <= maxLaidOut {
		return
	}
	for _, b := range t.laidOut[:maxLaidOut/2] {
		b.width, b.rows = 0, nil
	}
	t.laidOut = append([]*block(nil), t.laidOut[maxLaidOut/2:]...)
}

func (t *transcript) render(b *block, i int) []string {
	width := t.width - gutterWidth
	var rows []string
	switch {
	case b.call != nil:
		rows = plainRows(t.callLine(*b.call, t.now()), width)
	case b.role == byAssistant:
		text := b.text
		if b.fence != "" {
			text = b.fence + "\n" + text
		}
		rows = t.md.rows(text, width)
	default:
		rows = plainRows(b.text, width)
	}
	out := make([]string, 0, len(rows)+1)
	if b.first && i > 0 && b.role != byOutput {
		out = append(out, "")
	}
	style := t.look.roles[b.role]
	for _, r := range rows {
		if b.role == byAssistant {
			out = append(out, style.Render(gutters[b.role])+r)
		} else {
			out = append(out, style.Render(gutters[b.role]+r))
		}
	}
	return out
}

// view returns the visible part: exactly height rows.
func (t *transcript) view(width, height int) []string {
	t.width, t.height = width, height
	defer t.discardRows()
	rows := make([]string, 0, height)
	if !t.follow {
		at := t.clamp(t.top)
		for i, skip := at.block, at.row; i < len(t.blocks) && len(rows) < height; i, skip = i+1, 0 {
			rows = append(rows, t.layout(i)[skip:]...)
		}
		if len(rows) >= height {
			return rows[:height]
		}
		t.follow = true
	}
	at := t.placeBefore(place{len(t.blocks), 0}, height)
	rows = rows[:0]
	for i, skip := at.block, at.row; i < len(t.blocks) && len(rows) < height; i, skip = i+1, 0 {
		rows = append(rows, t.layout(i)[skip:]...)
	}
	for len(rows) < height {
		rows = append(rows, "")
	}
	return rows[:height]
}

// clamp returns the nearest existing place.
func (t *transcript) clamp(at place) place {
	if len(t.blocks) == 0 {
		return place{}
	}
	at.block = min(max(at.block, 0), len(t.blocks)-1)
	at.row = min(max(at.row, 0), max(len(t.layout(at.block))-1, 0))
	return at
}

// placeBefore returns the place n rows above another one, or the start.
func (t *transcript) placeBefore(at place, n int) place {
	for n > at.row {
		if at.block == 0 {
			return place{}
		}
		n -= at.row
		at.block--
		at.row = len(t.layout(at.block))
	}
	at.row -= n
	return at
}

// placeAfter returns the place n rows below another one, or the end.
func (t *transcript) placeAfter(at place, n int) place {
	at.row += n
	for at.block < len(t.blocks) {
		rows := len(t.layout(at.block))
		if at.row < rows {
			return at
		}
		at.row -= rows
		at.block++
	}
	return place{len(t.blocks), 0}
}

// scroll scrolls by n rows; up if n is negative.
func (t *transcript) scroll(n int) {
	if t.width == 0 || len(t.blocks) == 0 {
		return
	}
	end := t.placeBefore(place{len(t.blocks), 0}, t.height)
	at := end
	if !t.follow {
		at = t.clamp(t.top)
	}
	if n < 0 {
		at = t.placeBefore(at, -n)
	} else {
		at = t.placeAfter(at, n)
	}
	t.follow = at.block > end.block || at.block == end.block && at.row >= end.row
	t.top = at
}

func (t *transcript) toTop() {
	t.follow, t.top = false, place{}
}

func (t *transcript) toEnd() { t.follow = true }

func (t *transcript) reset() {
	t.blocks, t.laidOut, t.messages, t.bytes, t.streaming, t.follow, t.top = nil, nil, 0, 0, false, true, place{}
}

// Limits for splitting a long text into blocks, in bytes: after a paragraph from shortBlock on,
// after any line from longBlock on, and anywhere at mostBlock.
const (
	shortBlock = 1 << 10
	longBlock  = 8 << 10
	mostBlock  = 16 << 10
)

// findBlockEnd finds the end of the first block of a text that starts inside the given code fence ("" for none). It
// returns where to cut, or 0 if the text does not fill a block yet, and the code fence in which the rest starts.
func findBlockEnd(text, fence string) (at int, rest string) {
	if len(text) < shortBlock {
		return 0, fence
	}
	paragraph, line, lineFence := 0, 0, fence
	for i := 0; i < len(text) && i < mostBlock; {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			break
		}
		l := strings.TrimSpace(text[i : i+n])
		fence = openFence(fence, l)
		i += n + 1
		if i > mostBlock {
			break
		}
		line, lineFence = i, fence
		if l == "" && fence == "" {
			if paragraph = i; i >= shortBlock {
				return i, ""
			}
		}
	}
	switch {
	case len(text) < longBlock:
		return 0, ""
	case paragraph >= shortBlock/2:
		return paragraph, ""
	case line > 0 && (line >= longBlock/2 || len(text) >= mostBlock):
		return line, lineFence
	case len(text) >= mostBlock:
		for at = min(mostBlock, len(text)-1); at > 1 && !utf8.RuneStart(text[at]); {
			at--
		}
		return at, lineFence
	}
	return 0, ""
}

// openFence returns the code fence that is open after a line (CommonMark 0.31, section 4.5: at least
// three backticks or tildes, closed by as many of the same).
func openFence(open, line string) string {
	mark := strings.TrimLeft(line, "`~")
	mark = line[:len(line)-len(mark)]
	if len(mark) < 3 || strings.Trim(mark, mark[:1]) != "" {
		return open
	}
	switch {
	case open == "" && !(mark[0] == '`' && strings.Contains(line[len(mark):], "`")):
		return mark
	case open != "" && mark[0] == open[0] && len(mark) >= len(open) && len(line) == len(mark):
		return ""
	}
	return open
}
