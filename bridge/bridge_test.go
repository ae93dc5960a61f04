package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

func uid() int { return os.Getuid() }

// editTraits returns traits like Telegram's, ids like WhatsApp's.
func editTraits() Traits  { return Traits{Edits: true, Buttons: true} }
func ownIDTraits() Traits { return Traits{OwnIDs: true} }

func TestAMessageReachesTheDaemonOnceAndInOrder(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(ownIDTraits())
	r := runBridge(t, p, d, "", nil)
	for _, text := range []string{"one", "two", "three"} {
		require.NoError(t, p.receiveText(t, "7", text))
	}
	d.untilReceived("one", "two", "three")
	again := Incoming{ID: "x", Chat: "7", Sender: "7", Text: "four"}
	for range 5 {
		require.NoError(t, p.receive(t, again))
	}
	require.NoError(t, p.receiveText(t, "7", "five"))
	d.untilReceived("one", "two", "three", "four", "five")
	require.NoError(t, r.stop())
	runBridge(t, p, d, r.dir, nil)
	require.NoError(t, p.receive(t, again), "also after a restart")
	require.NoError(t, p.receiveText(t, "7", "six"))
	d.untilReceived("one", "two", "three", "four", "five", "six")
}

func TestWhatTheDaemonHasNotTakenIsBroughtAgain(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(ownIDTraits())
	tries := 0
	d.answer = func(c *ipc.Conn, m ipc.Message) {
		if tries++; tries == 1 {
			_ = c.Write(ipc.Message{Type: ipc.TypeError, Re: m.ID, Done: true, Error: &ipc.Error{Code: ipc.CodeBusy}})
			return
		}
		d.accept(c, m)
	}
	r := runBridge(t, p, d, "", nil)
	require.NoError(t, p.receiveText(t, "7", "one"))
	d.untilReceived("one", "one")
	d.mu.Lock()
	d.answer = func(c *ipc.Conn, m ipc.Message) {} // crashes before it replies
	d.mu.Unlock()
	require.NoError(t, p.receiveText(t, "7", "two"))
	d.untilReceived("one", "one", "two")
	require.NoError(t, r.stop())
	d.mu.Lock()
	d.answer = d.accept
	d.mu.Unlock()
	runBridge(t, p, d, r.dir, nil)
	d.untilReceived("one", "one", "two", "two")
}

func TestWhatTheDaemonRefusesIsForgotten(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(ownIDTraits())
	d.answer = func(c *ipc.Conn, m ipc.Message) {
		_ = c.Write(ipc.Message{Type: ipc.TypeError, Re: m.ID, Done: true, Error: &ipc.Error{Code: ipc.CodeDenied}})
	}
	runBridge(t, p, d, "", nil)
	require.NoError(t, p.receiveText(t, "7", "one"))
	require.NoError(t, p.receiveText(t, "7", "two"))
	d.untilReceived("one", "two")
	require.NoError(t, p.receiveText(t, "7", "three"))
	d.untilReceived("one", "two", "three")
	require.Empty(t, p.texts("7"), "nothing is said to the sender")
}

func TestThreat11AStrangerIsToldACodeAndNothingElse(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(ownIDTraits())
	d.answer = func(c *ipc.Conn, m ipc.Message) {
		switch m.Action {
		case ipc.ActionPairingAsk:
			_ = c.Write(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true}.WithData(ipc.Admission{Code: "K7QX2M"}))
		default:
			d.accept(c, m)
		}
	}
	r := runBridge(t, p, d, "", nil)
	for _, text := range []string{"안녕", "누구세요", "rm -rf /"} {
		require.NoError(t, p.receiveText(t, "66", text))
	}
	p.until(t, func() bool { return len(p.texts("66")) == 1 })
	require.NoError(t, p.receiveText(t, "66", "again"))
	require.NoError(t, p.receiveText(t, "7", "mine"))
	d.untilReceived("mine")
	require.Contains(t, p.texts("66")[0], "K7QX2M")
	require.Contains(t, p.texts("66")[0], "코드")
	require.Len(t, p.texts("66"), 1)
	d.mu.Lock()
	asks := len(slices.DeleteFunc(slices.Clone(d.received), func(m ipc.Message) bool { return m.Action != ipc.ActionPairingAsk }))
	d.policy.Admitted = []string{"7", "66"} // the owner admits them
	d.mu.Unlock()
	require.Equal(t, 1, asks)
	d.sendEvent(ipc.TopicConfig, ipc.ConfigReport{OK: true})
	require.Eventually(t, func() bool { // until then a stranger's messages are dropped
		yes, _ := r.inbox.isAdmitted("66")
		return yes
	}, patience, time.Millisecond)
	require.NoError(t, p.receiveText(t, "66", "hello"))
	d.untilReceived("mine", "hello")
}

