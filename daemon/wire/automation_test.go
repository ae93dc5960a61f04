package wire

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/rules"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/desktop"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/stretchr/testify/require"
)

// wall is a fake desktop that records notifications.
type wall struct {
	mu      sync.Mutex
	gone    bool // no notification daemon runs
	busy    bool // the person dismisses each notification at once
	shown   map[string]desktop.Notice
	told    chan desktop.Notice
	pressed func(key, action string)
	closed  func(key string, why desktop.Reason)
}

func newWall() *wall {
	return &wall{shown: map[string]desktop.Notice{}, told: make(chan desktop.Notice, 100)}
}

func (w *wall) Show(_ context.Context, n desktop.Notice) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gone {
		return desktop.ErrNoServer
	}
	w.shown[n.Key] = n
	w.told <- n
	if w.busy {
		w.closed(n.Key, desktop.Dismissed)
	}
	return nil
}

func (*wall) Start(context.Context, string, string) error { return nil }

func (*wall) Capabilities(context.Context) (desktop.Capabilities, error) {
	return desktop.Capabilities{Actions: true}, nil
}

func (*wall) Close() {}

// labels returns the buttons of a notification.
func labels(n desktop.Notice) []string {
	var keys []string
	for _, a := range n.Actions {
		keys = append(keys, a.Key)
	}
	return keys
}

// withRules opens a house with a file of automations.
func withRules(t *testing.T, m model, w *wall, text string, change ...func(*Options)) *house {
	t.Helper()
	return open(t, m, append(change, func(o *Options) {
		build := o.Build
		o.Build = func(own OwnTools) (*settings.Runtime, error) {
			rt, err := build(own)
			if rt != nil {
				rt.Config.Automations, rt.Remote.Owners = true, map[string][]string{"whatsapp": {"+82 10-1234-5678"}}
			}
			return rt, err
		}
		paths := config.Paths{Home: o.Home}
		require.NoError(t, os.WriteFile(paths.Automations(), []byte(text), 0o600))
		if w != nil {
			o.Machine.Desktop = func(pressed func(string, string), closed func(string, desktop.Reason)) rules.Desktop {
				w.pressed, w.closed = pressed, closed
				return w
			}
		}
	})...)
}

// runRule starts a rule and waits until its run has ended.
func (h *house) runRule(name string) automation.Run {
	h.t.Helper()
	run, err := h.rules.Begin(name)
	require.NoError(h.t, err)
	gone := make(chan struct{})
	timer := time.AfterFunc(20*time.Second, func() { close(gone) })
	defer timer.Stop()
	ended := h.rules.AwaitRun(run, gone)
	require.NotEmpty(h.t, ended.State, "the run has not ended")
	return ended
}

// rule returns a rule by its name.
func (h *house) rule(name string) automation.ScheduledRule {
	h.t.Helper()
	for _, p := range h.rules.All() {
		if p.Name == name {
			return p
		}
	}
	h.t.Fatalf("no rule %s", name)
	return automation.ScheduledRule{}
}

// List returns the rules as clients see them.
func (h *house) list() ipc.AutomationList {
	list, err := h.rules.Query(ipc.Query{}, i18n.English)
	require.NoError(h.t, err)
	return list
}

// queuedFor returns the messages that wait for a channel.
func (h *house) queuedFor(channel string) []outbox.Message { return h.post.Outbox.Waiting(channel) }

func TestARulesTurnAnswersOnItsChannels(t *testing.T) {
	h := withRules(t, doer, nil, "[[automation]]\nname = \"hi\"\nschedule = \"09:00\"\naction = \"do echo hello\"\nnotify = [\"cli\", \"whatsapp\"]\n")
	run := h.runRule("hi")
	require.Equal(t, automation.Ran, run.State)
	require.Equal(t, "AUTOMATION  echo hello\n", h.log())
	require.Len(t, h.queuedFor("cli"), 1)
	require.Equal(t, "⏰ hi\nit ran", h.queuedFor("cli")[0].Body)
	bridge := h.queuedFor(post.OriginalChannel)
	require.Len(t, bridge, 1)
	require.Equal(t, "821012345678@c.us", bridge[0].To)
}

