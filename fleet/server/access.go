package server

import (
	"encoding/base64"
	"reflect"
	"sync"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/nidoit/blunux-ai/fleet"
)

// access decides who may connect, and to which subjects. Every connection proves the possession of its key by signing
// the server's nonce. A key that is in no list may only ask to be paired.
type access struct {
	machines *registry
	leaves   *registry // nil at a leaf server
	own      string    // the key with all rights: the console's at a hub, its own at a leaf server
	nats     *natsserver.Server

	mu     sync.Mutex
	linked map[uint64]link // connections of leaf servers, by their ids
}

// link is what the connection of a leaf server was given. NATS reads permissions only when a connection begins.
type link struct {
	key         string
	permissions *natsserver.Permissions
	at          time.Time
}

// Check implements [natsserver.Authentication].
func (a *access) Check(c natsserver.ClientAuthentication) bool {
	o := c.GetOpts()
	if !proves(o.Nkey, o.Sig, c.GetNonce()) {
		return false
	}
	var permissions *natsserver.Permissions
	switch c.Kind() {
	case natsserver.CLIENT:
		permissions = a.permissions(o.Nkey)
	case natsserver.LEAF:
		if permissions = a.linkPermissions(o.Nkey); permissions == nil {
			return false
		}
		a.note(c.GetID(), link{o.Nkey, permissions, time.Now()})
	default:
		return false
	}
	c.RegisterUser(&natsserver.User{Username: o.Nkey, Permissions: permissions})
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
	if key == a.own {
		return nil
	}
	inbox := fleet.Inbox(key) + ".>"
	if e, ok := a.machines.byKey(key); ok {
		return allow(machineSubjects(e), []string{inbox})
	}
	if a.leaves != nil {
		if _, ok := a.leaves.byKey(key); ok {
			p := allow(
				[]string{fleet.LeafSubject(key, leafSite), fleet.LeafSubject(key, leafPair)},
				[]string{fleet.SiteSubject(key), inbox},
			)
			p.Response = &natsserver.ResponsePermission{MaxMsgs: 1, Expires: updateTime}
			return p
		}
	}
	return allow([]string{fleet.PairSubject(key)}, []string{fleet.PairedSubject(key), inbox})
}

func allow(publish, subscribe []string) *natsserver.Permissions {
	return &natsserver.Permissions{
		Publish:   &natsserver.SubjectPermission{Allow: publish},
		Subscribe: &natsserver.SubjectPermission{Allow: subscribe},
	}
}

// machineSubjects returns what a machine may publish.
func machineSubjects(e Entry) []string {
	queue := fleet.Requests + "." + e.Consumer()
	return []string{
		e.Subject(fleet.Answered), e.Subject(fleet.Happened), e.Subject(fleet.Heartbeat),
		"$JS.API.CONSUMER.MSG.NEXT." + queue, "$JS.API.CONSUMER.INFO." + queue, "$JS.ACK." + queue + ".>",
	}
}

// linkPermissions returns what a leaf server may pass on: what the machines that were paired through it may send, and
// replies to them. The machines are listed, because a wildcard cannot be a part of the token SITE_NAME. It returns nil
// for a key that is no leaf server's.
func (a *access) linkPermissions(key string) *natsserver.Permissions {
	if a.leaves == nil {
		return nil
	}
	leaf, ok := a.leaves.byKey(key)
	if !ok {
		return nil
	}
	// Without machines there must be something in the lists: NATS takes an empty list for everything.
	publish, subscribe := []string{fleet.LeafSubject(key, "link")}, []string{fleet.Inbox(key) + ".>"}
	for _, e := range a.machines.behind(leaf.Site) {
		publish = append(publish, machineSubjects(e)...)
		subscribe = append(subscribe, fleet.Inbox(e.Key)+".>")
	}
	return allow(publish, subscribe)
}

// linkTime is how long a connection takes at most from its check to its registration.
const linkTime = time.Second

func (a *access) note(id uint64, l link) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, l := range a.linked {
		if a.nats.GetLeafNode(id) == nil && time.Since(l.at) > linkTime {
			delete(a.linked, id)
		}
	}
	a.linked[id] = l
}

// cut ends the connections of leaf servers whose permissions are others now. They come back with the new ones.
func (a *access) cut() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, l := range a.linked {
		if now := a.linkPermissions(l.key); now == nil || !reflect.DeepEqual(now, l.permissions) {
			_ = a.nats.DisconnectClientByID(id) // it may be gone
		}
	}
}

// disconnect ends the connections of clients whose key fits.
func disconnect(s *natsserver.Server, fits func(key string) bool) error {
	all, err := s.Connz(&natsserver.ConnzOptions{Username: true, Limit: 10_000})
	if err != nil {
		return err
	}
	for _, c := range all.Conns {
		if fits(c.AuthorizedUser) {
			_ = s.DisconnectClientByID(c.Cid) // it may be gone
		}
	}
	return nil
}
