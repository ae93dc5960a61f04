package wire

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The approvals are compared with a model of a few lines: under any sequence of messages in two conversations
// on two channels, restarts, edits, late and repeated answers, exactly the confirmed plans run, once, and as shown.

// op is one event.
type op struct {
	kind   string
	n      int // index of the approval, if it matters
	action string
	edit   string
}

func (o op) String() string { return fmt.Sprint(o.kind, " ", o.n, " ", o.action, " ", o.edit) }

// everything lists the events. Those that find most bugs occur more than once.
var everything = []string{
	"ask cli", "ask other", "park", "park", "ask bridge", "answer", "answer", "answer", "answer", "answer from afar",
	"bare yes", "bare no", "other words", "minute", "day", "restart", "change script", "change script", "change file",
}

func drawOps(t *rapid.T, kinds []string) []op {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) op {
		return op{
			kind:   rapid.SampledFrom(kinds).Draw(t, "kind"),
			n:      rapid.IntRange(0, 7).Draw(t, "n"),
			action: rapid.SampledFrom([]string{ipc.ActionAllowOnce, ipc.ActionAllowOnce, ipc.ActionReject, ipc.ActionEdit, ipc.ActionAllowSession}).Draw(t, "action"),
			edit:   rapid.SampledFrom([]string{"same", "more"}).Draw(t, "edit"),
		}
	}), 5, 40).Draw(t, "ops")
}

// asking is an approval in the model.
type asking struct {
	unseen  bool // asked again for an edit at the machine: the phone was shown the earlier question
	code    string
	session string // cli, other, park or bridge
	token   string // written by its command
	live    bool
	expires time.Time
	waits   bool
	more    bool // the question showed more than running a script
	script  bool // the script was changed
	file    bool // its file was changed, which only matters when it is read again
}

func (a *asking) spoiled() bool { return a.script || a.file && !a.live }

// world is the daemon together with the model.
type world struct {
	*house
	peers   []*peer // local clients with an open question
	bridge  *peer
	asks    []*asking
	tokens  int
	want    map[string]bool // tokens that must have run
	problem string
}

func (w *world) fail(format string, args ...any) {
	if w.problem == "" {
		w.problem = fmt.Sprintf(format, args...)
	}
}

func (w *world) connectAll() {
	w.bridge = w.connect()
}

func (w *world) disconnectAll() {
	w.bridge.Close()
	for _, p := range w.peers {
		p.Close()
	}
	w.peers = nil
	synctest.Wait()
	for _, a := range w.asks { // the client disconnected: no
		if a.live && a.session != "bridge" {
			a.waits = false
		}
	}
}

// script returns a command that runs a script in a file.
func (w *world) script(token string) string {
	file := filepath.Join(w.home, token+".sh")
	require.NoError(w.t, os.WriteFile(file, []byte("echo "+token+" >> "+filepath.Join(w.home, "ran")+"\n"), 0o600))
	return "bash " + file
}

func (w *world) waiting(session string) (list []*asking) {
	for _, a := range w.asks {
		if a.waits && (session == "" || a.session == session) {
			list = append(list, a)
		}
	}
	return list
}

// Ask starts a turn that needs approval.
func (w *world) ask(session string) {
	if session != "park" && len(w.waiting(session)) > 0 {
		return // its turn waits
	}
	w.tokens++
	token := fmt.Sprint("token", w.tokens)
	a := &asking{session: session, token: token, live: session != "park", waits: true, expires: time.Now().Add(5 * time.Minute)}
	body := "do " + w.script(token)
	switch session {
	case "cli", "other":
		p := w.hello(ipc.CapAsk)
		w.peers = append(w.peers, p)
		p.say(ipc.Message{Type: ipc.TypeMessage, ID: token, Session: session, Body: body})
		var ask ipc.Ask
		require.NoError(w.t, p.last(ipc.TypeAsk).Decode(&ask))
		a.code = ask.Code
		w.drain(p)
	case "park":
		a.expires = time.Now().Add(24 * time.Hour)
		p := w.hello()
		p.say(ipc.Message{Type: ipc.TypeMessage, ID: token, Session: "park", Body: body})
		var out ipc.Outcome
		require.NoError(w.t, p.last(ipc.TypeResponse).Decode(&out))
		a.code = out.Pending[0]
		p.Close()
	case "bridge":
		w.bridge.say(ipc.Message{Type: ipc.TypeMessage, From: ownerPhone, Body: body})
		require.Contains(w.t, w.bridge.read().Body, token)
		a.code = w.codeOf(token)
	}
	w.asks = append(w.asks, a)
}

