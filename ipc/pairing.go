package ipc

import "time"

// The actions on who may write from afar. The first is a bridge's, of its own
// channel; the others are for clients at the machine.
const (
	ActionPairingAsk     = "pairing_ask"
	ActionPairingApprove = "pairing_approve"
	ActionPairingDeny    = "pairing_deny"
	ActionPairingRemove  = "pairing_remove"
)

// PairingChange is the data of an action on who may write: Code of approve and
// deny, Sender of ask and remove, Channel of remove, Name of ask.
type PairingChange struct {
	Code    string `json:"code,omitempty"`
	Channel string `json:"channel,omitempty"`
	Sender  string `json:"sender,omitempty"`
	Name    string `json:"name,omitempty"` // what the channel calls the sender
}

// Admission answers pairing_ask. An unknown sender is told nothing but the
// code, and that only where there is one.
type Admission struct {
	Admitted bool       `json:"admitted"`
	Code     string     `json:"code,omitempty"` // to be shown to the sender, once
	Expires  *time.Time `json:"expires,omitempty"`
}

// Pairing is a sender who waits to be let in (with a Code), or was.
type Pairing struct {
	Channel string     `json:"channel"`
	Sender  string     `json:"sender"`
	Name    string     `json:"name,omitempty"`
	Code    string     `json:"code,omitempty"`
	Since   time.Time  `json:"since"`
	Expires *time.Time `json:"expires,omitempty"` // of a code
	// Configured says that the configuration names the sender; pairing_remove does
	// not change that.
	Configured bool `json:"configured,omitempty"`
}

// PairingList is the data of the result of the query "pairing".
type PairingList struct {
	Waiting []Pairing `json:"waiting"`
	Paired  []Pairing `json:"paired"`
}
