package daemon

import (
	"slices"
	"sync"

	"github.com/nidoit/blunux-ai/ipc"
)

// The topics of events.
const (
	topicTasks         = ipc.TopicTasks
	topicApprovals     = ipc.TopicApprovals
	topicNotifications = ipc.TopicNotifications
	topicConfig        = ipc.TopicConfig
	topicPairing       = ipc.TopicPairing
)

// topics lists all of them. Logs are topics too, but they are served by [logFollower].
var topics = []string{topicTasks, topicApprovals, topicNotifications, topicConfig, topicPairing}

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

func newEvents() *events { return &events{subs: map[*subscriber]struct{}{}} }

// subscribe returns a channel of event frames and a function that ends the subscription. The channel is closed if
// the subscriber falls too far behind.
func (es *events) subscribe(topics []string) (<-chan ipc.Message, func()) {
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

// event is the data of an event frame.
type event struct {
	Topic string `json:"topic"`
	What  any    `json:"what"`
}

// publish sends an event to all subscribers of its topic.
func (es *events) publish(topic string, what any) {
	es.mu.Lock()
	defer es.mu.Unlock()
	if len(es.subs) == 0 {
		return
	}
	m := ipc.Message{Type: ipc.TypeEvent}.WithData(event{topic, what})
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