func TestAMessageWaitsForADaemonAndItsSenderIsToldOnce(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(ownIDTraits())
	r := runBridge(t, p, d, "", nil)
	require.NoError(t, p.receiveText(t, "7", "one"))
	d.untilReceived("one")
	require.NoError(t, r.stop())
	d.stop()
	runBridge(t, p, d, r.dir, func(b *Bridge) { b.outageNoticeAfter = 50 * time.Millisecond })
	require.NoError(t, p.receiveText(t, "7", "two"))
	require.NoError(t, p.receiveText(t, "7", "three"))
	p.until(t, func() bool { return len(p.texts("7")) == 1 })
	require.Contains(t, p.texts("7")[0], "Your message is saved")
	d.start()
	d.untilReceived("one", "two", "three")
	require.Len(t, p.texts("7"), 1)
}

func TestAMessageWaitsForADaemonThatCannotSayWhoMayWrite(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(ownIDTraits())
	r := runBridge(t, p, d, "", nil)
	require.NoError(t, p.receiveText(t, "7", "one"))
	d.untilReceived("one")
	require.NoError(t, r.stop())
	d.mu.Lock()
	d.policyFails = true // its configuration is invalid
	d.mu.Unlock()
	runBridge(t, p, d, r.dir, func(b *Bridge) { b.outageNoticeAfter = 50 * time.Millisecond })
	require.NoError(t, p.receiveText(t, "7", "two"))
	p.until(t, func() bool { return len(p.texts("7")) == 1 })
	require.Contains(t, p.texts("7")[0], "Your message is saved")
	d.mu.Lock()
	d.policyFails = false
	d.mu.Unlock()
	d.untilReceived("one", "two")
	require.Len(t, p.texts("7"), 1)
}

func TestANoticeIsToldOnceAndAcknowledged(t *testing.T) {
	for name, traits := range map[string]Traits{"edits": editTraits(), "own ids": ownIDTraits()} {
		t.Run(name, func(t *testing.T) {
			d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(traits)
			r := runBridge(t, p, d, "", nil)
			require.NoError(t, p.receiveText(t, "7", "one"))
			d.untilReceived("one")
			d.addNotice(ipc.Notice{ID: "task:1", To: "7", Body: "**all** is well", Markup: ipc.MarkupMarkdown})
			d.until(func() bool { return slices.Equal(d.acked, []string{"task:1"}) })
			require.Equal(t, []string{"*all* is well"}, p.texts("7"))
			d.addNotice(ipc.Notice{ID: "task:1", To: "7", Body: "**all** is well", Markup: ipc.MarkupMarkdown})
			d.until(func() bool { return len(d.acked) >= 2 })
			require.NoError(t, r.stop())
			runBridge(t, p, d, r.dir, nil)
			d.addNotice(ipc.Notice{ID: "task:1", To: "7", Body: "**all** is well", Markup: ipc.MarkupMarkdown})
			d.until(func() bool { return len(d.acked) >= 3 })
			require.Len(t, p.texts("7"), 1)
		})
	}
}

