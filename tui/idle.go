package tui

import (
	"reflect"
	"sync"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"
)

// The renderer's ticker fires 60 times a second as long as the program runs (bubbletea v2.0.9,
// tea.go, startRenderer). An idle chat does not need that. idler slows the ticker down after a time
// without updates.
const (
	frameTime  = time.Second / 60
	quietAfter = 200 * time.Millisecond
	quietTime  = time.Hour
)

// idler slows the renderer's ticker while the chat is idle.
type idler struct {
	program *tea.Program
	mu      sync.Mutex
	timer   *time.Timer
	quiet   bool
	over    bool
}

// tickerOf returns the ticker of a program's renderer. It returns nil before the program runs, and
// if another version of bubbletea has no such field. Then the ticker is not slowed.
func tickerOf(p *tea.Program) *time.Ticker {
	if slot := tickerSlot(p); slot != nil {
		return *slot
	}
	return nil
}

// tickerSlot returns the address of the ticker's field, or nil.
func tickerSlot(p *tea.Program) **time.Ticker {
	field := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return (**time.Ticker)(unsafe.Pointer(field.UnsafeAddr()))
}

// awake restores the ticker's normal rate for a while. The program's goroutine calls it with every
// update. The renderer was started before the first update.
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

// end stops the idler.
func (i *idler) end() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.over = true
	if i.timer != nil {
		i.timer.Stop()
	}
}
