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

// Delays before reconnecting to the daemon while messages wait for it, and before retrying when it was busy.
const (
	minReconnectDelay, maxReconnectDelay = time.Second, time.Minute
	minBusyDelay, maxBusyDelay           = 2 * time.Second, 5 * time.Minute
)

// daemonClient sends the inbox's messages to the daemon, one per sender at a time, and passes the
// daemon's frames to its handler. It is safe for concurrent use.
type daemonClient struct {
	link    *ipc.Link
	inbox   *inbox
	log     zerolog.Logger
	handler daemonHandler

	mu               sync.Mutex
	connected        bool
	policyKnown      bool // this connection has reported who may write
	connecting       bool // a request was given to the link to make it connect
	queryingPolicy   bool // the policy is being queried
	nextID           int
	requests         map[string]request
	inFlight         map[string]bool           // senders with a message in flight
	backoffs         map[string]*senderBackoff // of senders whose messages are delayed
	reconnectBackoff *backoff.ExponentialBackOff
	reconnectTimer   *time.Timer
	stopped          bool
}

// daemonHandler handles the daemon's frames and the state of the connection.
type daemonHandler interface {
	// handlePolicy is called when the daemon has reported who may write.
	handlePolicy(p ipc.ChannelPolicy)
	handleNotice(n ipc.Notice)
	handleResolved(code string)
	// openConfirmations returns the codes of confirmations that are open in chats.
	openConfirmations() []string
	handleAccepted(re string, l *inboundMessage, task string)
	handleFrame(re string, m ipc.Message)
	handleEnd(re string)
	// handleConnected and handleDisconnected report the state of the connection.
	handleConnected()
	handleDisconnected()
	// confirmationDelay returns how long a chat's messages must wait until a confirmation is shown.
	confirmationDelay(chat string) time.Duration
	// predatesConfirmation reports whether a message cannot answer the last confirmation.
	predatesConfirmation(l *inboundMessage) bool
}

// request is a request to the daemon. Both functions can be nil.
type request struct {
	onFrame func(ipc.Message) // called for each frame of the reply
	onLost  func()            // called if the connection ends before the last frame
}

// senderBackoff is the delay of a sender's messages, usually because the daemon was busy.
type senderBackoff struct {
	next  *backoff.ExponentialBackOff
	timer *time.Timer
	until time.Time
}

func newDaemonClient(link *ipc.Link, in *inbox, log zerolog.Logger, to daemonHandler) *daemonClient {
	return &daemonClient{
		link: link, inbox: in, log: log, handler: to, requests: map[string]request{}, inFlight: map[string]bool{}, backoffs: map[string]*senderBackoff{},
		reconnectBackoff: newBackoff(minReconnectDelay, maxReconnectDelay),
	}
}

func newBackoff(first, longest time.Duration) *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.Multiplier = first, longest, 2
	return b
}

