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

// How long it is waited before the daemon is looked for once more while
// something waits for it, and before it is asked again where it was busy.
const (
	firstLook, longestLook   = time.Second, time.Minute
	firstRetry, longestRetry = 2 * time.Second, 5 * time.Minute
)

// courier carries what waits in the inbox to the daemon, one message of a
// sender at a time, and what the daemon says to whom it concerns. It is safe
// for concurrent use.
type courier struct {
	link *ipc.Link
	in   *inbox
	log  zerolog.Logger
	// to is who hears what the daemon says.
	to listener

	mu      sync.Mutex
	up      bool // there is a connection
	fresh   bool // and it has said who may write
	knocked bool // the link was given something to connect for
	asking  bool // who may write is being asked
	nextID  int
	open    map[string]request
	sending map[string]bool   // senders of whom a message is on its way
	pauses  map[string]*pause // of senders whom the daemon had no time for
	looks   *backoff.ExponentialBackOff
	look    *time.Timer
	over    bool
}

// listener is who hears what the daemon says.
type listener interface {
	// policy: the daemon has said who may write, for the messages that wait.
	policy(p ipc.ChannelPolicy)
	notice(n ipc.Notice)
	resolved(code string)
	// asking are the codes of confirmations that stand open in chats.
	asking() []string
	accepted(re string, l *letter, task string)
	frame(re string, m ipc.Message)
	ended(re string)
	// reached and lost: the daemon can be reached, or not any more.
	reached()
	lost()
	// holds is how long the messages of somebody have to wait for what they are
	// just being shown.
	holds(chat string) time.Duration
	// early reports whether a message cannot answer the last confirmation.
	early(l *letter) bool
}

// request is what was asked of the daemon. Both may be nil.
type request struct {
	frame func(ipc.Message) // each frame that belongs to it
	lost  func()            // the connection ended before the last one
}

// pause is how long a sender's messages wait because the daemon was busy.
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

// run hears the link until it ends.
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

// send hands a request to the link; it reports false where it cannot.
func (c *courier) send(m ipc.Message, r request) bool {
	c.nextID++
	m.ID = "b" + strconv.Itoa(c.nextID)
	return c.sendAs(m, r)
}

func (c *courier) sendAs(m ipc.Message, r request) bool {
	c.open[m.ID] = r
	if err := c.link.Send(m); err != nil {
		delete(c.open, m.ID)
		c.log.Warn().Err(err).Str("type", m.Type).Msg("cannot be sent to the daemon")
		return false
	}
	return true
}

// ask makes a request where the daemon is reached, and reports whether it is.
func (c *courier) ask(m ipc.Message, r request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.up && c.send(m, r)
}

// topics are what a bridge wants to hear of.
var topics = []string{ipc.TopicNotifications, ipc.TopicApprovals, ipc.TopicConfig, ipc.TopicPairing}

// reached begins a connection.
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

// lost ends a connection, or an attempt to have one.
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
	c.log.Debug().Err(why).Msg("the daemon is not reached")
	c.to.lost()
	c.lookAgain()
}

// lookAgain looks for the daemon after a while, as long as something waits for
// it. The link does that too, but gives up.
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

// hearEvent hears what was subscribed to.
func (c *courier) hearEvent(m ipc.Message) {
	var e ipc.Event
	if m.Error != nil || m.Decode(&e) != nil {
		c.log.Warn().AnErr("error", asError(m.Error)).Msg("the daemon does not say what happens")
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

// carry sends a message, unless one of its sender is on its way.
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

// hearLetter hears what became of a message, and returns whether it is the
// daemon's now.
func (c *courier) hearLetter(l *letter, f ipc.Message, taken bool) bool {
	switch {
	case f.Type == ipc.TypeAccepted && !taken:
		var a ipc.Accepted
		_ = f.Decode(&a) // an empty one says as much
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

// taken forgets a message that the daemon has, and sends the next.
func (c *courier) taken(l *letter) {
	if err := c.in.taken(l); err != nil {
		c.log.Warn().Err(err).Msg("that the daemon has a message is not on the disk")
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

// refused forgets a message that the daemon will never take, and tries others
// again later.
func (c *courier) refused(l *letter, why *ipc.Error) {
	switch why.Code {
	case ipc.CodeDenied, ipc.CodeBadRequest, ipc.CodeTooLarge:
		c.log.Info().Str("code", string(why.Code)).Msg("the daemon does not take a message")
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

// rest lets a sender's messages wait for a while.
func (c *courier) rest(sender string, d time.Duration) {
	p := c.pauseOf(sender)
	p.until = time.Now().Add(d)
	p.timer.Reset(d)
}

func (c *courier) paused(sender string) bool {
	p := c.pauses[sender]
	return p != nil && time.Now().Before(p.until)
}

// hurry lets a sender's messages go that waited for what they were shown.
func (c *courier) hurry(sender string) {
	c.mu.Lock()
	if p := c.pauses[sender]; p != nil && !c.sending[sender] {
		p.until = time.Time{}
	}
	c.mu.Unlock()
	c.pump()
}

// reachable reports whether the daemon is reached and takes messages.
func (c *courier) reachable() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.up && c.fresh
}