func TestAConditionIsWatchedWithoutAModel(t *testing.T) {
	h := withRules(t, doer, nil, "[[automation]]\nname = \"disk\"\nschedule = \"09:00\"\ncheck = \"disk\"\nover = 1\npaths = [\"/\"]\nnotify = [\"cli\"]\nlanguage = \"ko\"\n")
	turns := 0
	_ = turns
	run := h.runRule("disk")
	require.Equal(t, automation.Ran, run.State, run.Text)
	require.NotEmpty(t, run.Text)
	for _, line := range strings.Split(strings.TrimSpace(h.log()), "\n") {
		require.Regexp(t, `^AUTOMATION  `, line)
	}
	require.NotEmpty(t, h.queuedFor("cli"))
	require.Contains(t, h.queuedFor("cli")[0].Body, "/")
}

const touches = "[[automation]]\nname = \"touch\"\nschedule = \"09:00\"\naction = \"do touch x\"\nnotify = [\"desktop\", \"whatsapp\"]\n"

func TestWhatARuleMayNotDoUnaskedWaitsForAYesAndRunsThen(t *testing.T) {
	h := withRules(t, doer, nil, touches)
	run := h.runRule("touch")
	require.Equal(t, automation.ReasonWaits, run.Reason)
	require.NoFileExists(t, filepath.Join(h.home, "x"))
	asks := h.waiting()
	require.Len(t, asks, 1)
	var question outbox.Message
	for _, text := range h.queuedFor(post.OriginalChannel) {
		if text.Approval != "" {
			question = text
		}
	}
	require.Contains(t, question.Body, "touch x")
	require.Contains(t, question.Body, asks[0].Code)

	p := h.hello()
	p.say(ipc.Message{Type: ipc.TypeAction, ID: "a", Action: ipc.ActionAllowOnce}.WithData(ipc.Answer{Code: asks[0].Code}))
	p.last(ipc.TypeResult)
	require.FileExists(t, filepath.Join(h.home, "x"))
	require.Contains(t, h.log(), "AUTOMATION  touch x")
}

func TestThreat08ThePhoneThatARuleTellsMayAnswerItAndNoOther(t *testing.T) {
	h := withRules(t, doer, nil, touches)
	h.runRule("touch")
	code := h.waiting()[0].Code
	stranger := h.connect()
	stranger.say(ipc.Message{Type: ipc.TypeMessage, From: "999@c.us", Body: "yes " + code})
	require.NotContains(t, stranger.read().Body, "Ran the approved command")
	require.NoFileExists(t, filepath.Join(h.home, "x"))

	owner := h.connect()
	owner.say(ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionPollNotifications, From: "__poll__"})
	require.NotEmpty(t, owner.read().Notifications)
	owner.say(ipc.Message{Type: ipc.TypeMessage, From: "821012345678@c.us", Body: "yes"})
	answer := owner.read().Body
	require.Contains(t, answer, "Ran the approved command (exit 0).")
	require.NotContains(t, answer, "continued after the yes", "no model continues an automation's run")
	require.FileExists(t, filepath.Join(h.home, "x"))
}

func TestAButtonOnTheDesktopApproves(t *testing.T) {
	w := newWall()
	h := withRules(t, doer, w, touches)
	h.runRule("touch")
	var n desktop.Notice
	for n = range w.told {
		if len(n.Actions) > 1 {
			break
		}
	}
	require.Equal(t, []string{"approve", "deny", "show"}, labels(n))
	require.Contains(t, n.Body, "touch x")
	w.pressed("another", "approve")
	w.pressed(n.Key, "approve")
	for n = range w.told { // the result
		if strings.Contains(n.Body, "desktop") {
			break
		}
	}
	require.FileExists(t, filepath.Join(h.home, "x"))
	w.pressed(n.Key, "approve") // pressed again: no effect
	require.Empty(t, h.waiting())
}

const signs = "[[automation]]\nname = \"sign\"\nschedule = \"09:00\"\nauto_apply = true\ncommands = [[\"touch\", \"x\"]]\nnotify = [\"cli\"]\n"

func TestThreat27OnlyWhatIsSignedWordForWordRunsUnasked(t *testing.T) {
	h := withRules(t, doer, nil, signs)
	h.runRule("sign")
	require.NoFileExists(t, filepath.Join(h.home, "x"), "nobody has signed it")
	require.Len(t, h.waiting(), 1)

	p := h.rule("sign")
	require.NoError(t, rules.NewSignatures(config.Paths{Home: h.home}).Sign(t.Context(), p.Rule))
	run := h.runRule("sign")
	require.Equal(t, automation.Ran, run.State, run.Text)
	require.FileExists(t, filepath.Join(h.home, "x"))
	require.Contains(t, h.log(), "AUTOMATION  touch x")

	file := config.Paths{Home: h.home}.Automations()
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(signs, `"x"`, `"y"`, 1)), 0o600))
	h.rules.LoadRules()
	h.runRule("sign")
	require.NoFileExists(t, filepath.Join(h.home, "y"), "it has changed since")
}

