package waserver

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"go.mau.fi/whatsmeow"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/proto/waAdv"
	"go.mau.fi/whatsmeow/proto/waWa6"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/util/keys"
	"golang.org/x/crypto/curve25519"
	"google.golang.org/protobuf/proto"
)

// codePairing is a pairing by code in progress.
type codePairing struct {
	conn    *conn
	wrapped []byte // the device's ephemeral key, encrypted with the code
	key     *keys.KeyPair
	shared  []byte
	done    chan error
}

// Scan makes the account's phone scan a QR code.
func (s *Server) Scan(code string) { s.scannedCodes <- code }

// servePairing serves the connection of an unlinked device.
func (s *Server) servePairing(c *conn, static []byte, d *waWa6.ClientPayload_DevicePairingRegistrationData) error {
	refs := make([]waBinary.Node, 6)
	for i := range refs {
		refs[i] = waBinary.Node{Tag: "ref", Content: fmt.Appendf(nil, "2@%0120d", i)}
	}
	c.send(waBinary.Node{
		Tag: "iq", Attrs: waBinary.Attrs{"from": types.ServerJID, "type": "set", "id": "p1", "xmlns": "md"},
		Content: []waBinary.Node{{Tag: "pair-device", Content: refs}},
	})
	gone := make(chan struct{})
	defer close(gone)
	go func() {
		select {
		case code := <-s.scannedCodes:
			_ = s.linkScanned(c, static, d, code)
		case <-gone:
		}
	}()
	for {
		n, err := c.receive()
		if err != nil {
			return err
		}
		s.handlePairing(c, static, d, n)
	}
}

// handlePairing answers the nodes of an unlinked device.
func (s *Server) handlePairing(c *conn, static []byte, d *waWa6.ClientPayload_DevicePairingRegistrationData, n *waBinary.Node) {
	if _, ok := n.GetOptionalChildByTag("pair-device-sign"); ok {
		c.send(waBinary.Node{Tag: "stream:error", Attrs: waBinary.Attrs{"code": "515"}})
		return
	}
	reg, ok := n.GetOptionalChildByTag("link_code_companion_reg")
	if !ok {
		return
	}
	answer := waBinary.Node{Tag: "iq", Attrs: waBinary.Attrs{"from": types.ServerJID, "type": "result", "id": n.Attrs["id"]}}
	switch reg.Attrs["stage"] {
	case "companion_hello":
		wrapped, _ := reg.GetChildByTag("link_code_pairing_wrapped_companion_ephemeral_pub").Content.([]byte)
		s.mu.Lock()
		s.linking = &codePairing{conn: c, wrapped: wrapped, done: make(chan error, 1)}
		s.notify()
		s.mu.Unlock()
		answer.Content = []waBinary.Node{{Tag: "link_code_companion_reg", Content: []waBinary.Node{{Tag: "link_code_pairing_ref", Content: []byte("ref")}}}}
		c.send(answer)
	case "companion_finish":
		c.send(answer)
		s.mu.Lock()
		l := s.linking
		s.mu.Unlock()
		bundle, _ := reg.GetChildByTag("link_code_pairing_wrapped_key_bundle").Content.([]byte)
		adv, err := s.finishPairing(l, d.GetEIdent(), bundle)
		if err == nil {
			err = s.link(c, static, d, adv)
		}
		l.done <- err
	}
}

// linkScanned links a device with the data of its QR code.
func (s *Server) linkScanned(c *conn, static []byte, d *waWa6.ClientPayload_DevicePairingRegistrationData, code string) error {
	_, data, _ := strings.Cut(code, "#")
	parts := strings.Split(data, ",")
	if len(parts) < 4 {
		return errors.New("not a device's QR code")
	}
	adv, err := base64.StdEncoding.DecodeString(parts[3])
	if err != nil {
		return err
	}
	return s.link(c, static, d, adv)
}

