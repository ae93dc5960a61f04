package server

import (
	"encoding/base64"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/nidoit/blunux-ai/fleet"
)

// access decides who may connect, and to which subjects. Every connection proves the possession of its key by signing
// the server's nonce. A key that is in no list may only ask to be paired.
type access struct {
	machines *registry
	console  string // the console's public key
}

// Check implements [natsserver.Authentication].
func (a *access) Check(c natsserver.ClientAuthentication) bool {
	o := c.GetOpts()
	if c.Kind() != natsserver.CLIENT || !proves(o.Nkey, o.Sig, c.GetNonce()) {
		return false
	}
	c.RegisterUser(&natsserver.User{Username: o.Nkey, Permissions: a.permissions(o.Nkey)})
	return true
}

// proves reports whether a signature of a nonce is by a user's nkey.
func proves(key, signature string, nonce []byte) bool {
	public, err := nkeys.FromPublicKey(key)
	if err != nil || !nkeys.IsValidPublicUserKey(key) {
		return false
	}
	sig, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil {
		if sig, err = base64.StdEncoding.DecodeString(signature); err != nil {
			return false
		}
	}
	return public.Verify(nonce, sig) == nil
}

// permissions returns what a key may publish and subscribe to; nil is everything.
func (a *access) permissions(key string) *natsserver.Permissions {
	if key == a.console {
		return nil
	}
	allow := func(publish, subscribe []string) *natsserver.Permissions {
		return &natsserver.Permissions{
			Publish:   &natsserver.SubjectPermission{Allow: publish},
			Subscribe: &natsserver.SubjectPermission{Allow: append(subscribe, fleet.Inbox(key)+".>")},
		}
	}
	e, ok := a.machines.byKey(key)
	if !ok {
		return allow([]string{fleet.PairSubject(key)}, []string{fleet.PairedSubject(key)})
	}
	queue := fleet.Requests + "." + e.Consumer()
	return allow([]string{
		e.Subject(fleet.Answered), e.Subject(fleet.Happened), e.Subject(fleet.Heartbeat),
		"$JS.API.CONSUMER.MSG.NEXT." + queue, "$JS.API.CONSUMER.INFO." + queue, "$JS.ACK." + queue + ".>",
	}, nil)
}
