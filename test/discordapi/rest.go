package discordapi

import (
	"fmt"
	"net/http"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits from sections "Create Message", "Button" and "Uploading Files".
const (
	mostText     = 2000
	mostCustomID = 100
	mostLabel    = 80
	mostUpload   = 10 << 20
	mostMessages = 100
	mostNonce    = 25
	// suppressEmbeds and ephemeral are flags of messages.
	suppressEmbeds = 1 << 2
	ephemeral      = 1 << 6
	// responseTime is the time in which an interaction has to be answered.
	responseTime = 3 * time.Second
)

// channel is a conversation: of a person with the bot, or a channel of a server.
type channel struct {
	id, person, guild string
	messages          []*message
}

// message is a message of a person or of the bot.
type message struct {
	id, author string
	sent       time.Time
	content    string
	rows       []row
	files      []*file
	nonce      string
	snapshot   *message // what is forwarded
	answers    *message // the message to which it is a reply
	extra      map[string]any
	edits      int
	deleted    bool
	byHand     bool // of the bot, but not from the bridge
}

// file is a file from a person or the bot. Claims is the size it claims.
type file struct {
	id, name, kind string
	data           []byte
	claims         int64
}

// press is a person's press of a button, which has to be answered.
type press struct {
	person   string
	at       time.Time
	answered bool
}

// report records what no client may do. It fails the test at its end.
func (s *Server) report(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.errors = append(s.errors, fmt.Sprintf(format, args...))
}

func botUser() map[string]any {
	return map[string]any{"id": BotID, "username": BotName, "discriminator": "0", "bot": true, "avatar": nil}
}

func (s *Server) getCurrentUser(request) (any, error) { return botUser(), nil }

func (s *Server) getCurrentApplication(request) (any, error) {
	return map[string]any{"id": BotID, "name": BotName, "bot_public": false, "flags": 0}, nil
}

// getGatewayBot implements section "Get Gateway Bot".
func (s *Server) getGatewayBot(request) (any, error) {
	return map[string]any{
		"url": "ws://" + s.listener.Addr().String() + "/gateway", "shards": 1,
		"session_start_limit": map[string]any{"total": 1000, "remaining": 999, "reset_after": 86400000, "max_concurrency": 1},
	}, nil
}

// createDM implements section "Create DM". It returns the existing channel, if there is one.
func (s *Server) createDM(q request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := strconv.ParseUint(q.body.Recipient, 10, 64); err != nil {
		return nil, badForm("recipient_id")
	}
	if !knows(q.body.Recipient) && s.dms[q.body.Recipient] == nil {
		return nil, apiError{403, 50278, "Cannot send messages to this user due to having no mutual guilds"}
	}
	c := s.dmOf(q.body.Recipient)
	return map[string]any{"id": c.id, "type": 1, "recipients": []any{user(c.person)}}, nil
}

// dmOf returns a person's direct messages. The caller holds the lock.
func (s *Server) dmOf(person string) *channel {
	c := s.dms[person]
	if c == nil {
		c = &channel{id: s.snowflake(), person: person}
		s.dms[person], s.channels[c.id] = c, c
	}
	return c
}

// channelOf returns the channel of a request to which the bot may post.
func (s *Server) channelOf(id string) (*channel, error) {
	c := s.channels[id]
	switch {
	case c == nil:
		return nil, apiError{404, 10003, "Unknown Channel"}
	case s.closed[c.person]:
		return nil, apiError{403, 50007, "Cannot send messages to this user"}
	}
	return c, nil
}

func (c *channel) message(id string) *message {
	i := slices.IndexFunc(c.messages, func(m *message) bool { return m.id == id && !m.deleted })
	if i < 0 {
		return nil
	}
	return c.messages[i]
}

// getMessages implements section "Get Channel Messages": the newest are first.
func (s *Server) getMessages(q request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[q.args[0]]
	if c == nil {
		return nil, apiError{404, 10003, "Unknown Channel"}
	}
	limit := 50
	if text, ok := q.query["limit"]; ok {
		limit, _ = strconv.Atoi(text)
	}
	if limit < 1 || limit > mostMessages {
		return nil, badForm("limit")
	}
	var found []any
	list := slices.SortedStableFunc(slices.Values(c.messages), func(a, b *message) int { return int(number(a.id)) - int(number(b.id)) })
	list = slices.DeleteFunc(list, func(m *message) bool {
		after, before := q.query["after"], q.query["before"]
		return m.deleted || after != "" && number(m.id) <= number(after) || before != "" && number(m.id) >= number(before)
	})
	if _, ok := q.query["after"]; ok {
		list = list[:min(limit, len(list))]
	} else {
		list = list[max(0, len(list)-limit):]
	}
	for _, m := range slices.Backward(list) {
		o := s.object(c, m)
		delete(o, "guild_id") // only events have it
		found = append(found, o)
	}
	if found == nil {
		found = []any{}
	}
	return found, nil
}

func number(id string) uint64 {
	n, _ := strconv.ParseUint(id, 10, 64)
	return n
}

// check checks a message of the bot.
func (s *Server) check(b *body, needsContent bool) error {
	if b.Mentions == nil || b.Mentions.Parse == nil || len(*b.Mentions.Parse) > 0 || len(b.Mentions.Users) > 0 || b.Mentions.Replied {
		s.report("a message may notify people: %+v", b.Mentions)
	}
	if b.Content != nil && utf8.RuneCountInString(*b.Content) > mostText {
		return badForm("content: Must be 2000 or fewer in length.")
	}
	if needsContent && (b.Content == nil || *b.Content == "") && len(b.files) == 0 {
		return apiError{400, 50006, "Cannot send an empty message"}
	}
	if len(b.Nonce) > mostNonce {
		return badForm("nonce")
	}
	for _, f := range b.files {
		if len(f.data) > mostUpload {
			return apiError{413, 40005, "Request entity too large"}
		}
	}
	if b.Components == nil {
		return nil
	}
	if len(*b.Components) > 5 {
		return badForm("components")
	}
	for _, r := range *b.Components {
		if r.Type != 1 || len(r.Components) == 0 || len(r.Components) > 5 {
			return badForm("components")
		}
		for _, k := range r.Components {
			if k.Type != 2 || k.ID == "" || len(k.ID) > mostCustomID || k.Label == "" || utf8.RuneCountInString(k.Label) > mostLabel || k.Style < 1 || k.Style > 4 {
				return badForm("components: %+v", k)
			}
		}
	}
	return nil
}

// createMessage implements section "Create Message".
func (s *Server) createMessage(q request) (any, error) {
	if err := s.check(&q.body, true); err != nil {
		return nil, err
	}
	if q.body.Flags&suppressEmbeds == 0 {
		s.report("a message lets Discord fetch its links")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.channelOf(q.args[0])
	if err != nil {
		return nil, err
	}
	if q.body.Enforce && q.body.Nonce != "" {
		i := slices.IndexFunc(c.messages, func(m *message) bool { return m.nonce == q.body.Nonce && m.author == BotID && !m.deleted })
		if i >= 0 {
			return s.object(c, c.messages[i]), nil
		}
	}
	if r := q.body.Reference; r != nil && c.message(r.Message) == nil && (r.Fail == nil || *r.Fail) {
		return nil, badForm("message_reference: Unknown message")
	}
	m := &message{id: s.snowflake(), author: BotID, sent: time.Now(), nonce: q.body.Nonce, files: q.body.files}
	if q.body.Content != nil {
		m.content = *q.body.Content
	}
	if r := q.body.Reference; r != nil {
		m.answers = c.message(r.Message)
	}
	if q.body.Components != nil {
		m.rows = *q.body.Components
	}
	for _, f := range m.files {
		f.claims = int64(len(f.data))
		s.addFile(f)
	}
	c.messages = append(c.messages, m)
	s.dispatch("MESSAGE_CREATE", s.object(c, m))
	s.notify()
	return s.object(c, m), nil
}

// editMessage implements section "Edit Message". Only the fields of the request change.
func (s *Server) editMessage(q request) (any, error) {
	if err := s.check(&q.body, false); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.channelOf(q.args[0])
	if err != nil {
		return nil, err
	}
	m := c.message(q.args[1])
	switch {
	case m == nil:
		return nil, apiError{404, 10008, "Unknown Message"}
	case m.author != BotID:
		return nil, apiError{403, 50005, "Cannot edit a message authored by another user"}
	}
	before := *m
	if q.body.Content != nil {
		m.content = *q.body.Content
	}
	if q.body.Components != nil {
		m.rows = *q.body.Components
	}
	if m.content != before.content || !reflect.DeepEqual(m.rows, before.rows) {
		m.edits++
		s.notify()
	}
	s.dispatch("MESSAGE_UPDATE", s.object(c, m))
	return s.object(c, m), nil
}

// deleteMessage implements section "Delete Message". In direct messages, a bot can delete its own messages only.
func (s *Server) deleteMessage(q request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[q.args[0]]
	if c == nil {
		return nil, apiError{404, 10003, "Unknown Channel"}
	}
	m := c.message(q.args[1])
	switch {
	case m == nil:
		return nil, apiError{404, 10008, "Unknown Message"}
	case m.author != BotID:
		return nil, apiError{403, 50003, "Cannot execute action on a DM channel"}
	}
	m.deleted = true
	s.dispatch("MESSAGE_DELETE", map[string]any{"id": m.id, "channel_id": c.id})
	s.notify()
	return nil, nil
}

// triggerTyping implements section "Trigger Typing Indicator".
func (s *Server) triggerTyping(q request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.channelOf(q.args[0])
	if err != nil {
		return nil, err
	}
	s.typed[c.person]++
	return nil, nil
}

// Types of responses to interactions (section "Interaction Callback Type").
const (
	responseMessage  = 4
	responseDeferred = 6
)

// createResponse implements section "Create Interaction Response".
func (s *Server) createResponse(q request) (any, error) {
	s.mu.Lock()
	p := s.presses[q.args[1]]
	switch {
	case p == nil || time.Since(p.at) > responseTime:
		s.mu.Unlock()
		return nil, apiError{404, 10062, "Unknown interaction"}
	case p.answered:
		s.mu.Unlock()
		return nil, apiError{400, 40060, "Interaction has already been acknowledged."}
	}
	p.answered = true
	s.mu.Unlock()
	switch q.body.Type {
	case responseDeferred:
		return nil, nil
	case responseMessage:
		return nil, s.tell(p, q.body.Data)
	}
	return nil, badForm("type")
}

// createFollowup implements section "Create Followup Message".
func (s *Server) createFollowup(q request) (any, error) {
	s.mu.Lock()
	p := s.presses[q.args[1]]
	s.mu.Unlock()
	switch {
	case q.args[0] != BotID || p == nil:
		return nil, apiError{404, 10015, "Unknown Webhook"}
	case !p.answered:
		s.report("a press has a follow-up before its response")
	}
	if err := s.tell(p, &q.body); err != nil {
		return nil, err
	}
	return map[string]any{"id": "1"}, nil
}

// tell shows the presser of a button a text.
func (s *Server) tell(p *press, b *body) error {
	if b == nil {
		return badForm("data")
	}
	if err := s.check(b, true); err != nil {
		return err
	}
	if b.Flags&ephemeral == 0 {
		s.report("everybody sees the answer to a press")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[p.person] = append(s.answers[p.person], Display(*b.Content))
	s.notify()
	return nil
}

// addFile gives a file an ID. The caller holds the lock.
func (s *Server) addFile(f *file) {
	f.id = s.snowflake()
	s.files[f.id] = f
}

// object returns a message as Discord describes it (section "Message Object"). The caller holds the lock.
func (s *Server) object(c *channel, m *message) map[string]any {
	o := map[string]any{
		"id": m.id, "channel_id": c.id, "author": user(m.author), "content": m.content, "timestamp": m.sent.UTC().Format(time.RFC3339Nano),
		"edited_timestamp": nil, "tts": false, "mention_everyone": false, "mentions": []any{}, "mention_roles": []any{},
		"attachments": []any{}, "embeds": []any{}, "components": []any{}, "pinned": false, "type": 0, "flags": 0,
	}
	if m.author == BotID {
		o["author"] = botUser()
	}
	if c.guild != "" {
		o["guild_id"] = c.guild
	}
	if len(m.rows) > 0 {
		o["components"] = m.rows
	}
	o["attachments"] = s.attachments(m)
	var users []any
	for _, id := range mentioned(m.content) {
		if id == BotID {
			users = append(users, botUser())
		} else {
			users = append(users, user(id))
		}
	}
	if users != nil {
		o["mentions"] = users
	}
	if m.answers != nil {
		o["type"], o["message_reference"] = 19, map[string]any{"type": 0, "message_id": m.answers.id, "channel_id": c.id}
		o["referenced_message"] = nil
		if !m.answers.deleted {
			o["referenced_message"] = s.object(c, &message{id: m.answers.id, author: m.answers.author, sent: m.answers.sent})
		}
	}
	if f := m.snapshot; f != nil {
		o["message_reference"] = map[string]any{"type": 1, "message_id": f.id, "channel_id": "1"}
		o["message_snapshots"] = []any{map[string]any{"message": map[string]any{
			"content": f.content, "attachments": s.attachments(f), "type": 0, "timestamp": f.sent.UTC().Format(time.RFC3339Nano),
		}}}
	}
	for k, v := range m.extra {
		o[k] = v
	}
	if c.guild != "" && m.author != BotID && !strings.Contains(fmt.Sprint(o["mentions"]), BotID) { // section "Message Content Intent"
		o["content"], o["attachments"], o["components"] = "", []any{}, []any{}
	}
	return o
}

// userMention matches the mention of a user (section "Message Formatting").
var userMention = regexp.MustCompile(`<@!?([0-9]+)>`)

// mentioned returns the users that a text mentions.
func mentioned(text string) (ids []string) {
	for _, m := range userMention.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(ids, m[1]) {
			ids = append(ids, m[1])
		}
	}
	return ids
}

func (s *Server) attachments(m *message) []any {
	all := []any{}
	for _, f := range m.files {
		all = append(all, map[string]any{
			"id": f.id, "filename": f.name, "content_type": f.kind, "size": f.claims, "url": s.URL() + "/attachments/1/" + f.id + "/" + path.Base(f.name) + "?ex=1&hm=2",
		})
	}
	return all
}

// serveFile serves an attachment, without the token.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	if f, ok := s.nextFailure("attachment"); ok {
		f.reply(w)
		return
	}
	if r.Header.Get("Authorization") != "" {
		s.report("the CDN is given the token")
	}
	s.mu.Lock()
	f := s.files[path.Base(path.Dir(r.URL.Path))]
	s.mu.Unlock()
	if f == nil {
		http.NotFound(w, r)
		return
	}
	_, _ = w.Write(f.data) // ignore disconnected clients
}
