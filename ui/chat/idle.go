package chat

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
	frameTime    = time.Second / 60
	idleAfter    = 200 * time.Millisecond
	slowInterval = time.Hour
)

// idler slows the renderer's ticker while the chat is idle.
type idler struct {
	program *tea.Program
	mu      sync.Mutex
	timer   *time.Timer
	slow    bool
	stopped bool
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

// wake restores the ticker's normal rate for a while. The program's goroutine calls it with every
// update. The renderer was started before the first update.
func (i *idler) wake() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.stopped || i.program == nil {
		return
	}
	ticker := tickerOf(i.program)
	if ticker == nil {
		return
	}
	if i.slow {
		ticker.Reset(frameTime)
		i.slow = false
	}
	if i.timer == nil {
		i.timer = time.AfterFunc(idleAfter, func() { i.slowDown(ticker) })
		return
	}
	i.timer.Reset(idleAfter)
}

func (i *idler) slowDown(ticker *time.Ticker) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.stopped {
		ticker.Reset(slowInterval)
		i.slow = true
	}
}

// stop stops the idler.
func (i *idler) stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.stopped = true
	if i.timer != nil {
		i.timer.Stop()
	}
}
