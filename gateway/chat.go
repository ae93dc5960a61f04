package gateway

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

const (
	// mainAgent is the agent of messages that name none.
	mainAgent = "main"
	// maxName bounds the id of a message and the names of its conversation, in bytes.
	maxName = 128
	// latePrefix marks the entries of answers without a request. Clients' ids have no control characters.
	latePrefix = "\x1f"
)

// TaskResponse is the result of chat.send and of tool.run, and the parameters of the notification chat.response. The
// status pending means that the answer follows as a notification.
type TaskResponse struct {
	TaskID    string        `json:"taskId,omitempty"`
	ChannelID string        `json:"channelId"`
	Text      string        `json:"text"`
	Status    string        `json:"status"`
	Metadata  *TaskMetadata `json:"metadata,omitempty"`
}

// TaskMetadata is what the specification leaves to an implementation.
type TaskMetadata struct {
	ID      string `json:"id,omitempty"` // of the request
	AgentID string `json:"agentId,omitempty"`
	UserID  string `json:"userId,omitempty"`
	Token   string `json:"token,omitempty"` // that the request came with
	Code    string `json:"code,omitempty"`  // of an error
}

// response returns what a client gets of an entry.
func (e entry) response() TaskResponse {
	id := e.ID
	if e.Late {
		id = ""
	}
	return TaskResponse{
		TaskID: e.Task, ChannelID: e.Channel, Text: e.Text, Status: e.Status,
		Metadata: &TaskMetadata{ID: id, AgentID: e.Agent, UserID: e.User, Token: e.Token, Code: e.Code},
	}
}

// conversation is a conversation of the gateway's channel. Each token has its own.
type conversation struct{ Token, Agent, Channel, User string }

// session returns its name at the daemon.
func (c conversation) session() string {
	parts := []string{c.Token, c.Agent, c.Channel, c.User}
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}

// parseSession returns the conversation of a name, or of a key that ends with one.
func parseSession(name string) conversation {
	if _, after, ok := strings.Cut(name, ":session:"+ipc.GatewayChannel+"/"); ok {
		name = after
	}
	parts := strings.Split(name, "/")
	for len(parts) < 4 {
		parts = append(parts, "")
	}
	for i := range parts {
		if plain, err := url.PathUnescape(parts[i]); err == nil {
			parts[i] = plain
		}
	}
	return conversation{parts[0], parts[1], parts[2], parts[3]}
}

// chatMessage is a ChatMessage of the specification with an id: the same id is served once.
type chatMessage struct {
	ID        string          `json:"id"`
	AgentID   string          `json:"agentId"`
	Text      string          `json:"text"`
	UserID    string          `json:"userId"`
	ChannelID string          `json:"channelId"`
	Metadata  json.RawMessage `json:"metadata"`

	undo string // the change to take back instead, for change.undo
	lang i18n.Lang
}

// check validates a message and sets its defaults.
func (m *chatMessage) check() error {
	m.AgentID = cmp.Or(m.AgentID, mainAgent)
	if m.ID == "" {
		m.ID = randomID("m")
	}
	for _, name := range []string{m.ID, m.AgentID, m.UserID, m.ChannelID} {
		if len(name) > maxName || strings.ContainsFunc(name, ipc.Unprintable) {
			return newError(codeParams, ipc.CodeBadRequest, i18n.GatewayName(maxName))
		}
	}
	if strings.TrimSpace(m.Text) == "" {
		return newError(codeParams, ipc.CodeBadRequest, i18n.ErrEmpty)
	}
	return nil
}

// digest identifies what a message asks for.
func (m chatMessage) digest() string {
	h := sha256.New()
	parts := []string{m.AgentID, m.ChannelID, m.UserID, m.Text}
	if m.undo != "" {
		parts = append(parts, m.undo)
	}
	for _, part := range parts {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))
}

func randomID(prefix string) string {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // never fails, crypto/rand
	return prefix + hex.EncodeToString(b)
}

// sending is a message that the daemon has not accepted yet. Repeated requests wait for it together.
type sending struct {
	digest  string
	answers []func(any, error)
	timer   *time.Timer
}

// errOtherMessage reports an id that was used for another message.
func errOtherMessage() error {
	return newError(codeParams, ipc.CodeBadRequest, i18n.GatewayOtherMessage)
}