func TestThreat27ABlockedCommandDoesNotRunEvenSigned(t *testing.T) {
	h := withRules(t, doer, nil, strings.Replace(signs, `["touch", "x"]`, `["rm", "-rf", "/"]`, 1))
	p := h.rule("sign")
	require.NoError(t, rules.NewSignatures(config.Paths{Home: h.home}).Sign(t.Context(), p.Rule))
	h.runRule("sign")
	require.Contains(t, h.log(), "BLOCKED     rm -rf /")
}

// around returns quiet hours with the given time in the middle.
func around(now time.Time) string {
	return now.Add(-2*time.Hour).Format("15:04") + "-" + now.Add(2*time.Hour).Format("15:04")
}

func TestNothingIsToldInQuietHours(t *testing.T) {
	w := newWall()
	h := withRules(t, doer, w, "[[automation]]\nname = \"hi\"\nschedule = \"09:00\"\naction = \"hi\"\nnotify = [\"desktop\", \"cli\"]\nquiet = \""+around(time.Now())+"\"\n")
	h.runRule("hi")
	texts := h.queuedFor("cli")
	require.Len(t, texts, 1)
	require.True(t, texts[0].NotBefore.After(time.Now()))
	require.Empty(t, w.told)
}

func TestAMessageThatQuietHoursDeferWakesItsBridge(t *testing.T) {
	woken := make(chan string, 10)
	h := withRules(t, doer, nil, touches, func(o *Options) { o.Hooks.WakeBridge = func(channel string) { woken <- channel } })
	deferred := noticeText("telegram")
	deferred.ID, deferred.NotBefore = "deferred", time.Now().Add(300*time.Millisecond)
	require.True(t, h.post.Notify(deferred))
	require.Empty(t, woken)
	require.Equal(t, "telegram", <-woken)
}

func TestWhereThereIsNoDesktopItIsListed(t *testing.T) {
	w := newWall()
	w.gone = true
	h := withRules(t, doer, w, strings.Replace(touches, "touch x", "echo hi", 1))
	h.runRule("touch")
	require.Len(t, h.queuedFor(post.DesktopChannel), 1)
	w.mu.Lock()
	w.gone = false
	w.mu.Unlock()
	h.rules.ShowOnDesktop()
	n := <-w.told
	h.rules.ShowOnDesktop() // it is not shown twice
	w.closed(n.Key, desktop.Expired)
	require.Len(t, h.queuedFor(post.DesktopChannel), 1, "it may not have been seen")
	w.closed(n.Key, desktop.Dismissed)
	require.Empty(t, h.queuedFor(post.DesktopChannel))
}

func TestAReplySnoozesWhatWasToldLast(t *testing.T) {
	h := withRules(t, doer, nil, "[[automation]]\nname = \"disk\"\nschedule = \"09:00\"\ncheck = \"disk\"\nover = 1\npaths = [\"/\"]\nnotify = [\"whatsapp\"]\n")
	_, ok := h.rules.SnoozeReply(post.OriginalChannel, "821012345678@c.us", "snooze 1d", i18n.English)
	require.False(t, ok, "nothing was told")
	run := h.runRule("disk")
	require.True(t, run.Fired)
	_, ok = h.rules.SnoozeReply(post.OriginalChannel, "999@c.us", "snooze 1d", i18n.English)
	require.False(t, ok, "nothing was told there")
	phone := h.connect()
	phone.say(ipc.Message{Type: ipc.TypeMessage, From: "821012345678@c.us", Body: "snooze 1d"})
	require.Contains(t, phone.read().Body, "🔕")
	snoozed := h.list().Automations[0].Snoozed
	require.NotNil(t, snoozed)
	require.True(t, snoozed.After(time.Now().Add(23*time.Hour)))
}

