package fleet

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/google/renameio/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// Inbox returns the prefix of the subjects on which a key's holder gets replies.
func Inbox(key string) string { return "_I." + key }

// PairSubject returns the subject on which the holder of an unknown key asks to be paired, and PairedSubject that on
// which it gets its name.
func PairSubject(key string) string   { return "fleet.pair." + key }
func PairedSubject(key string) string { return "fleet.paired." + key }

// ConsoleSubject returns the subject of a console's request to the server.
func ConsoleSubject(call string) string { return "fleet.console." + call }

// RecordSubject returns the subject of a record of a console. A later record with the same id replaces it.
func RecordSubject(kind, id string) string { return "fleet.log." + kind + "." + id }

// LeafSubject returns the subject of a leaf server's request to the hub, and SiteSubject that on which the hub sends it
// its site.
func LeafSubject(key, call string) string { return "fleet.leaf." + key + "." + call }
func SiteSubject(key string) string       { return "fleet.site." + key }

// PairRequest asks to be paired, and PairReply names the console's key, which the machine pins if the person agrees.
type PairRequest struct {
	Host string `json:"host"`
	// Leaf is the sum of the certificate that a leaf server shows to its machines, in hexadecimal. A machine has none.
	Leaf string `json:"leaf,omitempty"`
}

// PairReply is the answer to a [PairRequest].
type PairReply struct {
	Console string `json:"console"`
}

// Beat is a heartbeat.
type Beat struct {
	Version string `json:"version,omitempty"`
	// Run names the run of the bridge. If an earlier one comes back, two machines have one key.
	Run string `json:"run,omitempty"`
	// Approve and Quiet are the machine's policy, for people: the machine decides.
	Approve []string `json:"approve,omitempty"`
	Quiet   string   `json:"quiet,omitempty"`
}

// Identity is the key of a machine or a console.
type Identity struct {
	Public string
	key    nkeys.KeyPair
}

// OpenIdentity reads a key, and makes one if there is none. The file is its owner's only.
func OpenIdentity(path string) (*Identity, error) {
	seed, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		var key nkeys.KeyPair
		if key, err = nkeys.CreateUser(); err == nil {
			seed, err = key.Seed()
		}
		if err == nil {
			err = renameio.WriteFile(path, seed, 0o600)
		}
	}
	id := &Identity{}
	if err == nil {
		id.key, err = nkeys.FromSeed(seed)
	}
	if err == nil {
		id.Public, err = id.key.PublicKey()
	}
	if err != nil {
		return nil, fmt.Errorf("cannot use the key %s: %w", path, err)
	}
	return id, nil
}

// Option proves to a server that the key is here.
func (id *Identity) Option() nats.Option { return nats.Nkey(id.Public, id.key.Sign) }

// Seed returns the secret part of the key.
func (id *Identity) Seed() ([]byte, error) { return id.key.Seed() }

// Sign signs a decision.
func (id *Identity) Sign(d *Decision) error { return d.Sign(id.key) }

// requestPause is the pause before a request to a server that does not serve yet.
const requestPause = 100 * time.Millisecond

// Query sends a request and waits for its reply until ctx ends. A server listens a moment before it serves.
func Query(ctx context.Context, conn *nats.Conn, subject string, data []byte) (*nats.Msg, error) {
	for {
		m, err := conn.RequestWithContext(ctx, subject, data)
		if !errors.Is(err, nats.ErrNoResponders) {
			return m, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(requestPause):
		}
	}
}

// ReachError reports a server that cannot be reached.
type ReachError struct {
	Address string
	Err     error
}

func (e *ReachError) Error() string {
	return "cannot reach the server at " + e.Address + ": " + e.Err.Error()
}

func (e *ReachError) Unwrap() error { return e.Err }

// ErrServer reports a server with another certificate than the pinned one.
var ErrServer = errors.New("the server shows another certificate than when this was paired")

// ParsePin reads the SHA-256 of a certificate in hexadecimal, as files of members have it.
func ParsePin(text string) (*[32]byte, error) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != 32 {
		return nil, errors.New("cannot read the pinned certificate: it is damaged; join again")
	}
	return (*[32]byte)(raw), nil
}

// Pin returns the TLS settings for the server with a pinned certificate. With a nil pin they accept any and tell seen,
// which is for pairing only: the code that both screens show then proves it.
func Pin(pin *[32]byte, seen func([32]byte)) *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		InsecureSkipVerify: true, // VerifyPeerCertificate compares the certificate itself
		VerifyPeerCertificate: func(raw [][]byte, _ [][]*x509.Certificate) error {
			if len(raw) == 0 {
				return ErrServer
			}
			sum := sha256.Sum256(raw[0])
			if seen != nil {
				seen(sum)
			}
			if pin != nil && sum != *pin {
				return ErrServer
			}
			return nil
		},
	}
}
