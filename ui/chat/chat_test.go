package chat

import (
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// chat is a model with the test as its daemon.
type chat struct {
	*model
	clock  time.Time
	events chan ipc.LinkEvent
	sent   []ipc.Message
	topics []ipc.Message // subscriptions
}

func (c *chat) Send(m ipc.Message) error {
	if m.Type == ipc.TypeSubscribe {
		c.topics = append(c.topics, m)
	} else {
		c.sent = append(c.sent, m)
	}
	return nil
}

func (c *chat) Events() <-chan ipc.LinkEvent { return c.events }
func (c *chat) pass(d time.Duration)         { c.clock = c.clock.Add(d) }
func (c *chat) typed() string                { return c.prompt.text() }
func (c *chat) frame(f ipc.Message)          { c.event(ipc.LinkEvent{Frame: &f}) }
func (c *chat) event(e ipc.LinkEvent)        { c.do(eventBatch{events: []ipc.LinkEvent{e}}) }
func (c *chat) tool(t ipc.Tool)              { c.frame(c.of(ipc.TypeTool).WithData(t)) }
func (c *chat) of(kind string) ipc.Message   { return ipc.Message{Type: kind, Re: c.turn.id} }
func (c *chat) put(id string, a ipc.Ask)     { m := c.of(ipc.TypeAsk).WithData(a); m.ID = id; c.frame(m) }

func (c *chat) end(body string, o ipc.Outcome) {
	m := c.of(ipc.TypeResponse).WithData(o)
	m.Body, m.Done = body, true
	c.frame(m)
}

func (c *chat) fail(code ipc.Code, say, h string) {
	c.frame(ipc.Message{Type: ipc.TypeError, Re: c.turn.id, Done: true, Error: &ipc.Error{Code: code, Message: say, Hint: h}})
}

// newChat returns a connected chat, 80 cells wide and 24 high.
func newChat(lang i18n.Lang, change ...func(*Options)) *chat {
	c := &chat{clock: time.Date(2026, 3, 1, 12, 0, 0, 0, time.Local), events: make(chan ipc.LinkEvent, 16)}
	o := Options{Lang: lang, Daemon: c, NoColor: true, Cwd: "/home/blu", Now: func() time.Time { return c.clock }}
	for _, f := range change {
		f(&o)
	}
	c.model = newModel(o)
	c.root = false
	c.resize(80, 24)
	c.event(ipc.LinkEvent{Connected: &ipc.Hello{}})
	return c
}

// do passes a message to the model, runs the commands that send messages, and draws.
func (c *chat) do(msg tea.Msg) {
	c.handleMsg(msg)
	c.showNotices()
	if msg := c.out.send(); msg != nil {
		c.handleMsg(msg)
	}
	c.draw()
}

var keyCodes = map[string]tea.KeyPressMsg{
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "tab": {Code: tea.KeyTab},
	"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
	"backspace": {Code: tea.KeyBackspace}, "delete": {Code: tea.KeyDelete}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown},
	"alt+enter": {Code: tea.KeyEnter, Mod: tea.ModAlt}, "ctrl+home": {Code: tea.KeyHome, Mod: tea.ModCtrl}, "ctrl+end": {Code: tea.KeyEnd, Mod: tea.ModCtrl},
}

