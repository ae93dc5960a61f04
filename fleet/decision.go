package fleet

import (
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nkeys"
)

// Decision is a console's yes or no to one plan of one machine. Signature is the console's Ed25519 signature (an
// nkey's) over [Decision.text], so that no server between console and machine can change, repeat or redirect it.
type Decision struct {
	Machine string    `json:"machine"` // the machine's public nkey
	Code    string    `json:"code"`
	Digest  string    `json:"digest"`
	Yes     bool      `json:"yes"`
	Expires time.Time `json:"expires"`
	Nonce   string    `json:"nonce"` // used once
	Key     string    `json:"key"`   // the console's public nkey
	// Signature is of the other fields.
	Signature []byte `json:"signature"`
}

// MaxDecision is how long a decision is valid, so that a server that keeps one back cannot use it much later. It bounds
// the difference of the clocks as well.
const MaxDecision = 15 * time.Minute

// The errors of a decision that does not count.
var (
	ErrOtherMachine = errors.New("the decision is for another machine")
	ErrExpired      = errors.New("it has expired, or the clocks of console and machine differ")
	ErrUnknownKey   = errors.New("the console is not one that this machine was paired with")
	ErrForged       = errors.New("the signature does not hold")
	ErrMalformed    = errors.New("the decision is incomplete")
)

// text returns what is signed: a version and the fields, one on each line. A field with a line break is
// [ErrMalformed].
func (d Decision) text() ([]byte, error) {
	action := "no"
	if d.Yes {
		action = "yes"
	}
	fields := []string{
		"blunux-fleet decision 1",
		d.Machine,
		d.Code,
		d.Digest,
		action,
		d.Expires.UTC().Format(time.RFC3339Nano),
		d.Nonce,
		d.Key,
	}
	for _, f := range fields {
		if f == "" || strings.ContainsAny(f, "\r\n\x00") {
			return nil, ErrMalformed
		}
	}
	return []byte(strings.Join(fields, "\n")), nil
}

// Sign signs the decision with a console's key.
func (d *Decision) Sign(key nkeys.KeyPair) error {
	public, err := key.PublicKey()
	if err != nil {
		return fmt.Errorf("cannot sign a decision: %w", err)
	}
	d.Key = public
	text, err := d.text()
	if err == nil {
		d.Signature, err = key.Sign(text)
	}
	if err != nil {
		return fmt.Errorf("cannot sign a decision: %w", err)
	}
	return nil
}

// Verify reports why a decision does not count on the machine with this public key, which was paired with these
// consoles. The caller compares the digest with that of its own plan, and refuses a nonce that it has seen.
func (d Decision) Verify(machine string, consoles []string, now time.Time) error {
	text, err := d.text()
	switch {
	case err != nil:
		return err
	case d.Machine != machine:
		return ErrOtherMachine
	case !contains(consoles, d.Key):
		return ErrUnknownKey
	}
	key, err := nkeys.FromPublicKey(d.Key)
	if err != nil || key.Verify(text, d.Signature) != nil {
		return ErrForged
	}
	if !now.Before(d.Expires) || d.Expires.After(now.Add(MaxDecision)) {
		return ErrExpired
	}
	return nil
}

// text returns what is signed of a request, for one machine. The words of people may have line breaks, so their sum is
// signed.
func (r Request) text(machine string) ([]byte, error) {
	if r.ID == "" || machine == "" || strings.ContainsAny(r.ID+r.Lang+machine, "\r\n\x00") {
		return nil, ErrMalformed
	}
	said := sha256.Sum256([]byte(r.Console + "\x00" + r.Text))
	fields := []string{
		"blunux-fleet question 1",
		machine,
		r.ID,
		r.Lang,
		r.Sent.UTC().Format(time.RFC3339Nano),
		r.Key,
		fmt.Sprintf("%x", said),
	}
	return []byte(strings.Join(fields, "\n")), nil
}

// SignRequest signs the request for a machine with a console's key. Its decision is signed separately.
func (id *Identity) SignRequest(r *Request, machine string) error {
	r.Key = id.Public
	text, err := r.text(machine)
	if err == nil {
		r.Signature, err = id.key.Sign(text)
	}
	if err != nil {
		return fmt.Errorf("cannot sign a request: %w", err)
	}
	return nil
}

// Verify reports why a request does not count on the machine with this public key, which was paired with these
// consoles. It may arrive late, up to [KeepFor], and again: the daemon knows its id.
func (r Request) Verify(machine string, consoles []string, now time.Time) error {
	text, err := r.text(machine)
	switch {
	case err != nil:
		return err
	case !contains(consoles, r.Key):
		return ErrUnknownKey
	}
	key, err := nkeys.FromPublicKey(r.Key)
	if err != nil || key.Verify(text, r.Signature) != nil {
		return ErrForged
	}
	if r.Sent.Before(now.Add(-KeepFor)) || r.Sent.After(now.Add(MaxDecision)) {
		return ErrExpired
	}
	return nil
}

func contains(all []string, s string) bool {
	for _, a := range all {
		if a == s {
			return true
		}
	}
	return false
}

// PairingCode returns the code that the server and the machine show while they are paired. It depends on the
// certificate that the machine sees, on the machine's key and on the console's, so that the codes differ if anybody is
// between them. 60 bits: finding keys with the same code takes longer than a pairing can wait.
func PairingCode(certificate [32]byte, machine, console string) string {
	return codeOf(fmt.Sprintf("blunux-fleet pairing 1\n%x\n%s\n%s", certificate, machine, console))
}

// LeafCode returns the code that the hub and a leaf server show while they are paired. It depends on the certificate
// that the leaf server shows to its machines, too: the hub computes their codes with it.
func LeafCode(certificate [32]byte, leaf, console, shown string) string {
	return codeOf(fmt.Sprintf("blunux-fleet leaf 1\n%x\n%s\n%s\n%s", certificate, leaf, console, shown))
}

func codeOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	code := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:])[:12]
	return code[:4] + "-" + code[4:8] + "-" + code[8:]
}