// send serves chat.send. It answers as soon as the message is on the daemon's disk; the answer is a notification. A
// message that was served before is answered with what is known of it.
func (c *call) send() {
	var m chatMessage
	err := decodeParams(c.params, &m)
	if err == nil {
		err = m.check()
	}
	if err != nil {
		c.answer(nil, err)
		return
	}
	c.sendMessage(m)
}

// sendMessage sends a checked message.
func (c *call) sendMessage(m chatMessage) {
	if c.token.Page != nil {
		m.lang = c.lang
	}
	key, digest := entryKey{c.token.owner(), m.ID}, m.digest()
	if e, ok := c.g.ledger.get(key); ok {
		switch {
		case e.Digest != digest:
			c.answer(nil, errOtherMessage())
		case e.Dropped:
			c.answer(nil, newError(codeServer, ipc.CodeExpired, i18n.GatewayDropped))
		default:
			c.answer(e.response(), nil)
			c.g.noteDelivered(e)
		}
		return
	}
	g := c.g
	g.mu.Lock()
	if s, ok := g.sending[key]; ok {
		if s.digest == digest {
			s.answers = append(s.answers, c.answer)
			g.mu.Unlock()
			return
		}
		g.mu.Unlock()
		c.answer(nil, errOtherMessage())
		return
	}
	g.sending[key] = &sending{
		digest: digest, answers: []func(any, error){c.answer},
		timer: time.AfterFunc(g.CallTime, func() { g.endSending(key, nil, ipc.ErrNoReply) }),
	}
	g.mu.Unlock()
	e := entry{
		Token: c.token.owner(), ID: m.ID, Digest: digest, Agent: m.AgentID, Channel: m.ChannelID, User: m.UserID,
		Created: g.Now().UTC(), Status: statusPending,
	}
	g.submit(e, m)
}

// agentName returns the name of an agent for the daemon, "" for the default one.
func agentName(agent string) string {
	if agent == mainAgent {
		return ""
	}
	return agent
}

// submit sends a message to the daemon.
func (g *Gateway) submit(e entry, m chatMessage) {
	of := conversation{e.Token, e.Agent, e.Channel, e.User}
	message := ipc.Message{Type: ipc.TypeMessage, Session: of.session(), Body: m.Text}.WithData(ipc.GatewayRequest{
		MID: e.ID, Request: ipc.Request{Agent: agentName(e.Agent), Lang: string(m.lang), Undo: m.undo},
	})
	t := &turn{g: g, e: e}
	t.mu.Lock() // the first frame waits for the id
	defer t.mu.Unlock()
	id, err := g.daemon.requests.Send(message, t.frame)
	if err != nil {
		g.endSending(e.key(), nil, err)
		return
	}
	t.id = id
	g.mu.Lock()
	g.running[id] = e.Token
	g.mu.Unlock()
}

// endSending answers the requests that wait for a message to be accepted.
func (g *Gateway) endSending(key entryKey, result any, err error) {
	g.mu.Lock()
	s, ok := g.sending[key]
	delete(g.sending, key)
	g.mu.Unlock()
	if !ok {
		return
	}
	s.timer.Stop()
	for _, answer := range s.answers {
		answer(result, err)
	}
}

// turn follows a message at the daemon.
type turn struct {
	g  *Gateway
	mu sync.Mutex
	id string // of the request to the daemon
	e  entry
}

// frame serves a frame of the message.
func (t *turn) frame(m ipc.Message, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		// The daemon's answer comes from the outbox, if it has the message.
		t.g.endRunning(t.id)
		t.g.endSending(t.e.key(), nil, err)
		return
	}
	if m.Type == ipc.TypeAccepted {
		t.accept(m)
	}
	if !m.Done {
		return
	}
	t.g.endRunning(t.id)
	if t.e.Task == "" { // it was refused, and can be sent again
		err := error(m.Error)
		if m.Error == nil {
			err = ipc.ErrNoReply
		}
		t.g.endSending(t.e.key(), nil, err)
		return
	}
	var out ipc.Outcome
	if m.Error == nil && m.Decode(&out) == nil && out.Stop == ipc.StopDuplicate {
		t.g.spawn(func() { t.g.checkTask(t.e) })
		return
	}
	t.g.settle(answered(t.e, m))
}