func TestARuleThatTakesTooLongHasFailedAndIsTold(t *testing.T) {
	slow := func(ctx context.Context, _ providers.Request) (providers.Completion, error) {
		<-ctx.Done()
		return providers.Completion{}, ctx.Err()
	}
	h := withRules(t, slow, nil, "[[automation]]\nname = \"slow\"\nschedule = \"09:00\"\naction = \"think\"\ntimeout = \"1s\"\nnotify = [\"cli\"]\n")
	run := h.runRule("slow")
	require.Equal(t, automation.Failed, run.State)
	require.Equal(t, automation.ReasonTimeout, run.Reason)
	require.Len(t, h.queuedFor("cli"), 1)
	require.Contains(t, h.queuedFor("cli")[0].Body, "slow")
}

func TestARuleWhoseChannelHasNobodyIsKeptForTheTerminal(t *testing.T) {
	h := withRules(t, doer, nil, "[[automation]]\nname = \"hi\"\nschedule = \"09:00\"\naction = \"hi\"\nnotify = [\"telegram\"]\n")
	h.runRule("hi")
	require.Len(t, h.queuedFor("cli"), 1)
	list := h.list()
	require.Len(t, list.Problems, 1)
	require.Contains(t, list.Problems[0].Text, "telegram")
}

func TestAFormerDaemonsRunIsGoneOnWith(t *testing.T) {
	begun := make(chan struct{}, 10)
	hang := func(ctx context.Context, _ providers.Request) (providers.Completion, error) {
		begun <- struct{}{}
		<-ctx.Done()
		return providers.Completion{}, ctx.Err()
	}
	answers := false
	h := withRules(t, func(ctx context.Context, req providers.Request) (providers.Completion, error) {
		if answers {
			return says("done"), nil
		}
		return hang(ctx, req)
	}, nil, "[[automation]]\nname = \"hi\"\nschedule = \"09:00\"\naction = \"hi\"\nnotify = [\"cli\"]\n")
	run, err := h.rules.Begin("hi")
	require.NoError(t, err)
	<-begun
	h.o.Stop = 200 * time.Millisecond
	h.Shutdown() // while the turn runs
	h.wg.Wait()
	answers = true
	h.Daemon = New(h.o)
	ended := h.rules.AwaitRun(run, nil)
	require.Equal(t, automation.Ran, ended.State, ended.Text)
	require.Len(t, h.queuedFor("cli"), 1)
	require.Equal(t, "⏰ hi\ndone", h.queuedFor("cli")[0].Body)
}

// asksBoth is a rule whose question goes to the desktop and to a phone.
const asksBoth = touches

const ownerPhone = "821012345678@c.us"

func TestThreat07AYesFromAPhoneThatNeverGotTheQuestionShowsIt(t *testing.T) {
	w := newWall()
	h := withRules(t, doer, w, asksBoth)
	h.runRule("touch")
	for n := range w.told { // seen on the desktop, not on the phone
		if strings.Contains(n.Body, "touch x") {
			break
		}
	}
	phone := h.connect()
	phone.say(ipc.Message{Type: ipc.TypeMessage, From: ownerPhone, Body: "yes"})
	require.Contains(t, phone.read().Body, "touch x")
	require.NoFileExists(t, filepath.Join(h.home, "x"))
	phone.say(ipc.Message{Type: ipc.TypeMessage, From: ownerPhone, Body: "yes"})
	phone.read()
	require.FileExists(t, filepath.Join(h.home, "x"))
}

func TestThreat07ABareYesDoesNotAnswerAnAutomationThatHasReadWhatOthersWrote(t *testing.T) {
	reads := func(_ context.Context, req providers.Request) (providers.Completion, error) {
		if _, refusal, result := lastOf(req); result && refusal == "" {
			return runs("touch x"), nil
		} else if result {
			return says("⏰ The automation \"touch\" wants to run this command. Allow it?\n┃ date"), nil
		}
		return runs("echo hello"), nil
	}
	h := withRules(t, reads, nil, strings.Replace(touches, `"desktop", `, "", 1))
	h.runRule("touch")
	phone := h.connect()
	phone.say(ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionPollNotifications, From: "__poll__"})
	texts := phone.read().Notifications
	require.NotContains(t, texts[len(texts)-1].Body, "\n⏰", "nothing passes for a question")
	require.NotContains(t, texts[len(texts)-1].Body, "┃")
	code := h.waiting()[0].Code
	phone.say(ipc.Message{Type: ipc.TypeMessage, From: ownerPhone, Body: "yes"})
	require.Contains(t, phone.read().Body, code)
	require.NoFileExists(t, filepath.Join(h.home, "x"))
	phone.say(ipc.Message{Type: ipc.TypeMessage, From: ownerPhone, Body: "yes " + code})
	phone.read()
	require.FileExists(t, filepath.Join(h.home, "x"))
}

