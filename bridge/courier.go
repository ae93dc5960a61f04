package bridge

import (
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/ipc"
)

// Delays before reconnecting to the daemon while messages wait for it, and before retrying when it
// was busy.
const (
	firstLook, longestLook   = time.Second, time.Minute
	firstRetry, longestRetry = 2 * time.Second, 5 * time.Minute
)

// courier sends the inbox's messages to the daemon, one per sender at a time, and passes the
// daemon's frames to its listener. It is safe for concurrent use.
type courier struct {
	link *ipc.Link
	in   *inbox
	log  zerolog.Logger
	to   listener

	mu      sync.Mutex
	up      bool // connected
	fresh   bool // this connection has reported who may write
	knocked bool // a request was given to the link to make it connect
	asking  bool // the policy is being queried
	nextID  int
	open    map[string]request
	sending map[string]bool   // senders with a message in flight
	pauses  map[string]*pause // of senders whose messages are delayed
	looks   *backoff.ExponentialBackOff
	look    *time.Timer
	over    bool
}

// listener handles the daemon's frames and the state of the connection.
type listener interface {
	// policy is called when the daemon has reported who may write.
	policy(p ipc.ChannelPolicy)
	notice(n ipc.Notice)
	resolved(code string)
	// asking returns the codes of confirmations that are open in chats.
	asking() []string
	accepted(re string, l *letter, task string)
	frame(re string, m ipc.Message)
	ended(re string)
	// reached and lost report the state of the connection.
	reached()
	lost()
	// holds returns how long a chat's messages must wait until a confirmation is shown.
	holds(chat string) time.Duration
	// early reports whether a message cannot answer the last confirmation.
	early(l *letter) bool
}

// request is a request to the daemon. Both functions can be nil.
type request struct {
	frame func(ipc.Message) // called for each frame of the reply
	lost  func()            // called if the connection ends before the last frame
}

// pause is the delay of a sender's messages, usually because the daemon was busy.
type pause struct {
	next  *backoff.ExponentialBackOff
	timer *time.Timer
	until time.Time
}

func newCourier(link *ipc.Link, in *inbox, log zerolog.Logger, to listener) *courier {
	return &courier{
		link: link, in: in, log: log, to: to, open: map[string]request{}, sending: map[string]bool{}, pauses: map[string]*pause{},
		looks: pauses(firstLook, longestLook),
	}
}

func pauses(first, longest time.Duration) *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.Multiplier = first, longest, 2
	return b
}

