package tui

import (
	"reflect"
	"sync"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"
)

// The renderer looks for a new frame 60 times a second for as long as it lives
// (bubbletea v2.0.9, tea.go, startRenderer). A chat that waits needs none of
// these: idler slows its ticker when nothing was updated for a while.
const (
	frameTime  = time.Second / 60
	quietAfter = 200 * time.Millisecond
	quietTime  = time.Hour
)

// idler slows the renderer's ticker while nothing happens.
type idler struct {
	program *tea.Program
	mu      sync.Mutex
	timer   *time.Timer
	quiet   bool
	over    bool
}

// tickerOf is a program's renderer's ticker, nil before the program runs and where
// this version keeps it somewhere else: then nothing is slowed and nothing breaks.
func tickerOf(p *tea.Program) *time.Ticker {
	if slot := tickerSlot(p); slot != nil {
		return *slot
	}
	return nil
}

// tickerSlot is the field that holds it.
func tickerSlot(p *tea.Program) **time.Ticker {
	field := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return (**time.Ticker)(unsafe.Pointer(field.UnsafeAddr()))
}

// awake has the renderer look again, for a while. It is called by the program's own
// goroutine, with every update; the renderer was started before the first.
func (i *idler) awake() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.over || i.program == nil {
		return
	}
	ticker := tickerOf(i.program)
	if ticker == nil {
		return
	}
	if i.quiet {
		ticker.Reset(frameTime)
		i.quiet = false
	}
	if i.timer == nil {
		i.timer = time.AfterFunc(quietAfter, func() { i.rest(ticker) })
		return
	}
	i.timer.Reset(quietAfter)
}

func (i *idler) rest(ticker *time.Ticker) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.over {
		ticker.Reset(quietTime)
		i.quiet = true
	}
}

// end stops slowing anything down.
func (i *idler) end() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.over = true
	if i.timer != nil {
		i.timer.Stop()
	}
}
