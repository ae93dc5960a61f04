package approval

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// clock is a time that only a test advances.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func open(t *testing.T, dir string, c *clock) *Approvals {
	t.Helper()
	as := New(dir, c.now)
	damaged, err := as.Load()
	require.NoError(t, err)
	require.Empty(t, damaged)
	return as
}

func plan(session, command string) tools.JudgedPlan {
	return tools.JudgedPlan{
		Plan: tools.Plan{Tool: "run_command", Commands: []shell.Command{{Shell: command}}}, Session: session, Digest: "sha256:" + command,
	}
}

func (as *Approvals) ask(t *testing.T, session, command string, live bool) *Approval {
	t.Helper()
	a, err := as.Open(plan(session, command), Record{Ask: ipc.Ask{Channel: "bridge"}, Task: "t1", Whole: true}, as.now().Add(5*time.Minute), live)
	require.NoError(t, err)
	return a
}

func TestAnAnswerOfALiveOneCountsOnceAlsoAfterACrash(t *testing.T) {
	dir, c := filepath.Join(t.TempDir(), "approvals"), &clock{time.Now()}
	as := open(t, dir, c)
	a := as.ask(t, "s", "touch x", true)
	data, err := os.ReadFile(as.path(a.Ask.Code))
	require.NoError(t, err, "it is on the disk before anybody is asked")
	require.ErrorIs(t, as.Resolve(a, ipc.ActionAllowOnce, ipc.Answer{Digest: "sha256:other"}, "cli"), ErrDigest)
	require.ErrorIs(t, as.Resolve(a, ipc.ActionEdit, ipc.Answer{}, "cli"), ErrNoCommand)
	require.NoError(t, as.Resolve(a, ipc.ActionAllowOnce, ipc.Answer{}, "cli"))
	require.Equal(t, tools.AllowOnce, (<-a.Answer()).Action)
	require.ErrorIs(t, as.Resolve(a, ipc.ActionAllowOnce, ipc.Answer{}, "cli"), ErrNotWaiting)

	// Killed before the file was removed: the answer still counts.
	require.NoError(t, os.WriteFile(as.path(a.Ask.Code), data, 0o600))
	as = open(t, dir, c)
	_, err = as.Stored(a.Ask.Code)
	require.ErrorIs(t, err, ErrNotWaiting)
	_, err = as.AnswerStored(a.Record, ipc.ActionAllowOnce, ipc.Answer{}, "cli")
	require.ErrorIs(t, err, ErrNotWaiting)
	waiting, err := as.List()
	require.NoError(t, err)
	require.Empty(t, waiting)
	require.NoFileExists(t, as.path(a.Ask.Code))
	s, ok := as.FindOutcome("", a.Ask.Code)
	require.True(t, ok)
	require.Equal(t, []string{ipc.ActionAllowOnce, "cli"}, []string{s.Action, s.By})
}

// Between Open and Shown, and later too, an answer to the stored file would run the plan in addition to the turn.
func TestWhatATurnWaitsForIsAnsweredThereAndNowhereElse(t *testing.T) {
	dir, c := filepath.Join(t.TempDir(), "approvals"), &clock{time.Now()}
	as := open(t, dir, c)
	a := as.ask(t, "s", "touch x", true)
	require.Empty(t, as.InConversation("s", ""), "it was not shown yet")
	require.Len(t, as.InConversation("s", a.ID), 1)
	_, err := as.AnswerStored(a.Record, ipc.ActionAllowOnce, ipc.Answer{}, "bridge")
	require.ErrorIs(t, err, ErrNotWaiting)
	require.NoError(t, as.Resolve(a, ipc.ActionAllowOnce, ipc.Answer{}, "bridge"))
	require.Equal(t, tools.AllowOnce, (<-a.Answer()).Action)
	_, err = as.AnswerStored(a.Record, ipc.ActionAllowOnce, ipc.Answer{}, "bridge")
	require.ErrorIs(t, err, ErrNotWaiting)
}

func TestAQuestionIsTheSameForTheNextDaemon(t *testing.T) {
	dir, c := filepath.Join(t.TempDir(), "approvals"), &clock{time.Now()}
	as := open(t, dir, c)
	a := as.ask(t, "s", "touch x", true)
	require.True(t, as.Detach(a))
	require.False(t, as.Detach(a))
	as = open(t, dir, c)
	require.Nil(t, as.ByCode(a.Ask.Code), "nobody waits for it here")
	of := as.InConversation("s", "")
	require.Len(t, of, 1)
	require.Equal(t, a.ID, of[0].ID)
	require.WithinDuration(t, a.Ask.Expires, of[0].Ask.Expires, 0)
	require.Empty(t, as.InConversation("another", ""))
	d, err := as.AnswerStored(of[0], ipc.ActionReject, ipc.Answer{}, "bridge")
	require.NoError(t, err)
	require.Equal(t, tools.Reject, d.Action)
	require.Empty(t, as.InConversation("s", ""))
}