func keyOf(name string) tea.KeyPressMsg {
	if k, ok := keyCodes[name]; ok {
		return k
	}
	if letter, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(letter[0]), Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// press presses keys by name. write presses the keys of a text before the next frame.
func (c *chat) press(names ...string) {
	for _, n := range names {
		c.do(keyOf(n))
	}
}

func (c *chat) write(text string) {
	for _, r := range text {
		c.handleMsg(keyOf(string(r)))
	}
	c.draw()
}

func (c *chat) asked(text string) {
	c.do(pasted(text))
	c.press("enter")
}

// screen returns the screen as text.
func (c *chat) screen() string { return strings.Join(c.draw().rows, "\n") }

// last returns the last sent message.
func (c *chat) last() ipc.Message {
	if len(c.sent) == 0 {
		return ipc.Message{}
	}
	return c.sent[len(c.sent)-1]
}

func askOf(command string) ipc.Ask {
	return ipc.Ask{Code: "K7QX", Tool: "run_command", Class: "CONFIRM", Command: command, Cwd: "/home/blu", Reasons: []string{"changes-system"}, Digest: "sha256:d"}
}

// newReviewChat returns a chat with a command under review whose settle time has passed.
func newReviewChat(a ipc.Ask) *chat {
	c := newChat(i18n.English)
	c.asked("do it")
	c.put("a1", a)
	c.pass(time.Second)
	return c
}

func TestAQuestionGoesThroughAllStates(t *testing.T) {
	c := newChat(i18n.English)
	c.asked("is the disk full?")
	require.Equal(t, Thinking, c.state)
	require.Equal(t, "is the disk full?", c.last().Body)
	require.Equal(t, ipc.TypeMessage, c.last().Type)
	c.put("a1", askOf("touch /tmp/x"))
	require.Equal(t, ReviewAction, c.state)
	require.Contains(t, c.screen(), "$ touch /tmp/x")
	c.pass(time.Second)
	c.press("enter")
	require.Equal(t, Executing, c.state)
	var answer ipc.Answer
	require.NoError(t, c.last().Decode(&answer))
	require.Equal(t, ipc.Answer{Digest: "sha256:d"}, answer)
	require.Equal(t, ipc.ActionAllowOnce, c.last().Action)
	require.Equal(t, "a1", c.last().Re)
	c.tool(ipc.Tool{Call: "t1", Name: "run_command", Class: "CONFIRM", Command: "touch /tmp/x", State: ipc.ToolRunning})
	c.tool(ipc.Tool{Call: "t1", State: ipc.ToolRunning, Output: "one\ntwo\n"})
	require.Contains(t, c.screen(), ": two")
	c.tool(ipc.Tool{Call: "t1", State: ipc.ToolDone, Exit: 0, Millis: 40})
	require.Equal(t, Finalizing, c.state)
	c.frame(ipc.Message{Type: ipc.TypeDelta, Re: c.turn.id, Body: "All **done**."})
	require.Equal(t, Thinking, c.state)
	c.end("All **done**.", ipc.Outcome{Usage: ipc.Usage{In: 1000, Out: 234}})
	require.Equal(t, Done, c.state)
	require.Contains(t, c.screen(), " · 1,234 tokens")
	c.press("h")
	require.Equal(t, Input, c.state)
	require.Equal(t, "h", c.typed())
}

func pasted(text string) tea.PasteMsg { return tea.PasteMsg{Content: text} }

// result answers the last request.
func (c *chat) result(data string) {
	c.frame(ipc.Message{Type: ipc.TypeResult, Re: c.last().ID, Done: true, Data: []byte(data)})
}

// frameJudged waits until an edited command is judged, and answers.
func (c *chat) frameJudged(j ipc.Judgement) {
	c.do(newJudgeMsg(c.review))
	c.frame(ipc.Message{Type: ipc.TypeResult, Re: c.last().ID, Done: true}.WithData(j))
}

// stringOf returns the text of a string message, such as bubbletea's clipboard message.
func stringOf(msg tea.Msg) (string, bool) {
	v := reflect.ValueOf(msg)
	return v.String(), v.Kind() == reflect.String
}

func TestAChangeIsTakenBackWithACommand(t *testing.T) {
	c := newChat(i18n.Korean)
	c.asked("/undo u4k7p")
	var r ipc.Request
	require.NoError(t, c.last().Decode(&r))
	require.Equal(t, []string{ipc.TypeMessage, "undo U4K7P", "U4K7P"}, []string{c.last().Type, c.last().Body, r.Undo})
	require.Equal(t, Thinking, c.state)
	c.put("a1", planAsk())
	require.Equal(t, ReviewAction, c.state)
}

func TestTheStepsOfAPlanAreUpdatedInPlaceAndItsChecksAreNoCallsOfTheirOwn(t *testing.T) {
	c := newChat(i18n.English)
	c.asked("go")
	plan := planAsk()
	c.tool(ipc.Tool{Call: "t1", Name: "plan", Class: "CONFIRM", Command: plan.Command, State: ipc.ToolRunning})
	for _, state := range []string{ipc.StepRunning, ipc.StepFailed} {
		step := plan.Plan[1]
		step.State = state
		c.tool(ipc.Tool{Call: "t1", Name: "plan", State: ipc.ToolRunning, Step: &step})
		require.Contains(t, c.screen(), i18n.StepMark(state)+" rm -rf /var/cache/old")
	}
	c.tool(ipc.Tool{Call: "t1.2", Name: "run_command", Class: "SAFE", Command: "test ! -e /var/cache/old", State: ipc.ToolRunning})
	c.tool(ipc.Tool{Call: "t1.2", Name: "run_command", Class: "SAFE", State: ipc.ToolDone, Exit: 1})
	require.NotContains(t, c.screen(), "test ! -e")
	require.Contains(t, c.screen(), "· cp --no-preserve=mode", "it has not started")
	c.tool(ipc.Tool{Call: "t1", Name: "plan", Class: "CONFIRM", State: ipc.ToolDone, Exit: 1})
	c.tool(ipc.Tool{Call: "t2", Name: "run_command", Class: "SAFE", Command: "df -h", State: ipc.ToolRunning})
	require.Contains(t, c.screen(), "df -h")
	for _, number := range []int{0, -1, 4, 1 << 40} {
		c.tool(ipc.Tool{Call: "t2", State: ipc.ToolRunning, Step: &ipc.PlanStep{Number: number, Of: 3}})
	}
}
