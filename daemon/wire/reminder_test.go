package wire

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/desktop"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/action"
)

// teaReminder was due before the daemon started.
const teaReminder = "[[automation]]\nname = \"tea\"\nat = 2020-01-05T10:00:00\nsay = \"drink tea\"\nnotify = [\"desktop\", \"whatsapp\"]\nquiet = \"00:00-23:59\"\n"

func TestAReminderIsShownWithItsButtonsAlsoInQuietHours(t *testing.T) {
	w := newWall()
	h := withRules(t, doer, w, teaReminder)
	h.rules.Run()
	n := <-w.told
	require.Equal(t, "⏰ drink tea", n.Title)
	require.Equal(t, "(was due 2020-01-05 10:00)", n.Body)
	require.Equal(t, []string{"again", "done"}, labels(n))
	require.EqualValues(t, -1, n.Expire, "it stays until someone sees it")
	require.Equal(t, "⏰ drink tea\n(was due 2020-01-05 10:00)", h.queuedFor(post.OriginalChannel)[0].Body)
	w.pressed(n.Key, "done")
	require.Eventually(t, func() bool { return len(h.queuedFor(post.DesktopChannel)) == 0 }, time.Minute, time.Millisecond)
	require.Eventually(t, func() bool { return len(h.rules.All()) == 0 }, time.Minute, time.Millisecond, "it is over")
}

func TestAReminderIsSnoozedByItsButtonOrInWords(t *testing.T) {
	w := newWall()
	h := withRules(t, doer, w, teaReminder)
	h.rules.Run()
	n := <-w.told
	w.pressed(n.Key, "again")
	require.Eventually(t, func() bool { return len(h.rules.All()) == 1 && h.rules.All()[0].Managed }, time.Minute, time.Millisecond)
	again := h.rules.All()[0]
	require.Equal(t, []string{"desktop", "whatsapp"}, again.Notify)
	require.Equal(t, "drink tea", again.Say)
	require.WithinDuration(t, time.Now().Add(10*time.Minute), again.Times.(automation.Moment).In(nil), time.Minute)
	require.Eventually(t, func() bool { // the run ends after the message
		runs, err := h.rules.History(ipc.Query{}, i18n.English)
		return err == nil && slices.ContainsFunc(runs, func(r ipc.AutomationRun) bool { return r.Fired && r.Ended != nil })
	}, time.Minute, time.Millisecond)

	for text, want := range map[string]time.Duration{
		"remind me again in 20 minutes": 20 * time.Minute, "한 시간 뒤에 다시 알려줘": time.Hour, "30分钟后再提醒我": 30 * time.Minute, "snooze 15m": 15 * time.Minute, "스누즈": 10 * time.Minute,
	} {
		_, ok := h.rules.SnoozeReply(post.OriginalChannel, "999@c.us", text, i18n.English)
		require.False(t, ok, "nothing was told there")
		before := len(h.rules.All())
		reply, ok := h.rules.SnoozeReply(post.OriginalChannel, ownerPhone, text, i18n.English)
		require.True(t, ok, text)
		require.Contains(t, reply, "drink tea")
		require.Len(t, h.rules.All(), before+1, text)
		last := h.rules.All()[before]
		require.WithinDuration(t, time.Now().Add(want), last.Times.(automation.Moment).In(nil), time.Minute, text)
	}
	for _, text := range []string{"다시 알려줘", "what happened again in 2 hours?", "30분 뒤에 빨래 알려줘"} {
		_, ok := h.rules.SnoozeReply(post.OriginalChannel, ownerPhone, text, i18n.English)
		require.False(t, ok, text)
	}
}

func TestASnoozeBeforeItIsDuePutsItOff(t *testing.T) {
	h := withRules(t, doer, nil, "")
	ctx := t.Context()
	_, err := h.rules.Add(ctx, action.AutomationChange{Name: "tea", At: "10m", Say: "drink tea"}, tools.Origin{Channel: "cli"})
	require.NoError(t, err)
	due := h.rule("tea").Times.(automation.Moment).In(nil)
	got, err := h.rules.Snooze(ctx, "tea", 5*time.Minute)
	require.NoError(t, err)
	require.True(t, got.Equal(due), "it is not due before")
	got, err = h.rules.Snooze(ctx, "tea", time.Hour)
	require.NoError(t, err)
	require.True(t, got.Equal(h.rule("tea").Times.(automation.Moment).In(nil)))
	require.WithinDuration(t, time.Now().Add(time.Hour), got, time.Minute)
	require.NoError(t, h.rules.Remove(ctx, "tea"))
	require.Empty(t, h.rules.All())
}

func TestAReminderThatIsOverIsNotSet(t *testing.T) {
	h := withRules(t, doer, nil, "")
	for at, code := range map[string]string{"2020-01-05 10:00": "past", "2027-02-31 10:00": "date", "soon": "moment"} {
		_, err := h.rules.Add(t.Context(), action.AutomationChange{Name: "x", At: at, Say: "x"}, tools.Origin{Channel: "cli"})
		var why *automation.ScheduleError
		require.ErrorAs(t, err, &why)
		require.Equal(t, code, why.Code)
		require.Equal(t, why.Text(i18n.Korean), h.rules.Failure(err, i18n.Korean).Message)
	}
}

// TestAReminderThatIsDismissedAtOnceIsNotShownAgain: before the call that shows it has returned.
func TestAReminderThatIsDismissedAtOnceIsNotShownAgain(t *testing.T) {
	w := newWall()
	w.busy = true
	h := withRules(t, doer, w, teaReminder)
	h.rules.Run()
	<-w.told
	require.Eventually(t, func() bool { return len(h.queuedFor(post.DesktopChannel)) == 0 }, time.Minute, time.Millisecond)
}

func TestAReminderWhoseMessageWasDismissedIsNotShownAgain(t *testing.T) {
	w := newWall()
	h := withRules(t, doer, w, teaReminder)
	h.rules.Run()
	n := <-w.told
	w.closed(n.Key, desktop.Dismissed)
	require.Eventually(t, func() bool { return len(h.queuedFor(post.DesktopChannel)) == 0 }, time.Minute, time.Millisecond)
	h.rules.ShowOnDesktop()
	require.Empty(t, w.told)
}