func TestAnOrdinaryMessageDeniesNothingThatAnAutomationAsked(t *testing.T) {
	h := withRules(t, doer, nil, touches)
	h.runRule("touch")
	phone := h.connect()
	phone.say(ipc.Message{Type: ipc.TypeMessage, From: ownerPhone, Body: "good morning"})
	require.Equal(t, "you said good morning", phone.read().Body)
	require.Len(t, h.waiting(), 1)
}

func TestAQuestionThatWaitsIsNotAskedAgainByTheNextRun(t *testing.T) {
	h := withRules(t, doer, nil, touches)
	h.runRule("touch")
	code := h.waiting()[0].Code
	h.runRule("touch")
	asks := h.waiting()
	require.Len(t, asks, 1)
	require.Equal(t, code, asks[0].Code)
}

func TestTheHistoryKnowsWhatCameOfAQuestion(t *testing.T) {
	h := withRules(t, doer, nil, touches)
	run := h.runRule("touch")
	require.Equal(t, automation.ReasonWaits, run.Reason)
	p := h.hello()
	p.say(ipc.Message{Type: ipc.TypeAction, ID: "a", Action: ipc.ActionReject}.WithData(ipc.Answer{Code: h.waiting()[0].Code}))
	p.last(ipc.TypeResult)
	runs, err := h.rules.History(ipc.Query{Name: "touch"}, i18n.English)
	require.NoError(t, err)
	require.Equal(t, run.ID, runs[0].ID)
	require.Equal(t, string(automation.Skipped), runs[0].State)
	require.Equal(t, automation.ReasonDenied, runs[0].Reason)
}

func TestAnEditedQuestionStaysTheAutomations(t *testing.T) {
	h := withRules(t, doer, nil, touches)
	h.runRule("touch")
	p := h.hello()
	p.say(ipc.Message{Type: ipc.TypeAction, ID: "e", Action: ipc.ActionEdit}.WithData(ipc.Answer{Code: h.waiting()[0].Code, Command: "rm -f x"}))
	p.read()
	for _, ask := range h.waiting() {
		r := h.readStored(ask.Code)
		require.Equal(t, "touch", r.Automation)
		require.NotEmpty(t, r.Audience)
	}
}

func TestWhatIsCriticalIsToldInQuietHoursAlsoWithAModel(t *testing.T) {
	h := withRules(t, doer, nil, "[[automation]]\nname = \"hi\"\nschedule = \"09:00\"\naction = \"hi\"\nnotify = [\"cli\"]\nquiet = \""+around(time.Now())+"\"\n")
	p := h.rule("hi")
	h.runRule("hi")
	req := ipc.Request{Stdin: "the disk is full"}
	rec := h.turns.NewTask(post.AutomationChannel, "hi", p.Action, req, i18n.English)
	rec.Rule, rec.Urgent = "hi", true
	require.NoError(t, h.turns.AcceptRun(t.Context(), rec, req, h.rules.ClientOf(rec), true))
	h.turns.Wait()
	for _, text := range h.queuedFor("cli") {
		if strings.Contains(text.Body, "disk is full") {
			require.True(t, text.NotBefore.IsZero())
			return
		}
	}
	t.Fatal("nothing is told")
}

// systemd does not start a timer until the service that is being stopped has stopped.
func TestWhoLeavesIsNotHeldByTheServiceManager(t *testing.T) {
	asked, why := make(chan struct{}, 3), make(chan error, 1)
	first := true
	h := withRules(t, doer, nil, touches, func(o *Options) {
		o.Machine.Wake = func(ctx context.Context, _ []time.Time, _ []string) (bool, error) {
			asked <- struct{}{}
			if !first {
				return true, nil
			}
			first = false
			<-ctx.Done()
			why <- ctx.Err()
			return false, ctx.Err()
		}
	})
	h.rules.Run()
	<-asked
	h.rules.PrepareExit()
	require.ErrorIs(t, <-why, context.Canceled, "it waited to the end")
	require.Len(t, asked, 1, "what was cut short is arranged once more")
}