func TestANoticeThatWasBegunIsFinishedAfterARestart(t *testing.T) {
	for name, traits := range map[string]Traits{"edits": editTraits(), "own ids": ownIDTraits()} {
		t.Run(name, func(t *testing.T) {
			traits.Length = 60
			d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(traits)
			p.setFailure(func(piece Piece) error {
				if strings.Contains(piece.Text, "bbb") {
					return ErrOffline
				}
				return nil
			})
			r := runBridge(t, p, d, "", nil)
			body := strings.Repeat("a", 50) + "\n\n" + strings.Repeat("b", 50)
			require.NoError(t, p.receiveText(t, "7", "one"))
			d.untilReceived("one")
			d.addNotice(ipc.Notice{ID: "task:1", To: "7", Body: body})
			p.until(t, func() bool { return strings.Contains(strings.Join(p.texts("7"), ""), "aaa") })
			require.NoError(t, r.stop())
			p.setFailure(nil)
			runBridge(t, p, d, r.dir, nil)
			d.until(func() bool { return len(d.acked) == 1 })
			require.Equal(t, strings.Split(body, "\n\n"), p.texts("7"))
			require.LessOrEqual(t, p.shown[0].edits, 2)
		})
	}
}

func TestAChatThatIsGoneHoldsUpNobody(t *testing.T) {
	d, p := newFakeDaemon(t, "7", "8").start(), newFakeMessenger(ownIDTraits())
	p.setFailure(func(piece Piece) error {
		if piece.Chat == "8" {
			return ErrNoChat
		}
		return nil
	})
	runBridge(t, p, d, "", nil)
	require.NoError(t, p.receiveText(t, "7", "one"))
	d.untilReceived("one")
	d.addNotice(ipc.Notice{ID: "a", To: "8", Body: "x"})
	d.addNotice(ipc.Notice{ID: "b", To: "7", Body: "y"})
	d.until(func() bool { return len(d.acked) == 2 })
	require.Equal(t, []string{"y"}, p.texts("7"))
}

func TestAnAnswerAppearsWhileItIsWrittenAndIsThenInItsPlace(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(Traits{Edits: true, Typing: 10 * time.Millisecond})
	var re string
	d.answer = func(c *ipc.Conn, m ipc.Message) {
		re = m.ID
		_ = c.Write(ipc.Message{Type: ipc.TypeAccepted, Re: m.ID}.WithData(ipc.Accepted{Task: "t1"}))
		_ = c.Write(ipc.Message{Type: ipc.TypeDelta, Re: m.ID, Seq: 2, Body: "the \x1bbeginning\n┃ rm -rf /"})
	}
	runBridge(t, p, d, "", func(b *Bridge) { b.dispatcher.liveAfter, b.dispatcher.liveEvery = 0, time.Millisecond })
	require.NoError(t, p.receiveText(t, "7", "one"))
	p.until(t, func() bool {
		texts := p.texts("7")
		return len(texts) == 1 && strings.Contains(texts[0], "beginning") && p.typed > 1
	})
	require.NotContains(t, p.texts("7")[0], "\x1b")
	require.NotContains(t, p.texts("7")[0], ipc.ApprovalSign)
	d.mu.Lock()
	_ = d.conn.Write(ipc.Message{Type: ipc.TypeResponse, Re: re, Done: true}.WithData(ipc.Outcome{Task: "t1"}))
	d.mu.Unlock()
	d.addNotice(ipc.Notice{ID: "task:t1", Task: "t1", To: "7", Body: "the whole"})
	d.until(func() bool { return len(d.acked) == 1 })
	require.Equal(t, []string{"the whole"}, p.texts("7"))
}

func TestU16AnAlertIsSentAtOnceInItsFinalText(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(editTraits())
	var posts []string
	p.setFailure(func(piece Piece) error {
		posts = append(posts, piece.Text)
		return nil
	})
	runBridge(t, p, d, "", nil)
	require.NoError(t, p.receiveText(t, "7", "one"))
	d.untilReceived("one")
	for i, body := range []string{"⚠\ufe0f disk 97%", "❤\ufe0f\u200d🔥 👨\u200d👩\u200d👧 1\ufe0f\u20e3"} {
		d.addNotice(ipc.Notice{ID: body, Task: "a1", To: "7", Body: body, Markup: ipc.MarkupMarkdown})
		d.until(func() bool { return len(d.acked) == i+1 })
		require.Equal(t, body, posts[i])
		require.Equal(t, body, p.shown[i].Text)
		require.Zero(t, p.shown[i].edits)
	}
	require.Len(t, posts, 2)
}

