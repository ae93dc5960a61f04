package waserver

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"go.mau.fi/libsignal/ecc"
	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waCert"
	"go.mau.fi/whatsmeow/proto/waWa6"
	"go.mau.fi/whatsmeow/socket"
	"go.mau.fi/whatsmeow/util/keys"
	"golang.org/x/crypto/curve25519"
	"google.golang.org/protobuf/proto"
)

// root certifies all servers of this process. Using it makes this process's clients trust it, as
// test builds trust the root in their environment.
var root = sync.OnceValue(func() *keys.KeyPair {
	pair := keys.NewKeyPair()
	whatsmeow.WACertPubKey = *pair.Pub
	return pair
})

// serverKey is a server's certified key.
type serverKey struct {
	static *keys.KeyPair
	chain  []byte
}

// newServerKey generates a server's key and certifies it.
func newServerKey() (serverKey, error) {
	inter, static := keys.NewKeyPair(), keys.NewKeyPair()
	between, err1 := certify(root(), 1, 0, inter)
	leaf, err2 := certify(inter, 2, 1, static)
	chain, err3 := proto.Marshal(&waCert.CertChain{Intermediate: between, Leaf: leaf})
	return serverKey{static: static, chain: chain}, errors.Join(err1, err2, err3)
}

func certify(by *keys.KeyPair, serial, issuer uint32, key *keys.KeyPair) (*waCert.CertChain_NoiseCertificate, error) {
	details, err := proto.Marshal(&waCert.CertChain_NoiseCertificate_Details{
		Serial: &serial, IssuerSerial: &issuer, Key: key.Pub[:], NotBefore: proto.Uint64(0), NotAfter: proto.Uint64(1 << 40),
	})
	return &waCert.CertChain_NoiseCertificate{Details: details, Signature: sign(by, details)}, err
}

func sign(by *keys.KeyPair, data []byte) []byte {
	s := ecc.CalculateSignature(ecc.NewDjbECPrivateKey(*by.Priv), data)
	return s[:]
}

// noise is the responder side of Noise_XX_25519_AESGCM_SHA256.
type noise struct {
	hash, salt []byte
	key        cipher.AEAD
	count      uint32
}

func newNoise(header []byte) *noise {
	n := &noise{hash: []byte(socket.NoiseStartPattern), salt: []byte(socket.NoiseStartPattern)}
	n.key = gcm(n.hash)
	n.authenticate(header)
	return n
}

func gcm(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // keys here always have 32 bytes
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	return aead
}

func nonce(n uint32) []byte { return binary.BigEndian.AppendUint32(make([]byte, 8, 12), n) }

func (n *noise) authenticate(data []byte) {
	sum := sha256.Sum256(append(append([]byte{}, n.hash...), data...))
	n.hash = sum[:]
}

func (n *noise) expand(secret []byte) (a, b []byte, err error) {
	out, err := hkdf.Key(sha256.New, secret, n.salt, "", 64)
	if err != nil {
		return nil, nil, err
	}
	return out[:32], out[32:], nil
}

func (n *noise) mix(priv, pub []byte) error {
	shared, err := curve25519.X25519(priv, pub)
	if err != nil {
		return err
	}
	salt, key, err := n.expand(shared)
	if err != nil {
		return err
	}
	n.count, n.salt, n.key = 0, salt, gcm(key)
	return nil
}

func (n *noise) seal(plain []byte) []byte {
	c := n.key.Seal(nil, nonce(n.count), plain, n.hash)
	n.count++
	n.authenticate(c)
	return c
}

func (n *noise) open(sealed []byte) ([]byte, error) {
	p, err := n.key.Open(nil, nonce(n.count), sealed, n.hash)
	if err != nil {
		return nil, fmt.Errorf("cannot open the handshake: %w", err)
	}
	n.count++
	n.authenticate(sealed)
	return p, nil
}

// handshake performs the handshake after the header was read. It returns the client's static key and
// its payload.
func (s serverKey) handshake(c *conn, header []byte) (static []byte, payload *waWa6.ClientPayload, err error) {
	n := newNoise(header)
	hello, err := c.handshake()
	if err != nil {
		return nil, nil, err
	}
	theirs := hello.GetClientHello().GetEphemeral()
	n.authenticate(theirs)
	ours := keys.NewKeyPair()
	if err := s.sendServerHello(c, n, ours, theirs); err != nil {
		return nil, nil, err
	}
	finish, err := c.handshake()
	if err != nil {
		return nil, nil, err
	}
	return s.readClientFinish(c, n, ours, finish.GetClientFinish())
}

// sendServerHello sends the server's part of the handshake.
func (s serverKey) sendServerHello(c *conn, n *noise, ours *keys.KeyPair, theirs []byte) error {
	n.authenticate(ours.Pub[:])
	if err := n.mix(ours.Priv[:], theirs); err != nil {
		return err
	}
	static := n.seal(s.static.Pub[:])
	if err := n.mix(s.static.Priv[:], theirs); err != nil {
		return err
	}
	out, err := proto.Marshal(&waWa6.HandshakeMessage{ServerHello: &waWa6.HandshakeMessage_ServerHello{
		Ephemeral: ours.Pub[:], Static: static, Payload: n.seal(s.chain),
	}})
	if err != nil {
		return err
	}
	return c.put(out)
}

// readClientFinish reads the client's part and sets the connection's keys.
func (s serverKey) readClientFinish(c *conn, n *noise, ours *keys.KeyPair, f *waWa6.HandshakeMessage_ClientFinish) ([]byte, *waWa6.ClientPayload, error) {
	static, err := n.open(f.GetStatic())
	if err != nil {
		return nil, nil, err
	}
	if err := n.mix(ours.Priv[:], static); err != nil {
		return nil, nil, err
	}
	plain, err := n.open(f.GetPayload())
	if err != nil {
		return nil, nil, err
	}
	var payload waWa6.ClientPayload
	if err := proto.Unmarshal(plain, &payload); err != nil {
		return nil, nil, err
	}
	read, write, err := n.expand(nil)
	if err != nil {
		return nil, nil, err
	}
	c.read, c.write = gcm(read), gcm(write)
	return static, &payload, nil
}
