package chat

import (
	"os"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// spinTime is the spinner's interval, quitTime how long a first Ctrl-C counts, and graceTime how
// long after a turn's end Esc does not leave the chat.
const (
	spinTime  = 120 * time.Millisecond
	quitTime  = 2 * time.Second
	graceTime = time.Second
)

// model is the state of the whole chat. Update changes it without side effects and returns commands
// for everything else.
type model struct {
	o       Options
	lang    i18n.Lang
	now     func() time.Time
	updated func() // called at every update; may be nil

	stoppable func() bool // reports whether a shell would continue the chat after Ctrl-Z
	root      bool        // all commands run with root's rights
	look      look
	width     int
	height    int

	state     State
	log       transcript
	prompt    prompt
	history   inputHistory
	turn      turn
	questions []question // queued behind the one under review
	review    *review    // only set in ReviewAction
	list      *list      // nil if no list is shown
	search    *search    // nil if no search is active
	vi        vi

	session      string
	modelName    string // provider and model of the last answer
	connected    bool
	wasConnected bool // was connected before
	disconnected bool // the person was notified of a lost or failed connection
	out          *outbox
	handlers     map[string]func(ipc.Message) tea.Cmd // handlers of the final frame by request ID
	nextID       int
	notices      notices

	notice   string // message about the last key, shown until the next one
	frame    int    // of the spinner
	spinning bool
	quitAt   time.Time // time of the first Ctrl-C
	turnEnd  time.Time // end of the last turn
	leaving  bool
}

// turn is the current question and its progress.
type turn struct {
	id         string
	began      time.Time
	calls      map[string]*call
	running    []*call
	commands   int
	text       []byte // streamed since the last call
	clean      ipc.Cleaner
	input      draft // the person's input
	standalone bool  // an approval without a turn is being executed
}

type spinMsg struct{}

type judgeMsg struct{ question, edit string }

type historyMsg struct {
	lines []string
	err   error
}

func newModel(o Options) *model {
	m := &model{
		o: o, lang: o.Lang, now: o.Now, stoppable: underShell, session: o.Session, root: os.Geteuid() == 0,
		look: newLook(!o.NoColor), out: &outbox{daemon: o.Daemon}, handlers: map[string]func(ipc.Message) tea.Cmd{},
		prompt: prompt{area: newArea()}, vi: vi{on: o.Vi},
	}
	if m.now == nil {
		m.now = time.Now
	}
	m.log = transcript{look: m.look, md: markdown{colour: !o.NoColor}, now: m.now, follow: true}
	m.log.callLine = func(c call, now time.Time) string { return c.line(m.lang, now) }
	return m
}

// Init starts to listen to the daemon, and loads the input history.
func (m *model) Init() tea.Cmd {
	cmds := []tea.Cmd{listen(m.o.Daemon.Events())}
	if h := m.o.History; h != nil {
		cmds = append(cmds, func() tea.Msg {
			lines, err := h.Load()
			return historyMsg{lines, err}
		})
	}
	return tea.Batch(cmds...)
}

// Update handles a message.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if m.updated != nil {
		m.updated()
	}
	return m, tea.Batch(m.handleMsg(msg), m.showNotices(), m.startSpinner())
}

func (m *model) handleMsg(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
	case tea.KeyPressMsg:
		return m.handleKey(msg)
	case tea.PasteMsg:
		return m.paste(msg.Content)
	case tea.MouseWheelMsg:
		m.wheel(msg.Button)
	case spinMsg:
		m.spinning = false
		m.frame++
	case eventBatch:
		return m.handleEvents(msg)
	case []sendFailure:
		return m.handleUnsent(msg)
	case judgeMsg:
		return m.requestJudgement(msg)
	case historyMsg:
		m.history.load(msg.lines)
		m.showHistoryError(msg.err)
	case error:
		m.showHistoryError(msg)
	}
	return nil
}

func (m *model) showHistoryError(err error) {
	if err != nil {
		m.notice = i18n.ChatKept(ipc.VisibleLine(i18n.Cause(err, m.lang))).In(m.lang)
	}
}