// startAnswer starts an answer to a message as task t1. The returned function ends it.
func startAnswer(t *testing.T, d *fakeDaemon, p *fakeMessenger) (end func(body string)) {
	var re string
	d.answer = func(c *ipc.Conn, m ipc.Message) {
		re = m.ID
		_ = c.Write(ipc.Message{Type: ipc.TypeAccepted, Re: m.ID}.WithData(ipc.Accepted{Task: "t1"}))
		_ = c.Write(ipc.Message{Type: ipc.TypeDelta, Re: m.ID, Seq: 2, Body: "the beginning"})
	}
	require.NoError(t, p.receiveText(t, "7", "one"))
	p.until(t, func() bool { return slices.Equal(p.texts("7"), []string{"the beginning"}) })
	return func(body string) {
		d.mu.Lock()
		_ = d.conn.Write(ipc.Message{Type: ipc.TypeResponse, Re: re, Done: true}.WithData(ipc.Outcome{Task: "t1"}))
		d.mu.Unlock()
		d.addNotice(ipc.Notice{ID: "task:t1", Task: "t1", To: "7", Body: body})
	}
}

func TestU16TheEndOfALongTurnIsANewMessage(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(editTraits())
	runBridge(t, p, d, "", func(b *Bridge) {
		b.dispatcher.liveAfter, b.dispatcher.liveEvery, b.dispatcher.editFor = 0, time.Millisecond, 0
	})
	startAnswer(t, d, p)("the whole")
	d.until(func() bool { return len(d.acked) == 1 })
	require.Equal(t, []string{"the whole"}, p.texts("7"))
	require.Len(t, p.shown, 2)
	require.True(t, p.shown[0].removed)
	require.Zero(t, p.shown[1].edits, "it is announced as it stays")
}

func TestU16TheAnswerAfterAQuestionIsANewMessageBelowIt(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(editTraits())
	runBridge(t, p, d, "", func(b *Bridge) {
		b.dispatcher.liveAfter, b.dispatcher.liveEvery, b.dispatcher.editFor = 0, time.Millisecond, time.Hour
	})
	end := startAnswer(t, d, p)
	ask := askNotice("run?\n┃ touch x")
	ask.Task = "t1"
	d.addNotice(ask)
	d.until(func() bool { return len(d.acked) == 1 })
	end("made it")
	d.until(func() bool { return len(d.acked) == 2 })
	require.Equal(t, []string{"```run?\n┃ touch x```", "made it"}, p.texts("7"))
	require.Zero(t, p.shown[2].edits)
}

func TestU16ANoticeWithoutAReplyIsSeenOnceAfterARestart(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(editTraits())
	r := runBridge(t, p, d, "", nil)
	require.NoError(t, p.receiveText(t, "7", "one"))
	d.untilReceived("one")
	d.addNotice(ipc.Notice{ID: "a", To: "7", Body: "first"})
	d.until(func() bool { return len(d.acked) == 1 })
	p.loseReplies("second", 1_000)
	d.addNotice(ipc.Notice{ID: "b", To: "7", Body: "second"})
	p.until(t, func() bool { return len(p.shown) >= 2 })
	require.NoError(t, r.stop())
	p.loseReplies("", 0)
	runBridge(t, p, d, r.dir, nil)
	d.until(func() bool { return len(d.acked) >= 2 })
	require.Equal(t, []string{"first", "second"}, p.texts("7"))
}

// slowServer accepts a message and replies late.
type slowServer struct {
	*fakeMessenger
	taken, reply chan struct{}
}

