package automation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nidoit/blunux-ai/internal/journal"
)

// Digest identifies the parts of a rule that a person signs: its name, action, check with parameters, events and
// commands, byte for byte. It is the SHA-256 of their JSON, in hexadecimal.
func Digest(r Rule) string {
	// Byte slices are encoded in base64, so texts that are not UTF-8 stay distinct.
	signed := struct {
		Format, Name, Action, Check []byte
		Over                        *float64
		Within                      time.Duration
		Paths, On                   [][]byte
		Commands                    [][][]byte
	}{Format: []byte("automation 2"), Over: r.Over, Within: r.Within, Name: []byte(r.Name), Action: []byte(r.Action), Check: []byte(r.Check), Commands: [][][]byte{}}
	for _, path := range r.Paths {
		signed.Paths = append(signed.Paths, []byte(path))
	}
	for _, event := range r.On {
		signed.On = append(signed.On, []byte(event))
	}
	for _, command := range r.Commands {
		words := [][]byte{}
		for _, word := range command {
			words = append(words, append([]byte{}, word...))
		}
		signed.Commands = append(signed.Commands, words)
	}
	text, err := json.Marshal(signed)
	if err != nil {
		panic(err) // all fields can be encoded
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// errNoCommands reports a rule that cannot be signed.
var errNoCommands = errors.New("no commands to sign; write auto_apply = true and commands in automations.toml")

// Signatures stores a person's signatures in a private file.
type Signatures struct {
	Path string
	Now  func() time.Time // nil: time.Now
}

type signature struct {
	Digest string    `json:"digest"`
	Time   time.Time `json:"time"`
}

// Sign records that a person signed the current version of the rule.
func (s Signatures) Sign(ctx context.Context, r Rule) error {
	if !r.AutoApply || len(r.Commands) == 0 || r.Managed {
		return fmt.Errorf("cannot sign the rule %q: %w", r.Name, errNoCommands)
	}
	now := time.Now
	if s.Now != nil {
		now = s.Now
	}
	return s.edit(ctx, r.Name, func(all map[string]signature) { all[r.Name] = signature{Digest(r), now()} })
}

// Withdraw removes the signature of a rule, if there is one.
func (s Signatures) Withdraw(ctx context.Context, name string) error {
	return s.edit(ctx, name, func(all map[string]signature) { delete(all, name) })
}

// Signed reports whether a person signed exactly this version of the rule. It is false if the file cannot be
// read.
func (s Signatures) Signed(r Rule) bool {
	all, err := s.read()
	return err == nil && r.AutoApply && len(r.Commands) > 0 && all[r.Name].Digest == Digest(r)
}

func (s Signatures) edit(ctx context.Context, name string, change func(map[string]signature)) error {
	err := os.MkdirAll(filepath.Dir(s.Path), 0o700)
	if err == nil {
		err = s.change(ctx, change)
	}
	if err != nil {
		return fmt.Errorf("cannot save the signature of %q: %w", name, err)
	}
	return nil
}

func (s Signatures) change(ctx context.Context, change func(map[string]signature)) error {
	unlock, err := lockFile(ctx, s.Path+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	all, err := s.read()
	if err != nil {
		return err
	}
	change(all)
	text, err := json.MarshalIndent(signedFile{Signed: all}, "", "  ")
	if err != nil {
		return err
	}
	return writeOwn(s.Path, append(journal.AddVersion(text), '\n'))
}

func (s Signatures) read() (map[string]signature, error) {
	all := map[string]signature{}
	text, err := readOwn(s.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	if fi, err := os.Lstat(s.Path); err == nil && fi.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("others can read %s; run: chmod 600 %s", s.Path, shellQuote(s.Path))
	}
	if all, err = parseSignatures(s.Path, text); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", s.Path, err)
	}
	return all, nil
}

// signedFile is the format of the file.
type signedFile struct {
	Signed map[string]signature `json:"signed"`
}

// parseSignatures parses the file. Its first version was only a map from rule names to signatures, and a rule can be
// named v.
func parseSignatures(file string, text []byte) (map[string]signature, error) {
	all := map[string]signature{}
	if json.Unmarshal(text, &all) == nil && !slices.Contains(slices.Collect(maps.Values(all)), signature{}) {
		return all, nil
	}
	if err := journal.CheckVersion(file, text); err != nil {
		return nil, err
	}
	f := signedFile{Signed: map[string]signature{}}
	err := json.Unmarshal(text, &f)
	return f.Signed, err
}