// link links a device to the account with the secret that it shares with the phone.
func (s *Server) link(c *conn, static []byte, d *waWa6.ClientPayload_DevicePairingRegistrationData, adv []byte) error {
	details, err := proto.Marshal(&waAdv.ADVDeviceIdentity{RawID: proto.Uint32(7), Timestamp: proto.Uint64(1700000000), KeyIndex: proto.Uint32(1)})
	if err != nil {
		return err
	}
	mine := s.account.device.IdentityKey
	signed, err := proto.Marshal(&waAdv.ADVSignedDeviceIdentity{
		Details: details, AccountSignatureKey: mine.Pub[:],
		AccountSignature: sign(mine, bytes.Join([][]byte{whatsmeow.AdvAccountSignaturePrefix, details, d.GetEIdent()}, nil)),
	})
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, adv)
	mac.Write(signed)
	container, err := proto.Marshal(&waAdv.ADVSignedDeviceIdentityHMAC{Details: signed, HMAC: mac.Sum(nil)})
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.registerDevice(static, d)
	jid, lid := s.ownJID(), s.ownLID()
	s.mu.Unlock()
	c.send(waBinary.Node{
		Tag: "iq", Attrs: waBinary.Attrs{"from": types.ServerJID, "type": "set", "id": "p2", "xmlns": "md"},
		Content: []waBinary.Node{{Tag: "pair-success", Content: []waBinary.Node{
			{Tag: "device-identity", Content: container},
			{Tag: "device", Attrs: waBinary.Attrs{"jid": jid, "lid": lid}},
			{Tag: "platform", Attrs: waBinary.Attrs{"name": "android"}},
		}}},
	})
	return nil
}

// registerDevice registers a device. Messages queued for the previous device are lost.
func (s *Server) registerDevice(static []byte, d *waWa6.ClientPayload_DevicePairingRegistrationData) {
	s.devices++
	s.removed = false
	s.companion = &companion{
		device: s.devices, noise: static, identity: d.GetEIdent(), regID: binary.BigEndian.Uint32(d.GetERegid()),
		signedID: binary.BigEndian.Uint32(append([]byte{0}, d.GetESkeyID()...)), signed: d.GetESkeyVal(), signedBy: d.GetESkeySig(),
	}
	s.resetSessions()
}

// resetSessions removes all sessions with the bridge's previous device.
func (s *Server) resetSessions() {
	s.queue = nil
	for _, p := range append([]*person{s.account}, s.people...) {
		p.keep.forget()
	}
}

// Enter types a pairing code into the account's phone, and returns when the device is linked.
func (s *Server) Enter(code string) error {
	s.mu.Lock()
	l := s.linking
	s.mu.Unlock()
	if l == nil {
		return errors.New("no device has requested a code")
	}
	code = strings.ReplaceAll(code, "-", "")
	theirs, err := codeCipher(code, l.wrapped)
	if err != nil {
		return err
	}
	l.key = keys.NewKeyPair()
	if l.shared, err = curve25519.X25519(l.key.Priv[:], theirs); err != nil {
		return err
	}
	wrapped := make([]byte, 80)
	_, _ = rand.Read(wrapped[:48])
	copy(wrapped[48:], l.key.Pub[:])
	locked, err := codeCipher(code, wrapped)
	if err != nil {
		return err
	}
	copy(wrapped[48:], locked)
	l.conn.send(waBinary.Node{
		Tag: "notification", Attrs: waBinary.Attrs{"from": types.ServerJID, "type": "link_code_companion_reg", "id": "n1", "t": "1"},
		Content: []waBinary.Node{{Tag: "link_code_companion_reg", Content: []waBinary.Node{
			{Tag: "link_code_pairing_ref", Content: []byte("ref")},
			{Tag: "link_code_pairing_wrapped_primary_ephemeral_pub", Content: wrapped},
			{Tag: "primary_identity_pub", Content: s.account.device.IdentityKey.Pub[:]},
		}}},
	})
	return <-l.done
}

// codeCipher encrypts or decrypts the key at the end of salt, IV and key with a code.
func codeCipher(code string, wrapped []byte) ([]byte, error) {
	if len(wrapped) != 80 {
		return nil, errors.New("the wrapped key is not 80 bytes")
	}
	key, err := pbkdf2.Key(sha256.New, code, wrapped[:32], 2<<16, 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 32)
	cipher.NewCTR(block, wrapped[32:48]).XORKeyStream(out, wrapped[48:])
	return out, nil
}

// finishPairing decrypts the device's last message and derives the shared secret.
func (s *Server) finishPairing(l *codePairing, ident, wrapped []byte) ([]byte, error) {
	if l == nil || len(wrapped) < 44 {
		return nil, errors.New("no pairing by code in progress")
	}
	key, err := hkdf.Key(sha256.New, l.shared, wrapped[:32], "link_code_pairing_key_bundle_encryption_key", 32)
	if err != nil {
		return nil, err
	}
	plain, err := gcm(key).Open(nil, wrapped[32:44], wrapped[44:], nil)
	if err != nil || len(plain) != 96 || !bytes.Equal(plain[:32], ident) {
		return nil, errors.New("wrong code")
	}
	both, err := curve25519.X25519(s.account.device.IdentityKey.Priv[:], ident)
	if err != nil {
		return nil, err
	}
	return hkdf.Key(sha256.New, bytes.Join([][]byte{l.shared, both, plain[64:]}, nil), nil, "adv_secret", 32)
}