// startSpinner runs the spinner while the daemon is working, or while the keys of a new question are not active yet.
func (m *model) startSpinner() tea.Cmd {
	waits := m.review != nil && !m.review.isSettled(m.now()) // shows its keys once they are active
	if !m.state.isBusy() && !waits || m.spinning {
		return nil
	}
	m.spinning = true
	return tea.Tick(spinTime, func(time.Time) tea.Msg { return spinMsg{} })
}

func (m *model) resize(width, height int) {
	m.width, m.height = width, height
	if m.review != nil {
		m.review.since = time.Time{} // the layout has changed
		if !m.review.seen {
			m.review.seenTo = 0
			m.review.scrollTo(0)
		}
	}
}

func (m *model) wheel(button tea.MouseButton) {
	switch button {
	case tea.MouseWheelUp:
		m.log.scroll(-3)
	case tea.MouseWheelDown:
		m.log.scroll(3)
	}
}

// send assigns an ID to a message and queues it. then, which may be nil, handles the final frame of the reply.
func (m *model) send(msg ipc.Message, then func(ipc.Message) tea.Cmd) (string, tea.Cmd) {
	m.nextID++
	msg.ID = "t" + strconv.Itoa(m.nextID)
	if then != nil {
		m.handlers[msg.ID] = then
	}
	return msg.ID, m.out.enqueue(msg)
}

// query queries the daemon. then handles a result that is no error.
func (m *model) query(q ipc.Query, then func(ipc.Message) tea.Cmd) tea.Cmd {
	_, cmd := m.send(ipc.Message{Type: ipc.TypeQuery}.WithData(q), func(f ipc.Message) tea.Cmd {
		if f.Error != nil {
			m.showError(f.Error)
			return nil
		}
		return then(f)
	})
	return cmd
}

// decode decodes a frame's data, and shows an error if that fails.
func (m *model) decode(f ipc.Message, v any) bool {
	err := f.Decode(v)
	if err != nil {
		m.log.add(byError, i18n.ChatUnreadable(ipc.Clean(i18n.Cause(err, m.lang))).In(m.lang))
	}
	return err == nil
}

// showError shows an error and what helps.
func (m *model) showError(e *ipc.Error) {
	text := ipc.Clean(e.Message)
	if e.Hint != "" {
		text += "\n" + ipc.Clean(e.Hint)
	}
	m.log.add(byError, text)
	m.log.toEnd()
}

func (m *model) addSystem(text string) { m.log.add(bySystem, text) }

// handleUnsent handles messages that could not be sent. The question returns to the input.
func (m *model) handleUnsent(failed []sendFailure) tea.Cmd {
	for _, f := range failed {
		delete(m.handlers, f.id)
		m.log.add(byError, i18n.ChatNotSent(ipc.Clean(i18n.Cause(f.err, m.lang))).In(m.lang))
		if f.id == m.turn.id && m.state != Input {
			m.restoreInput()
			m.endTurn(Input)
		}
	}
	if r := m.review; r != nil && r.judging {
		r.setJudgement(nil) // the daemon judges the command again when it is sent
	}
	return nil
}

// State is the state of the chat.
type State int

// The states.
const (
	Input        State = iota // the person types
	Thinking                  // the model was asked
	ReviewAction              // the person decides about a command
	Executing                 // a command runs
	Finalizing                // the command has ended and the model continues
	Done                      // a turn that ran commands has ended with a summary
)

func (s State) String() string {
	names := []string{"Input", "Thinking", "ReviewAction", "Executing", "Finalizing", "Done"}
	if s < 0 || int(s) >= len(names) {
		return "?"
	}
	return names[s]
}

// isBusy reports whether the daemon is working. Then the spinner turns, and typed text is for the next question.
func (s State) isBusy() bool { return s == Thinking || s == Executing || s == Finalizing }

func (s State) inTurn() bool { return s != Input && s != Done }
