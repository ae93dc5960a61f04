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
	asked  *fleet.Pairing
}

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
	p := &Pairing{dir: dir}
	if p.asked, err = fleet.AskToPair(ctx, id, address, fleet.PairRequest{Host: host}); err != nil {
		return nil, err
	}
	p.Code = fleet.PairingCode(p.asked.Certificate, id.Public, p.asked.Console)
	p.member = Membership{
		Address: address, Certificate: hex.EncodeToString(p.asked.Certificate[:]), Consoles: []string{p.asked.Console},
	}
	return p, nil
}

// Wait waits until the server has accepted the machine, and returns its name.
func (p *Pairing) Wait(ctx context.Context) (fleet.Machine, error) {
	var err error
	p.member.Machine, err = p.asked.Wait(ctx)
	return p.member.Machine, err
}

// Join saves the membership. The person has said that both screens show the same code.
func (p *Pairing) Join(now time.Time) error {
	p.member.Joined = now.UTC()
	return p.member.Save(p.dir)
}

// Close ends the pairing.
func (p *Pairing) Close() { p.asked.Close() }
