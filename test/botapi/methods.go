package botapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits from sections sendMessage, sendDocument, InlineKeyboardButton, getFile.
const (
	mostText     = 4096
	mostCaption  = 1024
	mostCallback = 64
	mostUpload   = 50 << 20
	mostDownload = 20 << 20
)

// post is a message from the bot.
type post struct {
	id        int
	chat      int64
	date      time.Time
	edited    time.Time
	raw, text string
	entities  []entity
	keyboard  [][]button
	re        int
	file      *file
	edits     int
	deleted   bool
}

// button is an InlineKeyboardButton.
type button struct {
	Text string `json:"text"`
	Data string `json:"callback_data,omitempty"`
	URL  string `json:"url,omitempty"`
}

// file is a file from a person or the bot. Claims is the size it claims.
type file struct {
	id, name, kind, path string
	data                 []byte
	claims               int64
}

// getMe implements section "getMe".
func (s *Server) getMe(values) (any, error) { return botUser(), nil }

func botUser() map[string]any {
	return map[string]any{
		"id": BotID, "is_bot": true, "first_name": "blunux", "username": BotName,
		"can_join_groups": true, "can_read_all_group_messages": false, "supports_inline_queries": false,
	}
}

// sendMessage implements section "sendMessage".
func (s *Server) sendMessage(args values) (any, error) {
	p, err := parseText(args, "text", mostText)
	if err != nil {
		return nil, err
	}
	if p.text == "" {
		return nil, badRequest("message text is empty")
	}
	return s.addPost(p, args)
}

// sendDocument implements section "sendDocument".
func (s *Server) sendDocument(args values) (any, error) {
	p, err := parseText(args, "caption", mostCaption)
	if err != nil {
		return nil, err
	}
	up, ok := args.files["document"]
	switch {
	case !ok:
		return nil, badRequest("there is no document in the request")
	case len(up.data) == 0:
		return nil, badRequest("file must be non-empty")
	case len(up.data) > mostUpload:
		return nil, refusal{413, "Request Entity Too Large", 0}
	}
	p.file = &file{name: up.name, kind: up.kind, data: up.data, claims: int64(len(up.data))}
	return s.addPost(p, args)
}

// parseText parses a message's text according to parse_mode.
func parseText(args values, field string, most int) (*post, error) {
	p := &post{raw: args.text[field]}
	switch mode := strings.ToLower(args.text["parse_mode"]); mode {
	case "":
		p.text = p.raw
	case "html":
		var err error
		if p.text, p.entities, err = parseHTML(p.raw); err != nil {
			return nil, err
		}
	default:
		return nil, badRequest("unsupported parse_mode")
	}
	p.text = normalize(p.text)
	if units(p.text) > most {
		if field == "caption" {
			return nil, badRequest("message caption is too long")
		}
		return nil, badRequest("message is too long")
	}
	var err error
	p.keyboard, err = parseKeyboard(args.text["reply_markup"])
	return p, err
}

// parseKeyboard parses an InlineKeyboardMarkup.
func parseKeyboard(text string) ([][]button, error) {
	if text == "" || text == "null" {
		return nil, nil
	}
	var k struct {
		Rows [][]button `json:"inline_keyboard"`
	}
	if err := json.Unmarshal([]byte(text), &k); err != nil {
		return nil, badRequest("can't parse reply keyboard markup JSON object")
	}
	for _, row := range k.Rows {
		for _, b := range row {
			switch {
			case b.Text == "":
				return nil, badRequest("can't parse inline keyboard button: Text must be non-empty")
			case b.URL == "" && (b.Data == "" || len(b.Data) > mostCallback):
				return nil, badRequest("BUTTON_DATA_INVALID")
			}
		}
	}
	if len(k.Rows) == 0 {
		return nil, nil
	}
	return k.Rows, nil
}

