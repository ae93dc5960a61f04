package ipc

import "time"

// The actions on allowed remote senders. Bridges use the first, for their own channel. The others are for local
// clients.
const (
	ActionPairingAsk     = "pairing_ask"
	ActionPairingApprove = "pairing_approve"
	ActionPairingDeny    = "pairing_deny"
	ActionPairingRemove  = "pairing_remove"
)

// PairingChange is the data of a pairing action: Code for approve and deny, Sender for ask and remove, Channel for
// remove, Name for ask.
type PairingChange struct {
	Code    string `json:"code,omitempty"`
	Channel string `json:"channel,omitempty"`
	Sender  string `json:"sender,omitempty"`
	Name    string `json:"name,omitempty"` // the sender's display name
}

// Admission answers pairing_ask. An unknown sender is only sent the code, if there is one.
type Admission struct {
	Admitted bool       `json:"admitted"`
	Code     string     `json:"code,omitempty"` // to send to the sender, once
	Expires  *time.Time `json:"expires,omitempty"`
}

// Pairing is an open request (with a Code) or an allowed sender.
type Pairing struct {
	Channel string     `json:"channel"`
	Sender  string     `json:"sender"`
	Name    string     `json:"name,omitempty"`
	Code    string     `json:"code,omitempty"`
	Since   time.Time  `json:"since"`
	Expires *time.Time `json:"expires,omitempty"` // of a code
	// Configured reports that the configuration allows the sender, so pairing_remove has no effect.
	Configured bool `json:"configured,omitempty"`
}

// PairingList is the data of the result of the query "pairing".
type PairingList struct {
	Waiting []Pairing `json:"waiting"`
	Paired  []Pairing `json:"paired"`
}