func (s slowServer) Post(ctx context.Context, piece Piece) (Posted, error) {
	posted, err := s.fakeMessenger.Post(ctx, piece)
	s.taken <- struct{}{}
	select {
	case <-s.reply:
		return posted, err
	case <-ctx.Done():
		return Posted{}, ctx.Err()
	}
}

func TestU16ABridgeThatIsToldToStopWaitsForWhatItPosts(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(editTraits())
	slow := slowServer{p, make(chan struct{}, 1), make(chan struct{})}
	r := runBridge(t, p, d, "", func(b *Bridge) { b.dispatcher.m = slow })
	require.NoError(t, p.receiveText(t, "7", "one"))
	d.untilReceived("one")
	d.addNotice(ipc.Notice{ID: "a", To: "7", Body: "first"})
	<-slow.taken
	stopping := r.dispatcher.ctx.Done()
	stopped := make(chan error)
	go func() { stopped <- r.stop() }()
	<-stopping
	close(slow.reply)
	require.NoError(t, <-stopped)
	runBridge(t, p, d, r.dir, nil)
	d.until(func() bool { return len(d.acked) == 1 })
	require.Len(t, p.shown, 1)
}

func TestU16APieceThatIsSentAgainWithoutAReplyIsSeenOnce(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(editTraits())
	runBridge(t, p, d, "", nil)
	require.NoError(t, p.receiveText(t, "7", "one"))
	d.untilReceived("one")
	d.addNotice(ipc.Notice{ID: "a", To: "7", Body: "first"})
	d.until(func() bool { return len(d.acked) == 1 })
	p.loseReplies("second", 1)
	d.addNotice(ipc.Notice{ID: "b", To: "7", Body: "second"})
	d.until(func() bool { return len(d.acked) == 2 })
	require.Len(t, p.shown, 3)
	require.Equal(t, []string{"first", "second"}, p.texts("7"))
}

func askNotice(body string) ipc.Notice {
	return ipc.Notice{
		ID: "ask:1", To: "7", Body: body, Markup: ipc.MarkupPlain, Approval: "K7QX", Digest: "sha256:aa",
		Actions: []string{ipc.ActionAllowOnce, ipc.ActionReject}, Lang: "ko",
	}
}

func TestAConfirmationHasButtonsUntilItIsAnswered(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(editTraits())
	runBridge(t, p, d, "", nil)
	require.NoError(t, p.receiveText(t, "7", "one"))
	d.untilReceived("one")
	d.addNotice(askNotice("run?\n┃ touch *x*\n┗"))
	d.until(func() bool { return len(d.acked) == 1 })
	require.Equal(t, "```run?\n┃ touch *x*\n┗```", p.texts("7")[0])
	require.Equal(t, []Button{
		{"네", ipc.ActionAllowOnce, "K7QX", "sha256:aa"},
		{"아니요", ipc.ActionReject, "K7QX", "sha256:aa"},
	}, p.shown[0].Buttons)
	require.NoError(t, p.receive(t, Incoming{ID: "p", Chat: "7", Sender: "7", Press: &Press{"q1", ipc.ActionAllowOnce, "K7QX", "sha256:aa"}}))
	p.until(t, func() bool { return slices.Equal(p.pressed, []string{"q1: done"}) })
	d.mu.Lock()
	last := d.received[len(d.received)-1]
	d.mu.Unlock()
	require.Equal(t, "7", last.From)
	require.JSONEq(t, `{"code":"K7QX","digest":"sha256:aa"}`, string(last.Data))
	again := askNotice("run?\n┃ touch *x*\n┗")
	again.ID = "ask:1:again"
	d.addNotice(again)
	p.until(t, func() bool { return len(p.shown) == 2 && len(p.shown[0].Buttons) == 0 && len(p.shown[1].Buttons) == 2 })
	d.until(func() bool { return len(d.acked) == 2 })
	d.sendEvent(ipc.TopicApprovals, map[string]string{"code": "K7QX", "action": "allow_once", "by": "telegram"})
	p.until(t, func() bool { return len(p.shown[1].Buttons) == 0 && p.shown[1].edits == 1 })
	require.Contains(t, p.texts("7")[0], "touch *x*")
}

