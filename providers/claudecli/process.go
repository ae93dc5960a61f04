package claudecli

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/internal/child"
	"github.com/nidoit/blunux-ai/providers"
)

// The limits of one process.
const (
	maxLine     = 16 << 20        // bytes of an output line
	maxErrors   = 4 << 10         // last bytes of standard error to keep
	maxHistory  = 2 << 20         // bytes of input and answers before it is replaced
	exitTimeout = 2 * time.Second // how long its output may stay open after its end
)

// process is one running claude. It answers one message at a time.
type process struct {
	p          *Program
	capability string // the capability of its tool server: 128 random bits, valid for its descendants only
	child      *child.Child
	dir        string
	lines      chan []byte // its output lines; closed at the end
	stderr     *tailBuffer // tail of its standard error
	endOnce    sync.Once
	quit       chan struct{} // closed when the lines are no longer read

	toolsDigest string    // digest of the tools it was started with
	system      string    // the last instructions sent to it
	history     []digest  // the conversation it knows, in order
	inputBytes  int       // bytes of the conversation
	cost        float64   // cost so far in US dollars, as reported
	lastUsed    time.Time // last use
	idleTimer   *time.Timer

	mu     sync.Mutex
	tools  []providers.ToolDefinition
	answer *answer // the answer in progress, or nil
	calls  sync.WaitGroup
}

// start starts a new claude for an answer.
func (p *Program) start(a *answer) (*process, error) {
	file, err := p.executable(a.ctx)
	if err != nil {
		return nil, err
	}
	w := &process{
		p: p, capability: newCapability(), lines: make(chan []byte), stderr: &tailBuffer{}, quit: make(chan struct{}),
		toolsDigest: digestTools(a.req.Available()), system: a.req.System, tools: a.req.Available(), lastUsed: time.Now(),
	}
	// The directory's name is not the capability, because it is not secret.
	w.dir = filepath.Join(p.o.Dir, newCapability()[:12])
	if err := p.o.writeFiles(w.dir, w.capability, a.req.System, len(a.req.Available()) > 0); err != nil {
		_ = os.RemoveAll(w.dir)
		return nil, fmt.Errorf("cannot write claude's configuration: %w", err)
	}
	if err := w.launch(file, arguments(a.id, w.dir, a.req.Available())); err != nil {
		_ = os.RemoveAll(w.dir)
		return nil, &providers.Error{Kind: providers.KindMissing, Message: "cannot start claude: " + err.Error(), Err: err}
	}
	p.mu.Lock()
	p.turns[w.capability] = w
	closed := p.closed
	p.mu.Unlock()
	if closed {
		w.end()
		return nil, ErrClosed
	}
	return w, nil
}

// newCapability returns 128 random bits.
func newCapability() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, crypto/rand
	return hex.EncodeToString(b[:])
}

// launch starts the program.
func (w *process) launch(file string, args []string) error {
	c, err := child.New(child.Start{File: file, Args: args, Dir: filepath.Join(w.dir, "empty"), Env: w.p.o.environ(), Errors: w.stderr})
	if err != nil {
		return err
	}
	w.child = c
	go w.read(c.Stdout)
	return nil
}

// read sends the output lines to lines until the end.
func (w *process) read(out io.ReadCloser) {
	defer out.Close()
	defer close(w.lines)
	r := bufio.NewReaderSize(out, 64<<10)
	for {
		line, err := readLine(r)
		if len(line) > 0 {
			select {
			case w.lines <- line:
			case <-w.quit:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

var errLongLine = errors.New("line too long")

// readLine returns a newly allocated line without its line end.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		piece, more, err := r.ReadLine()
		line = append(line, piece...)
		switch {
		case len(line) > maxLine:
			return line[:256], errLongLine
		case err != nil || !more:
			return line, err
		}
	}
}

// isRunning reports whether the process is still running.
func (w *process) isRunning() bool {
	select {
	case <-w.child.Done():
		return false
	default:
		return true
	}
}

// isFull reports whether the process should be replaced because its history, which cannot be shortened, is too
// long.
func (w *process) isFull() bool { return w.inputBytes > maxHistory }

// end kills the process group and waits for its end. It invalidates the turn's capability.
func (w *process) end() {
	w.endOnce.Do(func() {
		w.p.mu.Lock()
		delete(w.p.turns, w.capability)
		w.p.mu.Unlock()
		close(w.quit)
		w.child.Kill()
		w.child.Stdin.Close()
		<-w.child.Done()
		_ = os.RemoveAll(w.dir)
		<-w.p.slots
	})
	<-w.child.Done()
}

// setAnswer routes the process's calls to an answer. nil stops that and waits for running calls.
func (w *process) setAnswer(a *answer) {
	w.mu.Lock()
	w.answer = a
	if a != nil {
		w.tools = a.req.Available()
	}
	w.mu.Unlock()
	if a == nil {
		w.calls.Wait()
	}
}

// beginCall registers a call and returns its answer, or nil. If it is not nil, the caller must call endCall.
func (w *process) beginCall() *answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.answer != nil {
		w.calls.Add(1)
		w.answer.beginCall()
	}
	return w.answer
}

func (w *process) endCall(a *answer) {
	a.endCall()
	w.calls.Done()
}

// write sends one message.
func (w *process) write(line []byte) error {
	w.inputBytes += len(line)
	_, err := w.child.Stdin.Write(append(line, '\n'))
	return err
}

// tailBuffer keeps the last bytes written to it.
type tailBuffer struct {
	mu   sync.Mutex
	text []byte
}

func (l *tailBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	if over := len(l.text) - maxErrors; over > 0 {
		l.text = append([]byte(nil), l.text[over:]...)
	}
	return len(p), nil
}

func (l *tailBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}

// waitExit waits briefly for the end of a process that has closed its output, and reports whether it ended.
func (w *process) waitExit(ctx context.Context) bool {
	timer := time.NewTimer(exitTimeout)
	defer timer.Stop()
	select {
	case <-w.child.Done():
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}
