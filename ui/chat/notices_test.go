package chat

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

func (c *chat) notice(n ipc.Notice) {
	n.Created = c.clock
	c.frame(ipc.Message{Type: ipc.TypeEvent, Re: c.topics[len(c.topics)-1].ID}.WithData(map[string]any{"topic": "notifications", "what": n}))
}

// acknowledgedIDs returns the acknowledged notifications, in order.
func (c *chat) acknowledgedIDs(t *testing.T) (ids []string) {
	for _, m := range c.sent {
		if m.Action == ipc.ActionAck {
			var a ipc.Acknowledgement
			require.NoError(t, m.Decode(&a))
			ids = append(ids, a.IDs...)
		}
	}
	return ids
}

func TestANotificationIsShownAndAcknowledged(t *testing.T) {
	c := newChat(i18n.English)
	var want ipc.Subscription
	require.NoError(t, c.topics[0].Decode(&want))
	require.Equal(t, []string{ipc.TopicNotifications}, want.Topics)
	c.notice(ipc.Notice{ID: "n1", Channel: "cli", To: "default", Body: "backup\nis \x1b[31mdone"})
	require.Contains(t, c.screen(), "Notification · 2026-03-01 12:00")
	require.Contains(t, c.screen(), gutters[bySystem]+"backup")
	require.NotContains(t, c.log.last(bySystem), "\x1b")
	require.Equal(t, []string{"n1"}, c.acknowledgedIDs(t))
}

func TestNotificationsOfOtherChannelsStayThere(t *testing.T) {
	c := newChat(i18n.English)
	for _, channel := range []string{"desktop", "whatsapp", "telegram"} {
		c.notice(ipc.Notice{ID: channel, Channel: channel, Body: "private"})
	}
	require.NotContains(t, c.screen(), "private")
	require.Empty(t, c.acknowledgedIDs(t))
}

func TestANotificationWaitsUntilItCanBeSeen(t *testing.T) {
	for name, busy := range map[string]func(c *chat) (over func()){
		"a turn": func(c *chat) func() {
			c.asked("go")
			return func() { c.end("done", ipc.Outcome{}) }
		},
		"a review": func(c *chat) func() {
			c.asked("go")
			c.put("a1", askOf("rm x"))
			return func() { c.press("esc") }
		},
		"a list": func(c *chat) func() {
			c.asked("/sessions")
			c.result(`[{"key":"agent:main:session:cli/x","modified":"2026-02-01T10:00:00Z"}]`)
			return func() { c.press("esc") }
		},
		"scrolled up": func(c *chat) func() {
			for range 50 {
				c.addSystem("a line")
			}
			c.draw()
			c.press("pgup")
			return func() { c.press("ctrl+end") }
		},
		"too small": func(c *chat) func() {
			c.resize(10, 3)
			return func() { c.resize(80, 24); c.do(spinMsg{}) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newChat(i18n.English)
			over := busy(c)
			c.notice(ipc.Notice{ID: "n1", Channel: "tui", Body: "your answer"})
			require.NotContains(t, c.screen(), "your answer")
			require.Empty(t, c.acknowledgedIDs(t))
			over()
			require.Contains(t, c.screen(), "your answer")
			require.Equal(t, []string{"n1"}, c.acknowledgedIDs(t))
		})
	}
}

func TestANotificationThatComesAgainIsNotShownAgain(t *testing.T) {
	c := newChat(i18n.English)
	c.notice(ipc.Notice{ID: "n1", Channel: "tui", Body: "your answer"})
	n := c.log.messages
	c.event(ipc.LinkEvent{Connected: &ipc.Hello{}})
	c.pass(time.Minute)
	c.notice(ipc.Notice{ID: "n1", Channel: "tui", Body: "your answer"})
	require.Equal(t, n, c.log.messages)
	require.Equal(t, []string{"n1", "n1"}, c.acknowledgedIDs(t), "the first one did not arrive")
}

func TestTheBudgetIsToldBelowTheAnswer(t *testing.T) {
	c := newChat(i18n.Korean)
	c.asked("비싸?")
	c.end("조금요", ipc.Outcome{Budget: &ipc.DayBudget{Limit: "daily_usd", DailyUSD: 1, CostUSD: 0.83, Share: 0.83}})
	require.Equal(t, "오늘 예산 $1.0000 중 $0.8300 사용 (83%)", c.log.last(bySystem))
}

func TestTheHintStandsBelowTheWelcome(t *testing.T) {
	c := newChat(i18n.English, func(o *Options) { o.Hint = i18n.SetupHint.In(i18n.English) })
	require.Contains(t, c.screen(), "Not set up yet")
	c.asked("hello")
	require.NotContains(t, c.screen(), "Not set up yet")
}