func TestThreat07WhatWasWrittenBeforeAConfirmationWasShownIsEarly(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(ownIDTraits())
	runBridge(t, p, d, "", nil)
	require.NoError(t, p.receiveText(t, "7", "one"))
	d.untilReceived("one")
	d.addNotice(askNotice("run?"))
	d.until(func() bool { return len(d.acked) == 1 })
	for i, c := range []struct {
		sent  time.Time
		early bool
	}{{p.at.Add(-time.Minute), true}, {time.Time{}, true}, {p.at, false}, {p.at.Add(time.Minute), false}} {
		require.NoError(t, p.receive(t, Incoming{ID: string(rune('a' + i)), Chat: "7", Sender: "7", Text: "네", Sent: c.sent}))
		d.until(func() bool { return len(d.messages()) == i+2 })
		var l ipc.InboundMessage
		d.mu.Lock()
		require.NoError(t, d.received[len(d.received)-1].Decode(&l))
		d.mu.Unlock()
		require.Equal(t, c.early, l.Early, i)
	}
}

func TestThreat07WhatCannotBeShownAsItIsCannotBeAnswered(t *testing.T) {
	for name, body := range map[string]string{"a fence": "run?\n┃ echo ```x", "long": "run?\n" + strings.Repeat("x", 5000)} {
		t.Run(name, func(t *testing.T) {
			traits := ownIDTraits()
			traits.Buttons = true
			d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(traits)
			r := runBridge(t, p, d, "", nil)
			require.NoError(t, p.receiveText(t, "7", "one"))
			d.untilReceived("one")
			d.addNotice(askNotice(body))
			d.until(func() bool { return len(d.acked) == 1 })
			require.Len(t, p.texts("7"), 1)
			require.NotContains(t, p.texts("7")[0], "xxx")
			require.Contains(t, p.texts("7")[0], "K7QX")
			require.Empty(t, p.shown[0].Buttons)
			require.NoError(t, r.stop())
			runBridge(t, p, d, r.dir, nil)
			require.NoError(t, p.receive(t, Incoming{ID: "a", Chat: "7", Sender: "7", Text: "네", Sent: p.at.Add(time.Hour)}))
			d.untilReceived("one", "네")
			var l ipc.InboundMessage
			d.mu.Lock()
			require.NoError(t, d.received[len(d.received)-1].Decode(&l))
			d.mu.Unlock()
			require.True(t, l.Early)
		})
	}
}

func TestAConfirmationThatWasAnsweredUnheardIsOver(t *testing.T) {
	traits := editTraits()
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(traits)
	r := runBridge(t, p, d, "", nil)
	require.NoError(t, p.receiveText(t, "7", "one"))
	d.untilReceived("one")
	d.addNotice(askNotice("run?\n┃ touch x"))
	d.until(func() bool { return len(d.acked) == 1 })
	require.NotEmpty(t, p.shown[len(p.shown)-1].Buttons)
	require.NoError(t, r.stop())
	d.mu.Lock()
	d.policy.Closed = []string{"K7QX", "0000"}
	d.mu.Unlock()
	runBridge(t, p, d, r.dir, nil)
	require.NoError(t, p.receiveText(t, "7", "two"))
	p.until(t, func() bool { return len(p.shown[len(p.shown)-1].Buttons) == 0 })
}

func TestOneStrangerDoesNotUseUpWhatThereIsForAll(t *testing.T) {
	p := newLimiter(time.Now)
	looks := 0
	for range 100 {
		if p.allowPolicyQuery("one") {
			looks++
		}
	}
	require.Equal(t, queriesPerSender, looks)
	require.True(t, p.allowPolicyQuery("another"))
}

