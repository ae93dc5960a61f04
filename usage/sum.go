package usage

import "strings"

// Sum is what a number of requests took.
type Sum struct {
	Requests int64
	Unpriced int64 // how many of them nobody knows the price of
	In       int64 // tokens, the cached ones among them
	Out      int64
	Cached   int64
	Cost     Money // of those whose price is known
}

// Plus returns the sum of two.
func (s Sum) Plus(t Sum) Sum {
	return Sum{s.Requests + t.Requests, s.Unpriced + t.Unpriced, s.In + t.In, s.Out + t.Out, s.Cached + t.Cached, s.Cost + t.Cost}
}

// Tokens are all tokens, in and out.
func (s Sum) Tokens() int64 { return s.In + s.Out }

// Key is what requests are told apart by once they are summed up.
type Key struct {
	Provider   string `json:"provider"`
	Model      string `json:"model,omitempty"`
	Session    string `json:"session,omitempty"`
	Channel    string `json:"channel,omitempty"`
	Automation string `json:"automation,omitempty"`
	Summary    bool   `json:"summary,omitempty"` // it put a conversation in short
	Free       bool   `json:"free,omitempty"`    // by who answers it cost nothing
}

// maxName bounds each text of a key, in bytes: peers choose some of them.
const maxName = 128

// bounded returns the key with texts that fit.
func (k Key) bounded() Key {
	for _, s := range []*string{&k.Provider, &k.Model, &k.Session, &k.Channel, &k.Automation} {
		if len(*s) > maxName {
			*s = strings.ToValidUTF8((*s)[:maxName], "") + "…"
		}
	}
	return k
}

// withoutSession is the key of a sum over all conversations.
func (k Key) withoutSession() Key {
	k.Session = ""
	return k
}

// plain is the key of a sum of which only who answered is kept.
func (k Key) plain() Key { return Key{Provider: k.Provider, Model: k.Model, Free: k.Free} }

// By names what the rows of a table stand for.
type By string

// What rows can stand for.
const (
	ByDay        By = "day"
	ByProvider   By = "provider"
	ByModel      By = "model"
	BySession    By = "session"
	ByChannel    By = "channel"
	ByAutomation By = "automation"
)

// Bys are all of them, in the order a person is told.
func Bys() []By { return []By{ByDay, ByProvider, ByModel, BySession, ByChannel, ByAutomation} }

// of is the name of the row that a sum belongs to; "" where it has none, as a
// sum of old days has no conversation.
func (b By) of(day string, k Key) string {
	switch b {
	case ByProvider:
		return k.Provider
	case ByModel:
		return strings.TrimSuffix(k.Provider+"/"+k.Model, "/")
	case BySession:
		return k.Session
	case ByChannel:
		return k.Channel
	case ByAutomation:
		return k.Automation
	}
	return day
}
