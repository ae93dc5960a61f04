package main

import (
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
)

// The delay before progress is shown, and how often it is redrawn.
const (
	progressDelay = 700 * time.Millisecond
	progressTick  = 120 * time.Millisecond
	// progressOnce is the delay if a line cannot be redrawn.
	progressOnce = 3 * time.Second
)

var progressMarks = [...]string{"|", "/", "-", `\`}

// progress is the line on standard error that shows which model works, for how long, and how to stop. Other
// output must pause it first.
type progress struct {
	w       io.Writer
	redraw  bool       // the terminal can erase a line
	columns func() int // width of the terminal
	lang    i18n.Lang
	who     string
	began   time.Time
	over    chan struct{} // ends the goroutine; nil before begin and after end
	done    chan struct{} // closed when it ended

	mu     sync.Mutex
	paused bool
	quiet  time.Time // time of the last other output
	shown  bool      // the line is on the screen
	turns  int
}

// newProgress returns a progress that writes to w, or nil if looks is false: then there is no terminal.
func newProgress(w io.Writer, looks, redraw bool, columns func() int) *progress {
	if !looks {
		return nil
	}
	return &progress{w: w, redraw: redraw, columns: columns}
}

// begin starts to show progress. It does nothing for the built-in helper, which answers immediately. Its
// commands are shown anyway.
func (p *progress) begin(lang i18n.Lang, server ipc.Hello) {
	if p == nil || server.Provider == "offline" {
		return
	}
	p.lang, p.who, p.began, p.quiet = lang, i18n.ModelName(server.Provider, visible(server.Model), lang), time.Now(), time.Now()
	p.over, p.done = make(chan struct{}), make(chan struct{})
	go p.run(p.over, p.done)
}

func (p *progress) run(over, done chan struct{}) {
	defer close(done)
	tick := time.NewTicker(progressTick)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return
		case now := <-tick.C:
			p.draw(now)
		}
	}
}

func (p *progress) draw(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delay := progressDelay
	if !p.redraw {
		delay = progressOnce
	}
	if p.paused || now.Sub(p.quiet) < delay || p.shown && !p.redraw {
		return
	}
	text := i18n.ProgressWorking(p.who, int(now.Sub(p.began).Seconds())).In(p.lang)
	p.shown = true
	if !p.redraw {
		fmt.Fprintln(p.w, text)
		return
	}
	mark := progressMarks[p.turns%len(progressMarks)]
	p.turns++
	fmt.Fprint(p.w, "\r\x1b[K"+firstCells(mark+" "+text, p.columns()-1))
}

// pause erases the line before other output.
func (p *progress) pause() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paused = true
	if p.shown && p.redraw {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// resume allows the line again after a moment without other output.
func (p *progress) resume() {
	if p == nil || p.over == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paused, p.quiet = false, time.Now()
}

// end erases the line and stops drawing.
func (p *progress) end() {
	if p == nil || p.over == nil {
		return
	}
	close(p.over)
	<-p.done
	p.over = nil
	p.pause()
}

// firstCells returns the beginning of a text that fits into the given number of cells.
func firstCells(text string, columns int) string {
	for term.Width(text) > max(columns, 0) {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}