func TestAFileThatLiesAboutItsSizeIsCut(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(ownIDTraits())
	r := runBridge(t, p, d, "", nil)
	require.NoError(t, p.receiveText(t, "7", "one"))
	d.untilReceived("one")
	open := func(n int) func(context.Context) (io.ReadCloser, error) {
		return func(context.Context) (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(make([]byte, n))), nil
		}
	}
	require.NoError(t, p.receive(t, Incoming{ID: "f", Chat: "7", Sender: "7", Files: []File{
		{Name: "ok", Size: 3, Open: open(7)},
		{Name: "liar", Size: 3, Open: open(ipc.MaxInboundFile + 10)},
		{Name: "huge", Size: 1 << 40, Open: open(1)},
		{Name: "gone", Open: func(context.Context) (io.ReadCloser, error) { return nil, errors.New("gone") }},
		{Name: "fifth", Open: open(1)},
	}}))
	d.untilReceived("one", "")
	var l ipc.InboundMessage
	d.mu.Lock()
	require.NoError(t, d.received[1].Decode(&l))
	d.mu.Unlock()
	require.Len(t, l.Files, ipc.MaxInboundFiles)
	require.EqualValues(t, 7, l.Files[0].Size)
	data, err := os.ReadFile(filepath.Join(r.dir, "inbox", l.Files[0].Spool))
	require.NoError(t, err)
	require.Len(t, data, 7)
	require.Equal(t, []string{"", ipc.FileTooLarge, ipc.FileTooLarge, ipc.FileBroken},
		[]string{l.Files[0].Problem, l.Files[1].Problem, l.Files[2].Problem, l.Files[3].Problem})
	entries, err := os.ReadDir(filepath.Join(r.dir, "inbox"))
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

func TestAFileIsSentAndThenRemoved(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(ownIDTraits())
	r := runBridge(t, p, d, "", nil)
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "outbox", "abc"), []byte("log"), 0o600))
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(r.dir, "outbox", "link")))
	require.NoError(t, p.receiveText(t, "7", "one"))
	d.untilReceived("one")
	d.addNotice(ipc.Notice{ID: "n", To: "7", Body: "here", Files: []ipc.NoticeFile{
		{Name: "a/b.log", Spool: "abc"}, {Name: "x", Spool: "link"}, {Name: "y", Spool: "../../state.json"},
	}})
	d.until(func() bool { return len(d.acked) == 1 })
	require.Len(t, p.shown, 4)
	require.Equal(t, "b.log", p.shown[1].File.Name)
	require.Nil(t, p.shown[2].File)
	require.Nil(t, p.shown[3].File)
	d.addNotice(ipc.Notice{ID: "m", To: "7", Body: "and more"})
	d.until(func() bool { return len(d.acked) == 2 })
	require.NoFileExists(t, filepath.Join(r.dir, "outbox", "abc"))
}

func TestAFloodIsDroppedWithOneWord(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(ownIDTraits())
	runBridge(t, p, d, "", nil)
	require.NoError(t, p.receiveText(t, "7", "x"))
	d.untilReceived("x")
	for range 100 {
		require.NoError(t, p.receiveText(t, "7", "x"))
	}
	d.until(func() bool { return len(d.messages()) >= messagesPerMinute })
	p.until(t, func() bool { return len(p.texts("7")) == 1 })
	require.NoError(t, p.receiveText(t, "7", "x"))
	require.Len(t, p.texts("7"), 1)
}

func TestAHaltEndsTheBridgeAndStandsInItsState(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(ownIDTraits())
	r := runBridge(t, p, d, "", nil)
	p.halt <- &Halt{state.State{Phase: state.LoggedOut, Detail: "401"}}
	var halt *Halt
	require.ErrorAs(t, r.ended(), &halt)
	s, err := state.Read(r.dir)
	require.NoError(t, err)
	require.Equal(t, state.LoggedOut, s.Phase)
	require.Equal(t, "telegram", s.Channel)
	require.False(t, s.Running)
}

func TestOnlyOneBridgeOfAChannelRuns(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(ownIDTraits())
	r := runBridge(t, p, d, "", nil)
	other := New(Options{Messenger: newFakeMessenger(ownIDTraits()), Dialer: r.o.Dialer, Dir: r.dir, Log: r.o.Log})
	require.ErrorIs(t, other.Run(t.Context()), state.ErrRunning)
}

