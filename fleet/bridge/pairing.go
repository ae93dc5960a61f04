package bridge

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"
	"github.com/nats-io/nats.go"

	"github.com/nidoit/blunux-ai/fleet"
)

// Membership is what a machine knows of its fleet. It is made by pairing, and the person agrees to it at the machine.
type Membership struct {
	Address     string        `json:"address"`
	Certificate string        `json:"certificate"` // SHA-256, in hexadecimal
	Consoles    []string      `json:"consoles"`    // public keys, whose questions and decisions count
	Machine     fleet.Machine `json:"machine"`
	Joined      time.Time     `json:"joined"`
	// NotBefore is until when the person wants no questions of the fleet.
	NotBefore time.Time `json:"not_before,omitzero"`
}

// The files of a bridge's directory.
const (
	memberFile = "fleet.json"
	keyFile    = "machine.nk"
	nonceFile  = "nonces.jsonl"
)

// ErrNoFleet reports a machine that belongs to no fleet.
var ErrNoFleet = errors.New("this machine belongs to no fleet")

// ErrMember reports a machine that belongs to a fleet already.
var ErrMember = errors.New("this machine belongs to a fleet already")

// ReadMembership reads what a machine knows of its fleet.
func ReadMembership(dir string) (Membership, error) {
	data, err := os.ReadFile(filepath.Join(dir, memberFile))
	if errors.Is(err, fs.ErrNotExist) {
		return Membership{}, ErrNoFleet
	}
	var m Membership
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err == nil {
		err = errors.Join(fleet.CheckName(m.Machine.Site), fleet.CheckName(m.Machine.Name))
	}
	if err != nil {
		return Membership{}, fmt.Errorf("cannot read the fleet of this machine: %w", err)
	}
	return m, nil
}

// Save writes the membership.
func (m Membership) Save(dir string) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err == nil {
		err = renameio.WriteFile(filepath.Join(dir, memberFile), append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("cannot save the fleet of this machine: %w", err)
	}
	return nil
}

// NotNow keeps the fleet's questions in the server's queue until a time; the zero time lets them in again.
func NotNow(dir string, until time.Time) error {
	m, err := ReadMembership(dir)
	if err != nil {
		return err
	}
	m.NotBefore = until
	return m.Save(dir)
}

// pin returns the certificate's sum.
func (m Membership) pin() (*[32]byte, error) {
	raw, err := hex.DecodeString(m.Certificate)
	if err != nil || len(raw) != 32 {
		return nil, errors.New(
			"cannot read the fleet of this machine: its certificate is damaged; leave and join again",
		)
	}
	return (*[32]byte)(raw), nil
}

// Leave removes the membership and the machine's key. Nothing of the fleet is left here.
func Leave(dir string) error {
	if _, err := ReadMembership(dir); errors.Is(err, ErrNoFleet) {
		return err
	}
	for _, name := range []string{keyFile, nonceFile, "lock", memberFile} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot leave the fleet: %w", err)
		}
	}
	return nil
}

// Pairing is a machine that is being paired.
type Pairing struct {
	Code string // as the server shows it, too

	dir    string
	member Membership
	conn   *nats.Conn
	paired chan fleet.Machine
}

// connectTime bounds the wait for a server.
const connectTime = 20 * time.Second

// Pair asks the server at an address to be paired. The caller shows the code, calls [Pairing.Wait] and then, if the
// person says that the server shows the same code, [Pairing.Join].
func Pair(ctx context.Context, dir, address, host string) (*Pairing, error) {
	if _, err := ReadMembership(dir); !errors.Is(err, ErrNoFleet) {
		return nil, errors.Join(ErrMember, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot create the directory: %w", err)
	}
	id, err := fleet.OpenIdentity(filepath.Join(dir, keyFile))
	if err != nil {
		return nil, err
	}
	p := &Pairing{dir: dir, paired: make(chan fleet.Machine, 1)}
	var seen [32]byte
	p.conn, err = nats.Connect(
		"tls://"+address,
		id.Option(),
		nats.Secure(fleet.Pin(nil, func(sum [32]byte) { seen = sum })),
		nats.CustomInboxPrefix(fleet.Inbox(id.Public)),
		nats.NoReconnect(),
		nats.Timeout(connectTime),
	)
	if err != nil {
		return nil, &fleet.ReachError{Address: address, Err: err}
	}
	if _, err := p.conn.Subscribe(fleet.PairedSubject(id.Public), func(m *nats.Msg) {
		var machine fleet.Machine
		if json.Unmarshal(m.Data, &machine) == nil && fleet.CheckName(machine.Site) == nil && fleet.CheckName(machine.Name) == nil {
			select {
			case p.paired <- machine:
			default:
			}
		}
	}); err != nil {
		p.Close()
		return nil, fmt.Errorf("cannot ask to be paired: %w", err)
	}
	reply, err := p.ask(ctx, id.Public, host)
	if err != nil {
		p.Close()
		return nil, err
	}
	p.Code = fleet.PairingCode(seen, id.Public, reply.Console)
	p.member = Membership{Address: address, Certificate: hex.EncodeToString(seen[:]), Consoles: []string{reply.Console}}
	return p, nil
}

func (p *Pairing) ask(ctx context.Context, key, host string) (fleet.PairReply, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	data, err := json.Marshal(fleet.PairRequest{Host: host})
	if err != nil {
		return fleet.PairReply{}, fmt.Errorf("cannot ask to be paired: %w", err)
	}
	m, err := fleet.Query(ctx, p.conn, fleet.PairSubject(key), data)
	var reply fleet.PairReply
	if err == nil {
		err = json.Unmarshal(m.Data, &reply)
	}
	if err == nil && reply.Console == "" {
		err = errors.New("the answer names no console")
	}
	if err != nil {
		return fleet.PairReply{}, fmt.Errorf("cannot ask to be paired: %w", err)
	}
	return reply, nil
}

// Wait waits until the server has accepted the machine, and returns its name.
func (p *Pairing) Wait(ctx context.Context) (fleet.Machine, error) {
	select {
	case m := <-p.paired:
		p.member.Machine = m
		return m, nil
	case <-ctx.Done():
		return fleet.Machine{}, ctx.Err()
	}
}

// Join saves the membership. The person has said that both screens show the same code.
func (p *Pairing) Join(now time.Time) error {
	p.member.Joined = now.UTC()
	return p.member.Save(p.dir)
}

// Close ends the pairing.
func (p *Pairing) Close() { p.conn.Close() }
