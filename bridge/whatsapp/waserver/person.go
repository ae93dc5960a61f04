package waserver

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"go.mau.fi/libsignal/ecc"
	"go.mau.fi/libsignal/keys/identity"
	"go.mau.fi/libsignal/keys/prekey"
	"go.mau.fi/libsignal/protocol"
	"go.mau.fi/libsignal/session"
	"go.mau.fi/libsignal/util/optional"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/util/keys"
	"google.golang.org/protobuf/proto"
)

// person is a person with a phone.
type person struct {
	number, lid, name string
	// byLID reports that the server uses the person's hidden ID as sender, as it does for people
	// who are not in the account's address book.
	byLID bool
	// nameless reports that the server does not reveal the person's number.
	nameless bool

	device *store.Device
	keep   *signalStore
	order  []string // IDs of the messages shown
	shown  map[string]*shownMessage
	typed  int
}

func newPerson(number, lid, name string, byLID bool) *person {
	p := &person{number: number, lid: lid, name: name, byLID: byLID, keep: newSignalStore(), shown: map[string]*shownMessage{}}
	p.device = &store.Device{IdentityKey: keys.NewKeyPair(), RegistrationID: 1 + uint32(len(number))}
	p.device.SignedPreKey = p.device.IdentityKey.CreateSignedPreKey(1)
	p.device.SetAllStores(p.keep)
	return p
}

func (p *person) jid() types.JID    { return types.NewJID(p.number, types.DefaultUserServer) }
func (p *person) hidden() types.JID { return types.NewJID(p.lid, types.HiddenUserServer) }

// hasJID reports whether a JID belongs to the person.
func (p *person) hasJID(j types.JID) bool {
	return j.Server == types.DefaultUserServer && j.User == p.number || j.Server == types.HiddenUserServer && j.User == p.lid
}

// bridgeAddress is the bridge's device in the stores of phones.
var bridgeAddress = protocol.NewSignalAddress("bridge", 1)

func (p *person) cipher() *session.Cipher {
	return session.NewCipher(session.NewBuilderFromSignal(p.device, bridgeAddress, store.SignalProtobufSerializer), bridgeAddress)
}

// encrypt returns the node of a message for the bridge's device.
func (p *person) encrypt(ctx context.Context, to *companion, m *waE2E.Message) (waBinary.Node, error) {
	known, err := p.device.ContainsSession(ctx, bridgeAddress)
	if err != nil {
		return waBinary.Node{}, err
	}
	if !known {
		builder := session.NewBuilderFromSignal(p.device, bridgeAddress, store.SignalProtobufSerializer)
		if err := builder.ProcessBundle(ctx, to.bundle()); err != nil {
			return waBinary.Node{}, fmt.Errorf("cannot begin a session with the bridge: %w", err)
		}
	}
	plain, err := proto.Marshal(m)
	if err != nil {
		return waBinary.Node{}, err
	}
	sealed, err := p.cipher().Encrypt(ctx, append(plain, 1))
	if err != nil {
		return waBinary.Node{}, err
	}
	kind := "msg"
	if sealed.Type() == protocol.PREKEY_TYPE {
		kind = "pkmsg"
	}
	return waBinary.Node{Tag: "enc", Attrs: waBinary.Attrs{"v": "2", "type": kind}, Content: sealed.Serialize()}, nil
}

// decrypt decrypts a message from the bridge to this phone.
func (p *person) decrypt(ctx context.Context, enc waBinary.Node) (*waE2E.Message, error) {
	sealed, ok := enc.Content.([]byte)
	if !ok {
		return nil, errors.New("empty message")
	}
	plain, err := p.open(ctx, enc.Attrs["type"], sealed)
	if err != nil {
		return nil, err
	}
	if len(plain) == 0 || int(plain[len(plain)-1]) > len(plain) {
		return nil, errors.New("wrong padding")
	}
	var m waE2E.Message
	return &m, proto.Unmarshal(plain[:len(plain)-int(plain[len(plain)-1])], &m)
}

func (p *person) open(ctx context.Context, kind any, sealed []byte) ([]byte, error) {
	s := store.SignalProtobufSerializer
	if kind == "pkmsg" {
		m, err := protocol.NewPreKeySignalMessageFromBytes(sealed, s.PreKeySignalMessage, s.SignalMessage)
		if err != nil {
			return nil, err
		}
		return p.cipher().DecryptMessage(ctx, m)
	}
	m, err := protocol.NewSignalMessageFromBytes(sealed, s.SignalMessage)
	if err != nil {
		return nil, err
	}
	return p.cipher().Decrypt(ctx, m)
}

// bundle returns the node with this phone's keys for a new conversation.
func (p *person) bundle(ctx context.Context, asked types.JID) (waBinary.Node, error) {
	key, err := p.keep.GenOnePreKey(ctx)
	if err != nil {
		return waBinary.Node{}, err
	}
	signed := keyNode("skey", p.device.SignedPreKey.KeyID, p.device.SignedPreKey.Pub[:])
	signed.Content = append(signed.GetChildren(), waBinary.Node{Tag: "signature", Content: p.device.SignedPreKey.Signature[:]})
	return waBinary.Node{Tag: "user", Attrs: waBinary.Attrs{"jid": asked}, Content: []waBinary.Node{
		{Tag: "registration", Content: binary.BigEndian.AppendUint32(nil, p.device.RegistrationID)},
		{Tag: "type", Content: []byte{ecc.DjbType}},
		{Tag: "identity", Content: p.device.IdentityKey.Pub[:]},
		keyNode("key", key.KeyID, key.Pub[:]),
		signed,
	}}, nil
}

func keyNode(tag string, id uint32, pub []byte) waBinary.Node {
	return waBinary.Node{Tag: tag, Content: []waBinary.Node{
		{Tag: "id", Content: binary.BigEndian.AppendUint32(nil, id)[1:]},
		{Tag: "value", Content: pub},
	}}
}

// companion is the bridge's device as known to the server.
type companion struct {
	device   uint16
	noise    []byte // the static key it connects with
	identity []byte
	regID    uint32
	signedID uint32
	signed   []byte
	signedBy []byte // the signature of the signed key
	oneTime  []oneTimeKey
}

type oneTimeKey struct {
	id  uint32
	pub []byte
}

// bundle takes one of the device's one-time keys.
func (c *companion) bundle() *prekey.Bundle {
	var id *optional.Uint32
	var pub ecc.ECPublicKeyable
	if len(c.oneTime) > 0 {
		k := c.oneTime[0]
		c.oneTime = c.oneTime[1:]
		id, pub = optional.NewOptionalUint32(k.id), ecc.NewDjbECPublicKey([32]byte(k.pub))
	} else {
		id = optional.NewEmptyUint32()
	}
	return prekey.NewBundle(c.regID, uint32(c.device), id, c.signedID, pub, ecc.NewDjbECPublicKey([32]byte(c.signed)),
		[64]byte(c.signedBy), identity.NewKey(ecc.NewDjbECPublicKey([32]byte(c.identity))))
}

// storeKeys stores the keys that a device uploads.
func (c *companion) storeKeys(n *waBinary.Node) {
	list := n.GetChildByTag("list")
	for _, k := range list.GetChildren() {
		id, _ := k.GetChildByTag("id").Content.([]byte)
		pub, _ := k.GetChildByTag("value").Content.([]byte)
		if len(id) == 3 && len(pub) == 32 {
			c.oneTime = append(c.oneTime, oneTimeKey{id: binary.BigEndian.Uint32(append([]byte{0}, id...)), pub: pub})
		}
	}
}