func TestTheBellConnectsABridgeThatRests(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(ownIDTraits())
	runBridge(t, p, d, "", func(b *Bridge) { b.link.IdleTimeout = 50 * time.Millisecond })
	require.NoError(t, p.receiveText(t, "7", "one"))
	d.untilReceived("one")
	d.until(func() bool { return d.closedConns > 0 && d.subscription == "" }) // the link is idle
	d.addNotice(ipc.Notice{ID: "n", To: "7", Body: "late"})
	bell, err := net.Dial("unixgram", ipc.WakeSocketPath(d.socket, "telegram"))
	require.NoError(t, err)
	defer bell.Close()
	_, err = bell.Write(nil)
	require.NoError(t, err)
	d.until(func() bool { return slices.Equal(d.acked, []string{"n"}) })
	require.Equal(t, []string{"late"}, p.texts("7"))
}

// longAsk is a question that does not fit one message.
func longAsk() ipc.Notice {
	var lines []string
	for i := range 12 {
		lines = append(lines, fmt.Sprintf("┃%d┃ ", i+1)+strings.Repeat("x", 900))
	}
	return askNotice("run?\n" + strings.Join(lines, "\n") + "\n┗ 12 steps")
}

func TestThreat07ALongQuestionIsAnsweredOnceItsLastMessageIsShown(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(editTraits())
	r := runBridge(t, p, d, "", nil)
	var shownMeanwhile []bool
	p.fail = func(piece Piece) error {
		if strings.Contains(piece.Text, "(2/") || strings.Contains(piece.Text, "(3/") {
			shownMeanwhile = append(shownMeanwhile, !r.predatesConfirmation(&inboundMessage{Chat: "7", Sent: p.at.Add(time.Hour)}))
		}
		return nil
	}
	require.NoError(t, p.receiveText(t, "7", "one"))
	d.untilReceived("one")
	d.addNotice(longAsk())
	d.until(func() bool { return len(d.acked) == 1 })
	texts := p.texts("7")
	require.Len(t, texts, 3)
	require.Equal(t, []bool{false, false}, shownMeanwhile, "a yes counts")
	require.NoError(t, p.receive(t, Incoming{ID: "a", Chat: "7", Sender: "7", Text: "네", Sent: p.at}))
	d.untilReceived("one", "네")
	var l ipc.InboundMessage
	d.mu.Lock()
	require.NoError(t, d.received[len(d.received)-1].Decode(&l))
	d.mu.Unlock()
	require.False(t, l.Early)
	rows := 0
	for i, text := range texts {
		require.Contains(t, text, fmt.Sprintf("(%d/3)\n", i+1))
		require.LessOrEqual(t, len(text), p.traits.Length)
		rows += strings.Count(text, strings.Repeat("x", 900)+"\n")
		require.Equal(t, i == 2, len(p.shown[i].Buttons) == 2, "only the last one has buttons")
		require.Equal(t, i < 2, strings.Contains(text, i18n.BridgePageMore.In(i18n.Korean)))
	}
	require.Equal(t, 12, rows)

	// The same question again after a crash of the daemon is one that was shown.
	d.addNotice(longAsk())
	d.until(func() bool { return len(d.acked) == 2 })
	require.Len(t, p.texts("7"), 3)
}

func TestThreat07AQuestionOfWhichAMessageIsRefusedCannotBeAnswered(t *testing.T) {
	d, p := newFakeDaemon(t, "7").start(), newFakeMessenger(editTraits())
	r := runBridge(t, p, d, "", nil)
	p.fail = func(piece Piece) error {
		if strings.Contains(piece.Text, "(2/") {
			return ErrRefused
		}
		return nil
	}
	require.NoError(t, p.receiveText(t, "7", "one"))
	d.untilReceived("one")
	d.addNotice(longAsk())
	d.until(func() bool { return len(d.acked) == 1 })
	require.Len(t, p.texts("7"), 1)
	require.True(t, r.predatesConfirmation(&inboundMessage{Chat: "7", Sent: p.at.Add(time.Hour)}))
}