func (w *world) codeOf(token string) string {
	for _, ask := range w.house.waiting() {
		if strings.Contains(ask.Command, token) {
			return ask.Code
		}
	}
	w.fail("%s does not wait", token)
	return ""
}

// drain reads a peer's frames until it is closed.
func (w *world) drain(p *peer) {
	w.wg.Go(func() {
		for {
			if _, err := p.Read(); err != nil {
				return
			}
		}
	})
}

// answer answers an approval by its code, from a local client or a remote sender.
func (w *world) answer(o op, afar bool) {
	if len(w.asks) == 0 {
		return
	}
	a := w.asks[o.n%len(w.asks)]
	data := ipc.Answer{Code: a.code}
	token := a.token
	if o.action == ipc.ActionEdit {
		w.tokens++
		token = fmt.Sprint("token", w.tokens)
		data.Command = w.script(token)
		if o.edit == "more" {
			data.Command += "; sudo -n true"
		}
	}
	p := w.hello()
	if afar {
		p.Close()
		p = w.connectAs("signal")
	}
	p.say(ipc.Message{Type: ipc.TypeAction, ID: "y", Action: o.action}.WithData(data))
	m := p.read()
	p.Close()
	synctest.Wait()
	switch {
	case !a.waits:
		if m.Error == nil {
			w.fail("%s was answered and does not wait: %v", a.code, m)
		}
	case afar:
		if m.Error == nil || m.Error.Code != ipc.CodeDenied {
			w.fail("%s was answered from afar: %v", a.code, m)
		}
	case o.action == ipc.ActionAllowSession:
		if m.Error == nil || m.Error.Code != ipc.CodeBadRequest {
			w.fail("a script was allowed for the session: %v", m)
		}
	default:
		w.answered(a, o, token, m)
	}
}

// answered checks the effect of a local client's answer.
func (w *world) answered(a *asking, o op, token string, m ipc.Message) {
	if a.file && !a.live {
		w.spoiledFile(a, o, token, m)
		return
	}
	a.waits = false
	switch {
	case o.action == ipc.ActionReject, a.spoiled() && o.action != ipc.ActionEdit:
	case o.action == ipc.ActionEdit && o.edit == "more" && a.more: // all of it was shown
		w.want[token] = true
	case o.action == ipc.ActionEdit && o.edit == "more" && a.live:
		// Its turn asks again, with a new code.
		w.asks = append(w.asks, &asking{code: w.codeOf(token), session: a.session, token: token, more: true, live: true, waits: true, unseen: a.session == "bridge", expires: time.Now().Add(5 * time.Minute)})
	case o.action == ipc.ActionEdit && o.edit == "more":
		if m.Error == nil || m.Error.Code != ipc.CodeDenied {
			w.fail("an edit that does more was taken: %v", m)
			return
		}
		w.asksAgain(a, token)
	default:
		w.want[token] = true
	}
}

// spoiledFile checks an answer to a stored approval that another program overwrote: it may be refused, and of an
// edit only the person's own text may run.
func (w *world) spoiledFile(a *asking, o op, token string, m ipc.Message) {
	a.waits = w.still(a.code)
	switch {
	case o.action != ipc.ActionEdit:
	case m.Error == nil:
		w.want[token] = true
	case !a.waits:
		w.asksAgain(a, token)
	}
}

// asksAgain records that an edit waits with a new code.
func (w *world) asksAgain(a *asking, token string) {
	w.asks = append(w.asks, &asking{code: w.codeOf(token), session: a.session, token: token, more: true, waits: true, expires: a.expires})
}

// bare says yes or no on the bridge, without a code.
func (w *world) bare(yes bool) {
	waiting := w.waiting("bridge")
	w.bridge.say(ipc.Message{Type: ipc.TypeMessage, From: ownerPhone, Body: map[bool]string{true: "네", false: "아니요"}[yes]})
	w.bridge.read()
	synctest.Wait()
	if len(waiting) != 1 {
		return // nothing to answer, or ambiguous
	}
	a := waiting[0]
	if yes && a.unseen {
		a.unseen = false // it is shown and stays open
		return
	}
	a.waits = a.file && !a.live && w.still(a.code)
	if yes && !a.spoiled() && !a.waits {
		w.want[a.token] = true
	}
}

func (w *world) still(code string) bool {
	return slices.ContainsFunc(w.house.waiting(), func(a ipc.Ask) bool { return a.Code == code })
}

