// Package upgrade says what an upgrade of all packages would do, what speaks against it now, and what it has done.
//
// The facts come from programs: [Preview] is what `blunux-ai preview` finds out about the packages (upgrade/database,
// upgrade/host), in JSON. This package starts no program and reads no database, because the daemon links it.
package upgrade

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Preview is what an upgrade of all packages would do, according to pacman's fresh lists.
type Preview struct {
	// Problem is why there is no preview, nil if there is one. The other fields are then empty.
	Problem *Problem `json:"problem,omitempty"`
	// Digest identifies the transaction: the packages with their versions, and what they replace.
	Digest   string   `json:"digest,omitempty"`
	Packages []Change `json:"packages"`
	// Count is the number of packages, Omitted how many of them are not in Packages. Growth is how many more bytes all files
	// have afterwards, negative for fewer.
	Count    int           `json:"count"`
	Omitted  int           `json:"omitted,omitempty"`
	Growth   int64         `json:"growth"`
	Replaced []Replacement `json:"replaced,omitempty"`
	// Refusals are why pacman will not do it. Packages are then what it would have to do.
	Refusals []Refusal `json:"refusals,omitempty"`
	Held     []Change  `json:"held,omitempty"` // newer packages that pacman.conf leaves out
	Download int64     `json:"download"`       // bytes to fetch
	Mounts   []Mount   `json:"mounts,omitempty"`
	// Reboot are the packages because of which the computer must restart.
	Reboot []string `json:"reboot,omitempty"`
	// Units are the services that use libraries of the packages, running or not.
	Units []Unit `json:"units,omitempty"`
	// Broken are the packages of no repository that will no longer work. Unknown are those of which that cannot be known
	// because the lists of files are not there.
	Broken  []Broken `json:"broken,omitempty"`
	Unknown []Broken `json:"unknown,omitempty"`
	// Settings are the configuration files that the person changed and whose package changes.
	Settings []Setting `json:"settings,omitempty"`
	Keyring  *Keyring  `json:"keyring,omitempty"`
	Damaged  []string  `json:"damaged,omitempty"` // entries of the installed packages that cannot be read
	// Stale is the age in days of the newest list if the mirrors sent only old ones, which they have when they are behind.
	Stale int `json:"stale_days,omitempty"`
	// Inputs are what a brief preview was computed from, nil if it cannot be used again.
	Inputs *Inputs `json:"inputs,omitempty"`
}

// Inputs identify what a preview was computed from: while they are the same, it is shown again.
type Inputs struct {
	Digest string `json:"digest"`
	// Seal is the digest of the whole preview, by which a damaged file is recognised.
	Seal string `json:"seal"`
	// Foreign are the installed packages of no repository, whose programs were read, and Configured those that change and have
	// configuration files: NAME-VERSION.
	Foreign    []string `json:"foreign,omitempty"`
	Configured []string `json:"configured,omitempty"`
	KeysBuilt  int64    `json:"keys_built,omitempty"` // Unix time of the keyring
}

// Change is a package that the upgrade installs.
type Change struct {
	Name       string `json:"name"`
	Repository string `json:"repository,omitempty"`
	From       string `json:"from,omitempty"` // "" if it is new
	To         string `json:"to"`
	Download   int64  `json:"download,omitempty"` // bytes to fetch
	Size       int64  `json:"size,omitempty"`     // how many more bytes its files have, negative for fewer
	Kind       Kind   `json:"kind,omitempty"`
}

// Kind is what a package is to the system, "" for an ordinary one.
type Kind string

// The kinds.
const (
	Kernel   Kind = "kernel"
	Module   Kind = "module" // of a kernel, or its source
	Driver   Kind = "driver"
	Firmware Kind = "firmware"
	System   Kind = "system" // runs from the start to the end of the computer
)

// Replacement is an installed package that another one replaces.
type Replacement struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	By      string `json:"by"`
	Size    int64  `json:"size,omitempty"` // bytes that its files leave free
}

// Refusal is why pacman does not do a transaction.
type Refusal struct {
	// Package needs Dependency, which the transaction takes away, with Installing or Removing if that is because of one package.
	Package    string `json:"package,omitempty"`
	Dependency string `json:"dependency,omitempty"`
	Installing string `json:"installing,omitempty"`
	Removing   string `json:"removing,omitempty"`
	// Conflict are two packages that exclude each other. Installing comes with the upgrade, and Removing is installed; both are ""
	// if the upgrade brings the two. Needed are the packages that need the installed one and nothing else.
	Conflict []string `json:"conflict,omitempty"`
	Needed   []string `json:"needed,omitempty"`
}