// addPost adds a message from the bot to its chat.
func (s *Server) addPost(p *post, args values) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if p.chat, err = s.chat(args); err != nil {
		return nil, err
	}
	if p.re, err = s.repliedID(args); err != nil {
		return nil, err
	}
	s.lastMessage++
	p.id, p.date = s.lastMessage, time.Now()
	if p.file != nil {
		s.addFile(p.file, "documents")
	}
	s.posts = append(s.posts, p)
	s.notify()
	return p.message(), nil
}

// chat returns the chat of a request. The person must have started it and not blocked the bot.
func (s *Server) chat(args values) (int64, error) {
	id, err := strconv.ParseInt(args.text["chat_id"], 10, 64)
	switch {
	case args.text["chat_id"] == "":
		return 0, badRequest("chat_id is empty")
	case err != nil || !s.chats[id]:
		return 0, badRequest("chat not found")
	case s.blocked[id]:
		return 0, refusal{403, "Forbidden: bot was blocked by the user", 0}
	}
	return id, nil
}

// repliedID returns the message that is answered: section "ReplyParameters".
func (s *Server) repliedID(args values) (int, error) {
	text := args.text["reply_parameters"]
	if text == "" {
		return 0, nil
	}
	var to struct {
		ID    int  `json:"message_id"`
		Allow bool `json:"allow_sending_without_reply"`
	}
	if err := json.Unmarshal([]byte(text), &to); err != nil {
		return 0, badRequest("can't parse reply parameters JSON object")
	}
	_, theirs := s.messages[to.ID]
	if theirs || s.post(to.ID) != nil {
		return to.ID, nil
	}
	if !to.Allow {
		return 0, badRequest("message to be replied not found")
	}
	return 0, nil
}

func (s *Server) post(id int) *post {
	for _, p := range s.posts {
		if p.id == id && !p.deleted {
			return p
		}
	}
	return nil
}

// message returns the post as a Message.
func (p *post) message() map[string]any {
	m := map[string]any{
		"message_id": p.id, "from": botUser(), "date": p.date.Unix(),
		"chat": map[string]any{"id": p.chat, "type": "private", "first_name": nameOf(p.chat)},
	}
	if !p.edited.IsZero() {
		m["edit_date"] = p.edited.Unix()
	}
	if p.keyboard != nil {
		m["reply_markup"] = map[string]any{"inline_keyboard": p.keyboard}
	}
	text, entities := "text", "entities"
	if p.file != nil {
		m["document"], text, entities = p.file.document(), "caption", "caption_entities"
	}
	if p.text != "" {
		m[text] = p.text
	}
	if len(p.entities) > 0 {
		m[entities] = p.entities
	}
	return m
}

// editMessageText implements section "editMessageText". Without reply_markup it removes the
// buttons.
func (s *Server) editMessageText(args values) (any, error) {
	to, err := parseText(args, "text", mostText)
	if err != nil {
		return nil, err
	}
	if to.text == "" {
		return nil, badRequest("message text is empty")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.postToEdit(args)
	if err != nil {
		return nil, err
	}
	if p.file != nil {
		return nil, badRequest("there is no text in the message to edit")
	}
	if p.text == to.text && reflect.DeepEqual(p.entities, to.entities) && reflect.DeepEqual(p.keyboard, to.keyboard) {
		return nil, notModified()
	}
	p.raw, p.text, p.entities, p.keyboard = to.raw, to.text, to.entities, to.keyboard
	return s.edited(p), nil
}

// editMessageReplyMarkup implements the section of that name.
func (s *Server) editMessageReplyMarkup(args values) (any, error) {
	rows, err := parseKeyboard(args.text["reply_markup"])
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.postToEdit(args)
	if err != nil {
		return nil, err
	}
	if reflect.DeepEqual(p.keyboard, rows) {
		return nil, notModified()
	}
	p.keyboard = rows
	return s.edited(p), nil
}

// deleteMessage implements the section of that name. In a private chat, a bot can delete messages
// from both sides.
func (s *Server) deleteMessage(args values) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	chat, err := s.chat(args)
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(args.text["message_id"])
	if err != nil {
		return nil, badRequest("message identifier is not specified")
	}
	if _, theirs := s.messages[n]; theirs {
		delete(s.messages, n)
		return true, nil
	}
	p := s.post(n)
	if p == nil || p.chat != chat {
		return nil, badRequest("message to delete not found")
	}
	p.deleted = true
	s.notify()
	return true, nil
}

