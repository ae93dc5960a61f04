package chat

import (
	tea "charm.land/bubbletea/v2"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// notices are notifications for the person at this computer: late answers and results of
// automations. They are shown between turns. The daemon keeps each one until it was shown.
type notices struct {
	request string // ID of the subscription
	waiting []ipc.Notice
	shown   map[string]bool // by ID
}

// subscribe subscribes to queued and new notifications. A subscription ends with its connection.
func (m *model) subscribe() tea.Cmd {
	id, cmd := m.send(ipc.Message{Type: ipc.TypeSubscribe}.WithData(ipc.Subscription{Topics: []string{ipc.TopicNotifications}}),
		func(f ipc.Message) tea.Cmd {
			if f.Error != nil {
				m.showError(f.Error)
			}
			return nil
		})
	m.notices.request = id
	return cmd
}

// queueNotice queues a notification. It ignores those of other channels, which are for other people or
// shown by the desktop.
func (m *model) queueNotice(f ipc.Message) {
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

func (m *model) isEndVisible() bool {
	return m.connected && !m.state.inTurn() && m.list == nil && m.log.follow && m.width >= leastWidth && m.height >= leastHeight
}

// showNotices shows the queued notifications and acknowledges them.
func (m *model) showNotices() tea.Cmd {
	n := &m.notices
	if len(n.waiting) == 0 || !m.isEndVisible() {
		return nil
	}
	var shown ipc.Acknowledgement
	for _, w := range n.waiting {
		shown.IDs = append(shown.IDs, w.ID)
		if n.shown[w.ID] {
			continue // already shown; the acknowledgement was lost
		}
		if n.shown == nil {
			n.shown = map[string]bool{}
		}
		n.shown[w.ID] = true
		at := w.Created
		if at.IsZero() { // pushed as it happens
			at = m.now()
		}
		m.addSystem(i18n.ChatNotice(at.Local().Format("2006-01-02 15:04")).In(m.lang) + "\n" + ipc.Clean(w.Body))
	}
	n.waiting = nil
	_, cmd := m.send(ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionAck}.WithData(shown), func(ipc.Message) tea.Cmd { return nil })
	return cmd
}