// accept records that the daemon has the message.
func (t *turn) accept(m ipc.Message) {
	var a ipc.Accepted
	if m.Decode(&a) != nil || a.Task == "" {
		return
	}
	t.e.Task = a.Task
	if err := t.g.ledger.accept(t.e); err != nil {
		t.g.Log.Warn().Err(err).Msg("cannot save message")
	}
	t.g.endSending(t.e.key(), t.e.response(), nil)
}

// answered returns an entry with the answer of a last frame.
func answered(e entry, m ipc.Message) entry {
	e.Status, e.Text = statusSuccess, m.Body
	if m.Error != nil {
		e.Status, e.Text, e.Code = statusError, m.Error.Message, string(m.Error.Code)
		if m.Error.Hint != "" {
			e.Text += "\n" + m.Error.Hint
		}
	}
	return e
}

func (g *Gateway) endRunning(id string) {
	g.mu.Lock()
	delete(g.running, id)
	g.mu.Unlock()
}

// settle stores an answer and sends it to the clients, once. It reports whether the answer is on disk.
func (g *Gateway) settle(e entry) bool {
	first, err := g.ledger.settle(e)
	if err != nil {
		g.Log.Error().Err(err).Str("task", e.Task).Msg("cannot save answer")
	}
	if first {
		g.deliver(e)
	}
	return err == nil
}

// deliver sends an answer to the clients.
func (g *Gateway) deliver(e entry) {
	g.delivery.Lock()
	defer g.delivery.Unlock()
	g.mu.Lock()
	reached := g.broadcast(e.Token, "chat.response", e.response())
	g.mu.Unlock()
	if reached {
		g.noteDelivered(e)
	}
}

// noteDelivered records that a client got an answer.
func (g *Gateway) noteDelivered(e entry) {
	if e.Status == statusPending {
		return
	}
	if err := g.ledger.markDelivered(e.key()); err != nil {
		g.Log.Warn().Err(err).Str("task", e.Task).Msg("cannot save delivery")
	}
}

// taskInfo is a task as the daemon lists it.
type taskInfo struct {
	ID       string `json:"id"`
	State    string `json:"state"`
	Channel  string `json:"channel"`
	Session  string `json:"session"`
	Approval string `json:"approval"`
	Answer   string `json:"answer"` // cut, if the task is over
	Error    *struct {
		Code    string `json:"code"`
		Message string `json:"userMessage"`
	} `json:"error"`
}

// errorCode returns why the task has no answer.
func (t taskInfo) errorCode() string {
	switch {
	case t.Error != nil:
		return t.Error.Code
	case t.State == "ABORTED":
		return string(ipc.CodeCancelled)
	}
	return ""
}

// readTask asks the daemon for a task. ok is false if the daemon does not know it.
func (g *Gateway) readTask(id string) (t taskInfo, ok bool, err error) {
	ctx, cancel := context.WithTimeout(g.ctx, g.CallTime)
	defer cancel()
	var list []taskInfo
	if err := g.daemon.requests.Query(ctx, ipc.Query{What: "tasks", Task: id}, &list); err != nil || len(list) == 0 {
		return taskInfo{}, false, err
	}
	return list[0], true, nil
}

// checkTask ends an entry whose task was cancelled or forgotten: its answer does not come from the outbox.
func (g *Gateway) checkTask(e entry) {
	t, ok, err := g.readTask(e.Task)
	switch {
	case err != nil: // the next connection checks again
		return
	case !ok:
		e.Code = string(ipc.CodeExpired)
	case t.State == "ABORTED":
		e.Code, e.Text = t.errorCode(), t.Answer
		if t.Error != nil {
			e.Text = cmp.Or(t.Error.Message, e.Text)
		}
	default:
		return
	}
	e.Status = statusError
	g.settle(e)
}