func notModified() error {
	return badRequest("message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message")
}

// postToEdit returns the post to edit.
func (s *Server) postToEdit(args values) (*post, error) {
	chat, err := s.chat(args)
	if err != nil {
		return nil, err
	}
	id, err := strconv.Atoi(args.text["message_id"])
	if err != nil {
		return nil, badRequest("message identifier is not specified")
	}
	p := s.post(id)
	if p == nil || p.chat != chat {
		if _, theirs := s.messages[id]; theirs {
			return nil, badRequest("message can't be edited")
		}
		return nil, badRequest("message to edit not found")
	}
	return p, nil
}

func (s *Server) edited(p *post) any {
	p.edits++
	p.edited = time.Now()
	s.notify()
	return p.message()
}

// sendChatAction implements the section of that name.
func (s *Server) sendChatAction(args values) (any, error) {
	if !slices.Contains([]string{"typing", "upload_document", "upload_photo"}, args.text["action"]) {
		return nil, badRequest("wrong parameter action in request")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	chat, err := s.chat(args)
	if err != nil {
		return nil, err
	}
	s.typed[chat]++
	s.notify()
	return true, nil
}

// answerCallbackQuery implements the section of that name.
func (s *Server) answerCallbackQuery(args values) (any, error) {
	id := args.text["callback_query_id"]
	s.mu.Lock()
	defer s.mu.Unlock()
	who, ok := s.presses[id]
	if !ok {
		return nil, badRequest("query is too old and response timeout expired or query ID is invalid")
	}
	if units(args.text["text"]) > 200 {
		return nil, badRequest("MESSAGE_TOO_LONG")
	}
	delete(s.presses, id)
	s.answers[who] = append(s.answers[who], args.text["text"])
	s.notify()
	return true, nil
}

// deleteWebhook implements the section of that name.
func (s *Server) deleteWebhook(values) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.webhook = ""
	return true, nil
}

func (s *Server) getWebhookInfo(values) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return map[string]any{"url": s.webhook, "has_custom_certificate": false, "pending_update_count": len(s.updates)}, nil
}

// getFile implements section "getFile".
func (s *Server) getFile(args values) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.files[args.text["file_id"]]
	switch {
	case !ok:
		return nil, badRequest("wrong file_id or the file is temporarily unavailable")
	case f.claims > mostDownload:
		return nil, badRequest("file is too big")
	}
	return map[string]any{"file_id": f.id, "file_unique_id": "u" + f.id, "file_size": f.claims, "file_path": f.path}, nil
}

// addFile assigns an ID and a path to a file. The caller holds the lock.
func (s *Server) addFile(f *file, folder string) {
	f.id = fmt.Sprintf("BQACAgUAAxkBAAI%04d", len(s.files)+1)
	f.path = fmt.Sprintf("%s/file_%d", folder, len(s.files)+1)
	s.files[f.id] = f
}

// document returns the file as a Document.
func (f *file) document() map[string]any {
	return map[string]any{"file_id": f.id, "file_unique_id": "u" + f.id, "file_name": f.name, "mime_type": f.kind, "file_size": f.claims}
}

// download serves a file's content: section "File".
func (s *Server) download(w http.ResponseWriter, r *http.Request, path string) {
	token, path, _ := strings.Cut(path, "/")
	if f, ok := s.nextFailure("download"); ok {
		http.Error(w, f.Description, f.Code)
		return
	}
	s.mu.Lock()
	var data []byte
	found := false
	for _, f := range s.files {
		if f.path == path && token == s.token {
			data, found = f.data, true
		}
	}
	s.mu.Unlock()
	if !found {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(data) // an early disconnect is no error
}