// run handles the link's events until it ends.
func (c *courier) run() {
	for e := range c.link.Events() {
		switch {
		case e.Up != nil:
			c.reached()
		case e.Down != nil:
			c.lost(e.Down)
		case e.Frame != nil:
			c.hear(*e.Frame)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	for _, p := range c.pauses {
		p.timer.Stop()
	}
	if c.look != nil {
		c.look.Stop()
	}
}

// send passes a request to the link and reports whether that succeeded.
func (c *courier) send(m ipc.Message, r request) bool {
	c.nextID++
	m.ID = "b" + strconv.Itoa(c.nextID)
	return c.sendAs(m, r)
}

func (c *courier) sendAs(m ipc.Message, r request) bool {
	c.open[m.ID] = r
	if err := c.link.Send(m); err != nil {
		delete(c.open, m.ID)
		c.log.Warn().Err(err).Str("type", m.Type).Msg("cannot send to the daemon")
		return false
	}
	return true
}

// ask makes a request if the daemon is connected, and reports whether it was sent.
func (c *courier) ask(m ipc.Message, r request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.up && c.send(m, r)
}

// topics are the events that a bridge subscribes to.
var topics = []string{ipc.TopicNotifications, ipc.TopicApprovals, ipc.TopicConfig, ipc.TopicPairing}

// reached sets up a new connection.
func (c *courier) reached() {
	c.mu.Lock()
	c.up, c.fresh = true, false
	if !c.knocked {
		c.askPolicy()
	}
	c.knocked = false
	c.send(ipc.Message{Type: ipc.TypeSubscribe}.WithData(ipc.Subscription{Topics: topics}), request{frame: c.hearEvent})
	c.looks.Reset()
	if c.look != nil {
		c.look.Stop()
		c.look = nil
	}
	c.mu.Unlock()
	c.to.reached()
}

// lost handles the end of a connection, or a failed attempt to connect.
func (c *courier) lost(why error) {
	c.mu.Lock()
	open := c.open
	c.open = map[string]request{}
	c.up, c.fresh, c.knocked, c.asking = false, false, false, false
	clear(c.sending)
	c.mu.Unlock()
	for _, r := range open {
		if r.lost != nil {
			r.lost()
		}
	}
	c.log.Debug().Err(why).Msg("no connection to the daemon")
	c.to.lost()
	c.lookAgain()
}

// lookAgain schedules a new connection while messages wait. The link reconnects too, but gives up.
func (c *courier) lookAgain() {
	if c.in.count() == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.look != nil || c.up || c.over {
		return
	}
	c.look = time.AfterFunc(c.looks.NextBackOff(), func() {
		c.mu.Lock()
		c.look, c.knocked = nil, false
		c.mu.Unlock()
		c.knock()
	})
}

func (c *courier) hear(m ipc.Message) {
	c.mu.Lock()
	r, ok := c.open[m.Re]
	if m.Done {
		delete(c.open, m.Re)
	}
	c.mu.Unlock()
	if ok && r.frame != nil {
		r.frame(m)
	}
}

// hearEvent handles an event of the subscription.
func (c *courier) hearEvent(m ipc.Message) {
	var e ipc.Event
	if m.Error != nil || m.Decode(&e) != nil {
		c.log.Warn().AnErr("error", asError(m.Error)).Msg("cannot subscribe to the daemon's events")
		return
	}
	switch e.Topic {
	case ipc.TopicNotifications:
		var n ipc.Notice
		if json.Unmarshal(e.What, &n) == nil && n.ID != "" && n.To != "" {
			c.to.notice(n)
		}
	case ipc.TopicApprovals:
		var r struct {
			Code   string `json:"code"`
			Action string `json:"action"`
		}
		if json.Unmarshal(e.What, &r) == nil && r.Code != "" && r.Action != "" {
			c.to.resolved(r.Code)
		}
	case ipc.TopicConfig, ipc.TopicPairing:
		c.refresh()
	}
}

// pump sends each sender's next message.
func (c *courier) pump() {
	for _, l := range c.in.first() {
		if yes, _ := c.in.admitted(l.Sender); yes {
			c.carry(l)
		}
	}
}

// carry sends a message, unless another one of its sender is in flight.
func (c *courier) carry(l *letter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	hold, early := c.to.holds(l.Chat), c.to.early(l)
	if !c.up || !c.fresh || c.sending[l.Sender] || c.paused(l.Sender) || c.over || !c.in.waits(l) {
		return
	}
	if hold > 0 {
		c.rest(l.Sender, hold)
		return
	}
	m := ipc.Message{Type: ipc.TypeMessage, From: l.Sender, Body: l.Text}.WithData(ipc.Letter{
		MID: l.ID, Name: l.Name, Sent: l.Sent, Forwarded: l.Forwarded, Early: early, Files: l.Files,
	})
	c.nextID++
	m.ID = "m" + strconv.Itoa(c.nextID)
	taken := false
	c.sending[l.Sender] = c.sendAs(m, request{
		frame: func(f ipc.Message) { taken = c.hearLetter(l, f, taken) },
		lost:  func() { c.to.ended(m.ID) },
	})
}

// hearLetter handles a reply to a message, and returns whether the daemon has accepted the message.
func (c *courier) hearLetter(l *letter, f ipc.Message, taken bool) bool {
	switch {
	case f.Type == ipc.TypeAccepted && !taken:
		var a ipc.Accepted
		_ = f.Decode(&a) // an empty one has the same meaning
		if a.Duplicate {
			a.Task = ""
		}
		c.taken(l)
		c.to.accepted(f.Re, l, a.Task)
		taken = true
	case f.Error != nil && f.Done && !taken:
		c.refused(l, f.Error)
	case f.Type == ipc.TypeResponse && f.Done && !taken:
		c.taken(l)
		taken = true
	case !f.Done && taken:
		c.to.frame(f.Re, f)
	}
	if f.Done {
		c.to.ended(f.Re)
	}
	return taken
}

// taken forgets a message that the daemon has, and sends the next one.
func (c *courier) taken(l *letter) {
	if err := c.in.taken(l); err != nil {
		c.log.Warn().Err(err).Msg("cannot save that a message was delivered")
	}
	c.mu.Lock()
	delete(c.sending, l.Sender)
	if p := c.pauses[l.Sender]; p != nil {
		p.timer.Stop()
		delete(c.pauses, l.Sender)
	}
	c.mu.Unlock()
	c.pump()
}

// refused forgets a message that the daemon permanently rejects, and schedules a retry of any
// other.
func (c *courier) refused(l *letter, why *ipc.Error) {
	switch why.Code {
	case ipc.CodeDenied, ipc.CodeBadRequest, ipc.CodeTooLarge:
		c.log.Info().Str("code", string(why.Code)).Msg("message rejected by the daemon")
		c.taken(l)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sending, l.Sender)
	c.rest(l.Sender, max(c.pauseOf(l.Sender).next.NextBackOff(), time.Duration(why.RetryAfter)*time.Second))
}

func (c *courier) pauseOf(sender string) *pause {
	p := c.pauses[sender]
	if p == nil {
		p = &pause{next: pauses(firstRetry, longestRetry), timer: time.AfterFunc(time.Hour, c.pump)}
		p.timer.Stop()
		c.pauses[sender] = p
	}
	return p
}

// rest delays a sender's messages by d.
func (c *courier) rest(sender string, d time.Duration) {
	p := c.pauseOf(sender)
	p.until = time.Now().Add(d)
	p.timer.Reset(d)
}

func (c *courier) paused(sender string) bool {
	p := c.pauses[sender]
	return p != nil && time.Now().Before(p.until)
}

// hurry ends the delay of a sender's messages.
func (c *courier) hurry(sender string) {
	c.mu.Lock()
	if p := c.pauses[sender]; p != nil && !c.sending[sender] {
		p.until = time.Time{}
	}
	c.mu.Unlock()
	c.pump()
}

// reachable reports whether the daemon is connected and accepts messages.
func (c *courier) reachable() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.up && c.fresh
}