// run handles the link's events until it ends.
func (c *daemonClient) run() {
	for e := range c.link.Events() {
		switch {
		case e.Connected != nil:
			c.handleConnected()
		case e.Disconnected != nil:
			c.handleDisconnected(e.Disconnected)
		case e.Frame != nil:
			c.handleFrame(*e.Frame)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
	for _, p := range c.backoffs {
		p.timer.Stop()
	}
	if c.reconnectTimer != nil {
		c.reconnectTimer.Stop()
	}
}

// send passes a request to the link and reports whether that succeeded.
func (c *daemonClient) send(m ipc.Message, r request) bool {
	c.nextID++
	m.ID = "b" + strconv.Itoa(c.nextID)
	return c.sendWithID(m, r)
}

func (c *daemonClient) sendWithID(m ipc.Message, r request) bool {
	c.requests[m.ID] = r
	if err := c.link.Send(m); err != nil {
		delete(c.requests, m.ID)
		c.log.Warn().Err(err).Str("type", m.Type).Msg("cannot send to the daemon")
		return false
	}
	return true
}

// sendIfConnected makes a request if the daemon is connected, and reports whether it was sent.
func (c *daemonClient) sendIfConnected(m ipc.Message, r request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.connected && c.send(m, r)
}

// topics are the events that a bridge subscribes to.
var topics = []string{ipc.TopicNotifications, ipc.TopicApprovals, ipc.TopicConfig, ipc.TopicPairing}

func (c *daemonClient) handleConnected() {
	c.mu.Lock()
	c.connected, c.policyKnown = true, false
	if !c.connecting {
		c.queryPolicy()
	}
	c.connecting = false
	c.send(ipc.Message{Type: ipc.TypeSubscribe}.WithData(ipc.Subscription{Topics: topics}), request{onFrame: c.handleEvent})
	c.reconnectBackoff.Reset()
	if c.reconnectTimer != nil {
		c.reconnectTimer.Stop()
		c.reconnectTimer = nil
	}
	c.mu.Unlock()
	c.handler.handleConnected()
}

// handleDisconnected handles the end of a connection, or a failed attempt to connect.
func (c *daemonClient) handleDisconnected(why error) {
	c.mu.Lock()
	open := c.requests
	c.requests = map[string]request{}
	c.connected, c.policyKnown, c.connecting, c.queryingPolicy = false, false, false, false
	clear(c.inFlight)
	c.mu.Unlock()
	for _, r := range open {
		if r.onLost != nil {
			r.onLost()
		}
	}
	c.log.Debug().Err(why).Msg("no connection to the daemon")
	c.handler.handleDisconnected()
	c.scheduleReconnect()
}

// scheduleReconnect schedules a new connection while messages wait. The link reconnects too, but gives up.
func (c *daemonClient) scheduleReconnect() {
	if c.inbox.count() == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reconnectTimer != nil || c.connected || c.stopped {
		return
	}
	c.reconnectTimer = time.AfterFunc(c.reconnectBackoff.NextBackOff(), func() {
		c.mu.Lock()
		c.reconnectTimer, c.connecting = nil, false
		c.mu.Unlock()
		c.connect()
	})
}

func (c *daemonClient) handleFrame(m ipc.Message) {
	c.mu.Lock()
	r, ok := c.requests[m.Re]
	if m.Done {
		delete(c.requests, m.Re)
	}
	c.mu.Unlock()
	if ok && r.onFrame != nil {
		r.onFrame(m)
	}
}

func (c *daemonClient) handleEvent(m ipc.Message) {
	var e ipc.Event
	if m.Error != nil || m.Decode(&e) != nil {
		c.log.Warn().AnErr("error", asError(m.Error)).Msg("cannot subscribe to the daemon's events")
		return
	}
	switch e.Topic {
	case ipc.TopicNotifications:
		var n ipc.Notice
		if json.Unmarshal(e.What, &n) == nil && n.ID != "" && n.To != "" {
			c.handler.handleNotice(n)
		}
	case ipc.TopicApprovals:
		var r struct {
			Code   string `json:"code"`
			Action string `json:"action"`
		}
		if json.Unmarshal(e.What, &r) == nil && r.Code != "" && r.Action != "" {
			c.handler.handleResolved(r.Code)
		}
	case ipc.TopicConfig, ipc.TopicPairing:
		c.refreshPolicy()
	}
}

// sendNext sends each sender's next message.
func (c *daemonClient) sendNext() {
	for _, l := range c.inbox.oldestPerSender() {
		if yes, _ := c.inbox.isAdmitted(l.Sender); yes {
			c.sendMessage(l)
		}
	}
}

// sendMessage sends a message, unless another one of its sender is in flight.
func (c *daemonClient) sendMessage(l *inboundMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delay, early := c.handler.confirmationDelay(l.Chat), c.handler.predatesConfirmation(l)
	if !c.connected || !c.policyKnown || c.inFlight[l.Sender] || c.isDelayed(l.Sender) || c.stopped || !c.inbox.isPending(l) {
		return
	}
	if delay > 0 {
		c.delaySender(l.Sender, delay)
		return
	}
	m := ipc.Message{Type: ipc.TypeMessage, From: l.Sender, Body: l.Text}.WithData(ipc.InboundMessage{
		MID: l.ID, Name: l.Name, Sent: l.Sent, Forwarded: l.Forwarded, Early: early, Files: l.Files,
	})
	c.nextID++
	m.ID = "m" + strconv.Itoa(c.nextID)
	accepted := false
	c.inFlight[l.Sender] = c.sendWithID(m, request{
		onFrame: func(f ipc.Message) { accepted = c.handleReply(l, f, accepted) },
		onLost:  func() { c.handler.handleEnd(m.ID) },
	})
}

func (c *daemonClient) handleReply(l *inboundMessage, f ipc.Message, accepted bool) bool {
	switch {
	case f.Type == ipc.TypeAccepted && !accepted:
		var a ipc.Accepted
		_ = f.Decode(&a) // an empty one has the same meaning
		if a.Duplicate {
			a.Task = ""
		}
		c.markHandled(l)
		c.handler.handleAccepted(f.Re, l, a.Task)
		accepted = true
	case f.Error != nil && f.Done && !accepted:
		c.handleRefusal(l, f.Error)
	case f.Type == ipc.TypeResponse && f.Done && !accepted:
		c.markHandled(l)
		accepted = true
	case !f.Done && accepted:
		c.handler.handleFrame(f.Re, f)
	}
	if f.Done {
		c.handler.handleEnd(f.Re)
	}
	return accepted
}

// markHandled forgets a message that the daemon has, and sends the next one.
func (c *daemonClient) markHandled(l *inboundMessage) {
	if err := c.inbox.markHandled(l); err != nil {
		c.log.Warn().Err(err).Msg("cannot save that a message was delivered")
	}
	c.mu.Lock()
	delete(c.inFlight, l.Sender)
	if p := c.backoffs[l.Sender]; p != nil {
		p.timer.Stop()
		delete(c.backoffs, l.Sender)
	}
	c.mu.Unlock()
	c.sendNext()
}

// handleRefusal forgets a message that the daemon permanently rejects, and schedules a retry of any other.
func (c *daemonClient) handleRefusal(l *inboundMessage, why *ipc.Error) {
	switch why.Code {
	case ipc.CodeDenied, ipc.CodeBadRequest, ipc.CodeTooLarge:
		c.log.Info().Str("code", string(why.Code)).Msg("message rejected by the daemon")
		c.markHandled(l)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.inFlight, l.Sender)
	c.delaySender(l.Sender, max(c.backoffOf(l.Sender).next.NextBackOff(), time.Duration(why.RetryAfter)*time.Second))
}

func (c *daemonClient) backoffOf(sender string) *senderBackoff {
	p := c.backoffs[sender]
	if p == nil {
		p = &senderBackoff{next: newBackoff(minBusyDelay, maxBusyDelay), timer: time.AfterFunc(time.Hour, c.sendNext)}
		p.timer.Stop()
		c.backoffs[sender] = p
	}
	return p
}

// delaySender delays a sender's messages by d.
func (c *daemonClient) delaySender(sender string, d time.Duration) {
	p := c.backoffOf(sender)
	p.until = time.Now().Add(d)
	p.timer.Reset(d)
}

func (c *daemonClient) isDelayed(sender string) bool {
	p := c.backoffs[sender]
	return p != nil && time.Now().Before(p.until)
}

// resumeSender ends the delay of a sender's messages.
func (c *daemonClient) resumeSender(sender string) {
	c.mu.Lock()
	if p := c.backoffs[sender]; p != nil && !c.inFlight[sender] {
		p.until = time.Time{}
	}
	c.mu.Unlock()
	c.sendNext()
}

// isReady reports whether the daemon is connected and accepts messages.
func (c *daemonClient) isReady() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.connected && c.policyKnown
}
