package gemini

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"net/http"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// maxParts bounds the separate parts of one answer. A model that writes more is malfunctioning.
const maxParts = 512

// assembly builds one message from its parts.
type assembly struct {
	vendor string
	count  func(int) error // enforces the size limit of the answer
	onText func(string)

	pieces        []piece
	usage         providers.Usage
	counted       bool // usage is known
	finish        string
	finishMessage string
	finished      bool
}

// piece is one part under construction. Consecutive text parts are merged until one has a signature, which
// stays separate.
type piece struct {
	kind      pieceKind
	text      bytes.Buffer
	signature string
	call      *functionCall
	raw       json.RawMessage
}

type pieceKind int

const (
	pieceText pieceKind = iota
	pieceThought
	pieceCall
	pieceOther // kept unchanged
)

// add adds one part.
func (a *assembly) add(raw json.RawMessage) error {
	if err := a.count(len(raw)); err != nil {
		return err
	}
	var p part
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	switch {
	case p.FunctionCall != nil:
		return a.addPiece(piece{kind: pieceCall, call: p.FunctionCall, signature: p.Signature})
	case p.Text == nil && !p.Thought && p.Signature == "":
		return a.addPiece(piece{kind: pieceOther, raw: raw})
	}
	kind, text := pieceText, ""
	if p.Thought {
		kind = pieceThought
	}
	if p.Text != nil {
		text = *p.Text
	}
	if err := a.appendText(kind, text, p.Signature); err != nil {
		return err
	}
	if kind == pieceText && text != "" {
		a.onText(text)
	}
	return nil
}

// appendText appends text to the piece it continues, or begins one. Text with a signature is never merged. A
// thought takes the signature that ends it.
func (a *assembly) appendText(kind pieceKind, text, signature string) error {
	last := len(a.pieces) - 1
	joins := last >= 0 && a.pieces[last].kind == kind && a.pieces[last].signature == ""
	if joins && (signature == "" || kind == pieceThought) {
		a.pieces[last].text.WriteString(text)
		a.pieces[last].signature = signature
		return nil
	}
	if text == "" && signature == "" {
		return nil
	}
	next := piece{kind: kind, signature: signature}
	next.text.WriteString(text)
	return a.addPiece(next)
}

func (a *assembly) addPiece(p piece) error {
	if len(a.pieces) >= maxParts {
		return transport.ErrProtocol("more than %d parts in one answer", maxParts)
	}
	a.pieces = append(a.pieces, p)
	return nil
}

// Completion implements [transport.Answer]. It translates the finished message.
func (a *assembly) Completion(call *transport.Call) (providers.Completion, error) {
	done := providers.Completion{Usage: a.usage}
	switch {
	case isInvalidCall(a.finish):
		return done, call.Empty("the model wrote an invalid tool call (" + a.finish + ")")
	case a.finish == "MISSING_THOUGHT_SIGNATURE":
		return done, call.Error(http.StatusBadRequest, "a thought signature is missing: "+a.finishMessage)
	}
	said := false
	used := map[string]bool{}
	for i := range a.pieces {
		blocks, err := a.pieces[i].blocks(a.vendor, used)
		if err != nil {
			return done, err
		}
		for _, b := range blocks {
			said = said || b.Type != providers.BlockOpaque
		}
		done.Content = append(done.Content, blocks...)
	}
	done.Stop = stopReason(a.finish, len(used) > 0)
	if !said && done.Stop != providers.StopRefusal {
		return done, call.NoContent(done.Stop)
	}
	return done, nil
}

// blocks returns the piece as content, with its signature before it. used holds the ids of the message's calls.
func (p *piece) blocks(vendor string, used map[string]bool) ([]providers.Block, error) {
	o := opaque{Vendor: vendor, Signature: p.signature}
	var own []providers.Block
	switch p.kind {
	case pieceOther:
		o.Part = p.raw
	case pieceThought:
		text := p.text.String()
		raw, err := transport.EncodeJSON(part{Text: &text, Thought: true, Signature: p.signature})
		if err != nil {
			return nil, err
		}
		o.Part, o.Signature = raw, ""
	case pieceCall:
		if p.call.Name == "" {
			return nil, nil // cannot be run or answered
		}
		use := toolUse(p.call, used)
		o.ToolCallID, own = use.ID, []providers.Block{use}
	default:
		if p.text.Len() > 0 {
			own = []providers.Block{providers.Text(p.text.String())}
			break
		}
		empty := textPart("") // a part that only carries the signature
		empty.Signature, o.Signature = p.signature, ""
		raw, err := transport.EncodeJSON(empty)
		if err != nil {
			return nil, err
		}
		o.Part = raw
	}
	if o.Part == nil && o.Signature == "" {
		return own, nil
	}
	b, err := o.block()
	return append([]providers.Block{b}, own...), err
}

func toolUse(c *functionCall, used map[string]bool) providers.Block {
	id := c.ID
	if id == "" || used[id] {
		id = "call_" + rand.Text()[:16] // older models send no id
	}
	used[id] = true
	return providers.Block{Type: providers.BlockToolUse, ID: id, Name: c.Name, Input: providers.ToolInput(argumentsOf(c.Args))}
}

// argumentsOf returns the text of an args field: an object by the format, a string that contains the object
// from some proxies.
func argumentsOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(bytes.TrimSpace(raw))
}