func (w *world) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
	for _, a := range w.asks {
		if !a.expires.After(time.Now()) {
			a.waits = false
		}
	}
}

func (w *world) do(o op) {
	switch o.kind {
	case "ask cli", "ask other", "ask bridge":
		w.ask(strings.TrimPrefix(o.kind, "ask "))
	case "park":
		w.ask("park")
	case "answer":
		w.answer(o, false)
	case "answer from afar":
		w.answer(o, true)
	case "bare yes", "bare no":
		w.bare(o.kind == "bare yes")
	case "other words":
		w.bridge.say(ipc.Message{Type: ipc.TypeMessage, From: ownerPhone, Body: "hello"})
		w.bridge.read()
		for _, a := range w.waiting("bridge") {
			a.waits = false // a new message counts as no
		}
	case "minute":
		w.pass(time.Minute)
	case "day":
		w.pass(25 * time.Hour)
	case "restart":
		w.disconnectAll()
		w.restart()
		for _, a := range w.asks {
			a.live = false
		}
		w.connectAll()
	case "change script":
		w.spoil(o.n, func(a *asking) {
			file := filepath.Join(w.home, a.token+".sh")
			require.NoError(w.t, os.WriteFile(file, []byte("echo evil >> "+filepath.Join(w.home, "ran")+"\n"), 0o600))
			a.script = true
		})
	case "change file":
		w.spoil(o.n, func(a *asking) {
			r := w.readStored(a.code)
			r.Plan.Commands[0].Shell = "echo evil >> " + filepath.Join(w.home, "ran")
			r.Ask.Command, r.Ask.Digest = r.Plan.Commands[0].Shell, digestOf(r)
			w.writeStored(r)
			a.file = true
		})
	}
}

// spoil changes the plan of an open approval.
func (w *world) spoil(n int, change func(*asking)) {
	waiting := w.waiting("")
	if len(waiting) == 0 {
		return
	}
	synctest.Wait() // a later write of the daemon would undo the change
	change(waiting[n%len(waiting)])
}

// check compares the files with the model.
func (w *world) check(o op) {
	data, _ := os.ReadFile(filepath.Join(w.home, "ran"))
	ran := map[string]int{}
	for _, token := range strings.Fields(string(data)) {
		ran[token]++
	}
	for token, times := range ran {
		if times != 1 || !w.want[token] {
			w.fail("after %v: %s ran %d times, wanted %v", o, token, times, w.want[token])
		}
	}
	for token, wanted := range w.want {
		if wanted && ran[token] != 1 {
			w.fail("after %v: %s was allowed and did not run", o, token)
		}
	}
}

// play executes the events and returns the first difference from the model.
func play(t *testing.T, ops []op, change ...func(*Options)) (problem string) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{house: open(t, doer, change...), want: map[string]bool{}}
		w.connectAll()
		for _, o := range ops {
			if w.do(o); w.problem == "" {
				w.check(o)
			}
			if w.problem != "" {
				break
			}
		}
		problem = w.problem
		w.disconnectAll()
		w.Shutdown()
		w.wg.Wait()
	})
	return problem
}

func TestApprovalsFitTheirModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		if problem := play(t, drawOps(rt, everything)); problem != "" {
			rt.Fatal(problem)
		}
	})
}

// careless is a gate that does not judge stored plans again.
type careless struct{ settings.Gate }

func (g careless) RunApproved(ctx context.Context, j tools.JudgedPlan, _ string, approver tools.Approver, observe func(tools.Event)) tools.Outcome {
	return g.Gate.RunApproved(ctx, j, g.Judge(j).Digest, approver, observe)
}

// A mutant must not pass.
func TestTheModelCatchesAGateThatDoesNotJudgeAgain(t *testing.T) {
	mutant := func(o *Options) {
		build := o.Build
		o.Build = func(own OwnTools) (*settings.Runtime, error) {
			rt, err := build(own)
			if err == nil {
				rt.Gate = careless{rt.Gate}
			}
			return rt, err
		}
	}
	story := []op{{kind: "park"}, {kind: "change script"}, {kind: "answer", action: ipc.ActionAllowOnce}}
	require.Empty(t, play(t, story))
	require.Contains(t, play(t, story, mutant), "evil")
	caught := false
	stories := rapid.Custom(func(t *rapid.T) []op {
		return drawOps(t, []string{"park", "park", "restart", "change script", "answer", "answer"})
	})
	for seed := range 50 {
		if play(t, stories.Example(seed), mutant) != "" {
			caught = true
			break
		}
	}
	require.True(t, caught, "fifty random stories do not notice it")
}
