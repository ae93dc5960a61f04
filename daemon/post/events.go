package post

import (
	"slices"
	"sync"

	"github.com/nidoit/blunux-ai/ipc"
)

// The topics of events.
const (
	TopicTasks         = ipc.TopicTasks
	TopicApprovals     = ipc.TopicApprovals
	TopicNotifications = ipc.TopicNotifications
	TopicConfig        = ipc.TopicConfig
	TopicPairing       = ipc.TopicPairing
)

// maxBuffered is how many events are buffered for a slow subscriber. A subscriber that falls further behind is
// dropped, so that it does not slow the daemon.
const maxBuffered = 256

// events delivers events to subscribers.
type events struct {
	mu   sync.Mutex
	subs map[*subscriber]struct{}
}

type subscriber struct {
	topics []string // none means all
	ch     chan ipc.Message
}

func NewEvents() *events { return &events{subs: map[*subscriber]struct{}{}} }

// Subscribe returns a channel of event frames and a function that ends the subscription. The channel is closed if
// the subscriber falls too far behind.
func (es *events) Subscribe(topics []string) (<-chan ipc.Message, func()) {
	s := &subscriber{topics: topics, ch: make(chan ipc.Message, maxBuffered)}
	es.mu.Lock()
	defer es.mu.Unlock()
	es.subs[s] = struct{}{}
	return s.ch, func() { es.drop(s) }
}

func (es *events) drop(s *subscriber) {
	es.mu.Lock()
	defer es.mu.Unlock()
	if _, ok := es.subs[s]; ok {
		delete(es.subs, s)
		close(s.ch)
	}
}

// Event is the data of an event frame.
type Event struct {
	Topic string `json:"topic"`
	What  any    `json:"what"`
}

// Publish sends an event to all subscribers of its topic.
func (es *events) Publish(topic string, what any) {
	es.mu.Lock()
	defer es.mu.Unlock()
	if len(es.subs) == 0 {
		return
	}
	m := ipc.Message{Type: ipc.TypeEvent}.WithData(Event{topic, what})
	for s := range es.subs {
		if len(s.topics) > 0 && !slices.Contains(s.topics, topic) {
			continue
		}
		select {
		case s.ch <- m:
		default:
			delete(es.subs, s)
			close(s.ch)
		}
	}
}
