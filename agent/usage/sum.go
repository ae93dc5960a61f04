package usage

import "strings"

// Sum is the total of a number of requests.
type Sum struct {
	Requests int64
	Unpriced int64 // number of requests with unknown price
	In       int64 // tokens, including cached ones
	Out      int64
	Cached   int64
	Cost     Money // of requests with known price
}

// Add returns the sum of both.
func (s Sum) Add(t Sum) Sum {
	return Sum{s.Requests + t.Requests, s.Unpriced + t.Unpriced, s.In + t.In, s.Out + t.Out, s.Cached + t.Cached, s.Cost + t.Cost}
}

// Tokens returns the number of input and output tokens.
func (s Sum) Tokens() int64 { return s.In + s.Out }

// Key has the attributes by which sums are grouped.
type Key struct {
	Provider   string `json:"provider"`
	Model      string `json:"model,omitempty"`
	Session    string `json:"session,omitempty"`
	Channel    string `json:"channel,omitempty"`
	Automation string `json:"automation,omitempty"`
	Summary    bool   `json:"summary,omitempty"` // the request summarized a conversation
	Free       bool   `json:"free,omitempty"`    // the provider is free
}

// maxName bounds each text of a key in bytes, because clients choose some of them.
const maxName = 128

// truncated returns the key with texts cut to maxName.
func (k Key) truncated() Key {
	for _, s := range []*string{&k.Provider, &k.Model, &k.Session, &k.Channel, &k.Automation} {
		if len(*s) > maxName {
			*s = strings.ToValidUTF8((*s)[:maxName], "") + "…"
		}
	}
	return k
}

// withoutSession returns the key without the conversation.
func (k Key) withoutSession() Key {
	k.Session = ""
	return k
}

// modelOnly returns the key reduced to provider and model.
func (k Key) modelOnly() Key { return Key{Provider: k.Provider, Model: k.Model, Free: k.Free} }

// Grouping names the attribute by which rows are grouped.
type Grouping string

// The attributes.
const (
	ByDay        Grouping = "day"
	ByProvider   Grouping = "provider"
	ByModel      Grouping = "model"
	BySession    Grouping = "session"
	ByChannel    Grouping = "channel"
	ByAutomation Grouping = "automation"
)

// Groupings returns all attributes in the order in which they are shown.
func Groupings() []Grouping {
	return []Grouping{ByDay, ByProvider, ByModel, BySession, ByChannel, ByAutomation}
}

// rowName returns the name of the row to which a sum belongs, "" if it has none, such as the conversation of old
// days.
func (b Grouping) rowName(day string, k Key) string {
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