// recover follows up after a connection to the daemon: it reads the open questions, and checks the messages without an
// answer. The list is read before a frame of the new connection is served: what it accepts is answered by it.
func (g *Gateway) recover() {
	unanswered := g.ledger.pending()
	g.spawn(func() {
		for _, e := range unanswered {
			g.checkTask(e)
		}
		ctx, cancel := context.WithTimeout(g.ctx, g.CallTime)
		defer cancel()
		if _, err := g.readQuestions(ctx); err != nil && g.ctx.Err() == nil {
			g.Log.Warn().Err(err).Msg("cannot read approvals")
		}
	})
}

// serveEvent serves an event of the daemon.
func (g *Gateway) serveEvent(e ipc.Event) {
	switch e.Topic {
	case ipc.TopicNotifications:
		var n ipc.Notice
		if json.Unmarshal(e.What, &n) == nil {
			g.spawn(func() { g.serveNotice(n) })
		}
	case ipc.TopicTasks:
		var t taskInfo
		if json.Unmarshal(e.What, &t) == nil {
			g.mu.Lock()
			g.noteTask(t)
			g.mu.Unlock()
		}
	case ipc.TopicApprovals:
		g.serveApproval(e.What)
	}
}

// serveNotice takes an answer from the daemon's outbox.
func (g *Gateway) serveNotice(n ipc.Notice) {
	e, known := g.ledger.byTask(n.Task)
	_, ofTask := strings.CutPrefix(n.ID, "task:")
	if known && e.Status == statusPending && ofTask {
		t, ok, err := g.readTask(n.Task)
		if err != nil {
			return // it comes again with the next connection
		}
		e.Status, e.Text = statusSuccess, n.Body
		if ok && t.errorCode() != "" {
			e.Status, e.Code = statusError, t.errorCode()
		}
	} else if !known || !ofTask {
		of := parseSession(n.To)
		e = entry{
			Token: of.Token, ID: latePrefix + n.ID, Task: n.Task, Agent: of.Agent, Channel: of.Channel, User: of.User,
			Created: g.Now().UTC(), Status: statusSuccess, Text: n.Body, Late: true,
		}
	}
	if g.settle(e) {
		g.acknowledge(n.ID)
	}
}

// acknowledge removes an answer from the daemon's outbox. If that fails, it comes again.
func (g *Gateway) acknowledge(id string) {
	ack := ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionAck}.WithData(ipc.Acknowledgement{IDs: []string{id}})
	_, err := g.daemon.requests.Send(ack, func(ipc.Message, error) {})
	if err != nil && !errors.Is(err, ipc.ErrLinkClosed) {
		g.Log.Warn().Err(err).Msg("cannot acknowledge answer")
	}
}

// noteTask remembers which task waits for which question. The caller holds mu.
func (g *Gateway) noteTask(t taskInfo) {
	if t.Approval != "" && t.Channel == ipc.GatewayChannel {
		g.waiting[t.Approval] = t.ID
	}
}

// noteQuestion remembers a question and announces it if it is new. The caller holds mu.
func (g *Gateway) noteQuestion(a ipc.Ask) question {
	if q, ok := g.asked[a.Code]; ok {
		return q
	}
	q := question{ask: a, task: g.waiting[a.Code], of: parseSession(a.Session)}
	if c, ok := g.calls[q.of.User]; ok && q.of.Agent == toolAgent {
		q.task, q.of.Channel = c.id, c.channel
		if !g.closing {
			g.work.Go(c.questionAsked) // it waits for the call
		}
	}
	g.asked[a.Code] = q
	g.broadcast(q.of.Token, "approval.requested", q.request())
	return q
}

// serveApproval announces a question, or how it ended.
func (g *Gateway) serveApproval(what json.RawMessage) {
	var a ipc.Ask
	var r ipc.Resolved
	if json.Unmarshal(what, &a) != nil || json.Unmarshal(what, &r) != nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.Action == "" {
		g.noteQuestion(a)
		return
	}
	q, ok := g.asked[r.Code]
	if !ok {
		return
	}
	delete(g.asked, r.Code)
	delete(g.waiting, r.Code)
	g.broadcast(q.of.Token, "approval.resolved", ApprovalResolved{
		TaskID: q.task, ChannelID: q.of.Channel, RequestID: r.Code, By: r.By,
		Approved: r.Action == ipc.ActionAllowOnce || r.Action == ipc.ActionAllowSession || r.Action == ipc.ActionAllowFamily || r.Action == ipc.ActionEdit,
	})
}
