package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// notices are notifications for the person at this machine: late answers, what
// automations tell. They are shown between two turns, and the daemon keeps each
// until it was.
type notices struct {
	request string // the subscription they come by
	waiting []ipc.Notice
	shown   map[string]bool // by id
}

// subscribe asks for those that wait and those that come. A subscription goes with
// its connection.
func (m *model) subscribe() tea.Cmd {
	id, cmd := m.send(ipc.Message{Type: ipc.TypeSubscribe}.WithData(ipc.Subscription{Topics: []string{ipc.TopicNotifications}}),
		func(f ipc.Message) tea.Cmd {
			if f.Error != nil {
				m.fail(f.Error)
			}
			return nil
		})
	m.notices.request = id
	return cmd
}

// notified keeps a notification to be shown. Those of other channels are for
// somebody else, or shown by the desktop.
func (m *model) notified(f ipc.Message) {
	var event struct {
		Topic string     `json:"topic"`
		What  ipc.Notice `json:"what"`
	}
	if f.Re != m.notices.request || !m.decode(f, &event) || event.Topic != ipc.TopicNotifications {
		return
	}
	if n := event.What; n.Channel == "cli" || n.Channel == "tui" {
		m.notices.waiting = append(m.notices.waiting, n)
	}
}

// inSight reports whether what is added to the transcript now is seen.
func (m *model) inSight() bool {
	return m.up && !m.state.waits() && m.list == nil && m.log.follow && m.width >= leastWidth && m.height >= leastHeight
}

// tellNotices shows what waits, and says so to the daemon.
func (m *model) tellNotices() tea.Cmd {
	n := &m.notices
	if len(n.waiting) == 0 || !m.inSight() {
		return nil
	}
	var shown ipc.Acknowledged
	for _, w := range n.waiting {
		shown.IDs = append(shown.IDs, w.ID)
		if n.shown[w.ID] {
			continue // it was acknowledged, which got lost
		}
		if n.shown == nil {
			n.shown = map[string]bool{}
		}
		n.shown[w.ID] = true
		m.tell(i18n.ChatNotice.In(m.lang, w.Created.Local().Format("2006-01-02 15:04")) + "\n" + ipc.Clean(w.Body))
	}
	n.waiting = nil
	_, cmd := m.send(ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionAck}.WithData(shown), func(ipc.Message) tea.Cmd { return nil })
	return cmd
}