// Mount is a file system that the upgrade changes.
type Mount struct {
	Target string `json:"target"`
	Free   int64  `json:"free"`   // bytes that are free now
	Change int64  `json:"change"` // more bytes afterwards, negative for fewer
	Fetch  int64  `json:"fetch,omitempty"`
	// Image is the size of the largest boot image, if one is made again there.
	Image int64 `json:"image,omitempty"`
}

// Unit is a service with the packages whose libraries it uses.
type Unit struct {
	Name     string   `json:"name"`
	User     bool     `json:"user,omitempty"`
	Packages []string `json:"packages"`
}

// Broken is a package of no repository that loses what it was built with.
type Broken struct {
	Package string `json:"package"`
	File    string `json:"file"`    // one that needs it
	Needs   string `json:"needs"`   // libX.so.1, or the directory of a version of Python
	Because string `json:"because"` // the package that no longer has it
}

// Setting is a configuration file that the person changed.
type Setting struct {
	Path    string `json:"path"`
	Package string `json:"package"`
	// Certain reports that the new package has another text too, so that a .pacnew appears. Otherwise that is likely.
	Certain bool `json:"certain,omitempty"`
}

// Keyring is the state of the keys with which packages are signed.
type Keyring struct {
	Package string `json:"package"`
	Age     int    `json:"age_days"` // of the installed version
	// Newer reports that the upgrade brings newer keys. Unsigned are the repositories whose packages need no signature.
	Newer    bool     `json:"newer,omitempty"`
	Unsigned []string `json:"unsigned,omitempty"`
}

// Problem is why there is no preview.
type Problem struct {
	Code ProblemCode `json:"code"`
	// Subject is what it is about: a program, a repository. Detail is what a program said.
	Subject string `json:"subject,omitempty"`
	Detail  string `json:"detail,omitempty"`
}

// ProblemCode names a problem.
type ProblemCode string

// The problems.
const (
	NoProgram     ProblemCode = "no_program"     // pacman or fakeroot is not installed
	BadSettings   ProblemCode = "bad_settings"   // pacman.conf cannot be read
	NoFetch       ProblemCode = "no_fetch"       // the servers did not answer
	NotDatabase   ProblemCode = "not_database"   // a server sent something else
	HalfDatabase  ProblemCode = "half_database"  // a server sent a part
	LargeDatabase ProblemCode = "large_database" // a server sent too much
	NoRoom        ProblemCode = "no_room"        // for the copy of the lists
	Unreadable    ProblemCode = "unreadable"     // pacman printed what cannot be read
	Refused       ProblemCode = "refused"        // pacman failed for another reason
	TimedOut      ProblemCode = "timed_out"
)

// maxJSON bounds a preview in JSON, in bytes.
const maxJSON = 8 << 20

// Read reads what `blunux-ai preview --json` prints.
func Read(text []byte) (Preview, error) {
	var p Preview
	if len(text) > maxJSON {
		return p, errors.New("cannot read the preview: it is too long")
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return p, fmt.Errorf("cannot read the preview: %w", err)
	}
	if p.Problem == nil && p.Digest == "" {
		return p, errors.New("cannot read the preview: it names no transaction")
	}
	return p, nil
}

// Replace turns conflicts into replacements: pacman removes what is installed for what the upgrade brings, if it may.
func (p *Preview) Replace() {
	p.Refusals = slices.DeleteFunc(p.Refusals, func(r Refusal) bool {
		replaces := len(r.Conflict) > 0 && r.Removing != ""
		if replaces {
			p.Replaced = append(p.Replaced, Replacement{Name: r.Removing, By: r.Installing})
			p.Digest += "-" + r.Removing
		}
		return replaces
	})
}

// DigestOf returns the digest of a transaction.
func DigestOf(packages []Change, replaced []Replacement) string {
	var rows []string
	for _, c := range packages {
		rows = append(rows, "+"+c.Repository+"/"+c.Name+" "+c.To)
	}
	for _, r := range replaced {
		rows = append(rows, "-"+r.Name+" "+r.Version)
	}
	slices.Sort(rows)
	sum := sha256.Sum256([]byte(strings.Join(rows, "\n")))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// IsEmpty reports whether there is nothing to do.
func (p Preview) IsEmpty() bool { return p.Problem == nil && p.Count == 0 }

// Totals computes Count and Growth from all packages.
func (p *Preview) Totals() {
	if p.Omitted > 0 {
		return
	}
	p.Count, p.Growth = len(p.Packages), 0
	for _, c := range p.Packages {
		p.Growth += c.Size
	}
	for _, r := range p.Replaced {
		p.Growth -= r.Size
	}
}