func TestWhetherAQuestionWasSeenIsKnownToTheNextDaemon(t *testing.T) {
	dir, c := filepath.Join(t.TempDir(), "approvals"), &clock{time.Now()}
	as := open(t, dir, c)
	a, err := as.Open(plan("s", "touch x"), Record{Unseen: true}, c.at.Add(time.Minute), true)
	require.NoError(t, err)
	as.MarkShowing(a.Ask.Code)
	require.False(t, as.InConversation("s", a.ID)[0].Unseen)
	require.True(t, as.Detach(a), "killed before it was known to be seen")
	unseen := func() bool { return as.InConversation("s", "")[0].Unseen }
	as = open(t, dir, c)
	for _, seen := range []bool{false, true, false, true} {
		require.NoError(t, as.MarkSeen(a.Ask.Code, "", seen))
		require.Equal(t, !seen, unseen())
		as = open(t, dir, c)
		require.Equal(t, !seen, unseen())
	}
	_, err = as.AnswerStored(a.Record, ipc.ActionReject, ipc.Answer{}, "bridge")
	require.NoError(t, err)
	require.NoError(t, as.MarkSeen(a.Ask.Code, "", false), "what is answered is left alone")
	require.NoFileExists(t, as.path(a.Ask.Code))
}

func TestATaskThatStartsAnewLeavesNoQuestionBehind(t *testing.T) {
	dir, c := filepath.Join(t.TempDir(), "approvals"), &clock{time.Now()}
	as := open(t, dir, c)
	of := func(task, command string) *Approval {
		a, err := as.Open(plan("s", command), Record{Task: task}, c.at.Add(time.Minute), false)
		require.NoError(t, err)
		return a
	}
	a, other := of("t1", "touch x"), of("t2", "touch y")
	as = open(t, dir, c)
	require.NoError(t, as.DropTask("t1"))
	_, err := as.Stored(a.Ask.Code)
	require.ErrorIs(t, err, ErrNotWaiting)
	s, ok := as.FindOutcome("", a.Ask.Code)
	require.True(t, ok)
	require.Equal(t, Cancelled, s.Action)
	_, err = as.Stored(other.Ask.Code)
	require.NoError(t, err)

	// The history says that it expired.
	c.at = c.at.Add(time.Hour)
	require.NoError(t, as.DropTask("t2"))
	expired, err := as.Expire()
	require.NoError(t, err)
	require.Len(t, expired, 1)
}

func TestWhatExpiredIsToldUntilSomethingElseIsSaid(t *testing.T) {
	dir, c := filepath.Join(t.TempDir(), "approvals"), &clock{time.Now()}
	as := open(t, dir, c)
	as.ask(t, "s", "touch x", false)
	at, ok := as.NextExpiry()
	require.True(t, ok)
	require.WithinDuration(t, c.at.Add(5*time.Minute), at, 0)
	expired, err := as.Expire()
	require.NoError(t, err)
	require.Empty(t, expired)
	c.at = at
	expired, err = as.Expire()
	require.NoError(t, err)
	require.Len(t, expired, 1)
	_, ok = as.NextExpiry()
	require.False(t, ok)
	for range 2 { // also after a restart
		s, late := as.LastExpired("s")
		require.True(t, late)
		require.Equal(t, "touch x", s.Command)
		as = open(t, dir, c)
	}
	require.NoError(t, as.TouchSession("s", time.Hour))
	as = open(t, dir, c)
	_, late := as.LastExpired("s")
	require.False(t, late)
}

func TestAGrantHoldsForItsConversationUntilThatPauses(t *testing.T) {
	dir, c := filepath.Join(t.TempDir(), "approvals"), &clock{time.Now()}
	as := open(t, dir, c)
	a := as.ask(t, "s", "touch x", true)
	require.NoError(t, as.Resolve(a, ipc.ActionAllowSession, ipc.Answer{}, "cli"))
	as = open(t, dir, c)
	require.True(t, as.IsGranted(plan("s", "touch x")), "it outlives the daemon")
	require.False(t, as.IsGranted(plan("s", "touch y")))
	require.False(t, as.IsGranted(plan("other", "touch x")))
	c.at = c.at.Add(50 * time.Minute)
	require.NoError(t, as.TouchSession("s", time.Hour))
	c.at = c.at.Add(50 * time.Minute)
	require.NoError(t, as.TouchSession("s", time.Hour))
	require.True(t, as.IsGranted(plan("s", "touch x")), "it was not quiet for an hour")
	c.at = c.at.Add(time.Hour + time.Second)
	require.NoError(t, as.TouchSession("s", time.Hour))
	require.False(t, as.IsGranted(plan("s", "touch x")))
	require.NoError(t, as.EndGrants("s"))
	require.False(t, open(t, dir, c).IsGranted(plan("s", "touch x")))
}

func TestOldAnswersAreForgottenAndTheBookStaysShort(t *testing.T) {
	dir, c := filepath.Join(t.TempDir(), "approvals"), &clock{time.Now()}
	as := open(t, dir, c)
	var first *Approval
	for i := range maxOutcomes + 10 {
		a := as.ask(t, "s", fmt.Sprint("touch ", i), true)
		if first == nil {
			first = a
		}
		require.True(t, as.Withdraw(a, Cancelled))
		require.False(t, as.Withdraw(a, Cancelled))
	}
	_, ok := as.FindOutcome(first.ID, "")
	require.False(t, ok)
	require.Len(t, as.history.outcomes, maxOutcomes)
	require.NoError(t, as.journal.Rewrite(as.history.records()))
	require.Len(t, open(t, dir, c).history.outcomes, maxOutcomes)
}

func TestACodeIsFoundAsPeopleTypeIt(t *testing.T) {
	codes := []string{"K7QX", "0A1B"}
	for text, want := range map[string]string{
		"k7qx 네": "K7QX", "yes, oa1b!": "0A1B", "OAIB": "0A1B", "승인 K7QX": "K7QX", "K7QX네": "K7QX", "K7Q": "", "": "", "네": "", "xK7QX": "",
	} {
		code, ok := FindCode(text, codes)
		require.Equal(t, want, code, text)
		require.Equal(t, want != "", ok, text)
	}
}
