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

	"github.com/nidoit/blunux-ai/child"
	"github.com/nidoit/blunux-ai/providers"
)

// The limits of one process.
const (
	maxLine   = 16 << 20        // bytes of an output line
	maxErrors = 4 << 10         // last bytes of standard error to keep
	maxFed    = 2 << 20         // bytes of input and answers before it is replaced
	lingering = 2 * time.Second // how long its output may stay open after its end
)

// process is one running claude. It answers one message at a time.
type process struct {
	p     *Program
	turn  string // the capability of its tool server: 128 random bits, valid for its descendants only
	child *child.Child
	dir   string
	lines chan []byte // its output lines; closed at the end
	said  *lastWords  // tail of its standard error
	stop  sync.Once
	quit  chan struct{} // closed when the lines are no longer read

	offers string    // digest of the tools it was started with
	system string    // the last instructions sent to it
	knows  []mark    // the conversation it knows, in order
	fed    int       // bytes of the conversation
	cost   float64   // cost so far in US dollars, as reported
	used   time.Time // last use
	rest   *time.Timer

	mu    sync.Mutex
	tools []providers.ToolDefinition
	now   *answer // the answer in progress, or nil
	calls sync.WaitGroup
}

// start starts a new claude for an answer.
func (p *Program) start(a *answer) (*process, error) {
	file, err := p.program(a.ctx)
	if err != nil {
		return nil, err
	}
	w := &process{
		p: p, turn: newTurn(), lines: make(chan []byte), said: &lastWords{}, quit: make(chan struct{}),
		offers: offersOf(a.req.Tools), system: a.req.System, tools: a.req.Tools, used: time.Now(),
	}
	// The directory's name is not the capability, because it is not secret.
	w.dir = filepath.Join(p.o.Dir, newTurn()[:12])
	if err := p.o.lay(w.dir, w.turn, a.req.System, len(a.req.Tools) > 0); err != nil {
		_ = os.RemoveAll(w.dir)
		return nil, fmt.Errorf("cannot write claude's configuration: %w", err)
	}
	if err := w.launch(file, arguments(a.id, w.dir, a.req.Tools)); err != nil {
		_ = os.RemoveAll(w.dir)
		return nil, &providers.Error{Kind: providers.KindMissing, Message: "cannot start claude: " + err.Error(), Err: err}
	}
	p.mu.Lock()
	p.turns[w.turn] = w
	closed := p.closed
	p.mu.Unlock()
	if closed {
		w.end()
		return nil, ErrClosed
	}
	return w, nil
}

// newTurn returns 128 random bits.
func newTurn() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, crypto/rand
	return hex.EncodeToString(b[:])
}

// launch starts the program.
func (w *process) launch(file string, args []string) error {
	c, err := child.New(child.Start{File: file, Args: args, Dir: filepath.Join(w.dir, "empty"), Env: w.p.o.environ(), Errors: w.said})
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

// alive reports whether the process is still running.
func (w *process) alive() bool {
	select {
	case <-w.child.Over():
		return false
	default:
		return true
	}
}

// overfed reports whether the process should be replaced because its history, which cannot be shortened, is too
// long.
func (w *process) overfed() bool { return w.fed > maxFed }

// end kills the process group and waits for its end. It invalidates the turn's capability.
func (w *process) end() {
	w.stop.Do(func() {
		w.p.mu.Lock()
		delete(w.p.turns, w.turn)
		w.p.mu.Unlock()
		close(w.quit)
		w.child.Kill()
		w.child.Stdin.Close()
		<-w.child.Over()
		_ = os.RemoveAll(w.dir)
		<-w.p.seats
	})
	<-w.child.Over()
}

// work routes the process's calls to an answer. nil stops that and waits for running calls.
func (w *process) work(a *answer) {
	w.mu.Lock()
	w.now = a
	if a != nil {
		w.tools = a.req.Tools
	}
	w.mu.Unlock()
	if a == nil {
		w.calls.Wait()
	}
}

// enter registers a call and returns its answer, or nil. If it is not nil, the caller must call leave.
func (w *process) enter() *answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now != nil {
		w.calls.Add(1)
		w.now.begin()
	}
	return w.now
}

func (w *process) leave(a *answer) {
	a.done()
	w.calls.Done()
}

// write sends one message.
func (w *process) write(line []byte) error {
	w.fed += len(line)
	_, err := w.child.Stdin.Write(append(line, '\n'))
	return err
}

// lastWords keeps the last bytes written to it.
type lastWords struct {
	mu   sync.Mutex
	text []byte
}

func (l *lastWords) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	if over := len(l.text) - maxErrors; over > 0 {
		l.text = append([]byte(nil), l.text[over:]...)
	}
	return len(p), nil
}

func (l *lastWords) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}

// awaitOver waits briefly for the end of a process that has closed its output, and reports whether it ended.
func (w *process) awaitOver(ctx context.Context) bool {
	timer := time.NewTimer(lingering)
	defer timer.Stop()
	select {
	case <-w.child.Over():
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}
