package database

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/upgrade"
)

// Sync are the packages of the repositories that a transaction installs, by name, and the names of all.
type Sync struct {
	Names    map[string]bool
	packages map[string]*Package // by REPOSITORY/NAME
	wanted   map[string]bool
}

// NewSync returns a collector of the packages of a transaction.
func NewSync(transaction []machine.TransactionPackage) *Sync {
	s := &Sync{Names: map[string]bool{}, packages: map[string]*Package{}, wanted: map[string]bool{}}
	for _, t := range transaction {
		s.wanted[t.Repository+"/"+t.Name+" "+t.Version] = true
	}
	return s
}

// Wants returns whether a package of a repository is one of the transaction.
func (s *Sync) Wants(repository string) func(name, version string) bool {
	return func(name, version string) bool { return s.wanted[repository+"/"+name+" "+version] }
}

// Add takes a package of a repository.
func (s *Sync) Add(repository string, p *Package) {
	s.Names[p.Name] = true
	if s.wanted[repository+"/"+p.Name+" "+p.Version] {
		s.packages[repository+"/"+p.Name] = p
	}
}

// Find returns a package of the transaction, nil if its repository's database does not have it.
func (s *Sync) Find(t machine.TransactionPackage) *Package {
	return s.packages[t.Repository+"/"+t.Name]
}

// Transaction is what pacman would install, with what its databases add.
type Transaction struct {
	Local *Local
	Sync  *Sync
	Adds  []*Package // in pacman's order
	// Removes are the installed packages that others replace, and By the replacing packages.
	Removes []*Package
	By      map[string]string
}

// NewTransaction completes what pacman printed. Packages that no database has are left out: pacman read the same files.
func NewTransaction(local *Local, sync *Sync, printed []machine.TransactionPackage) *Transaction {
	t := &Transaction{Local: local, Sync: sync, By: map[string]string{}}
	for _, row := range printed {
		if p := sync.Find(row); p != nil {
			t.Adds = append(t.Adds, p)
		}
	}
	for _, p := range t.Adds {
		for _, text := range p.Replaces {
			d := parseDependency(text)
			old := local.Packages[d.name]
			if old == nil || !d.isLiterally(old) || t.adds(old.Name) || t.By[old.Name] != "" {
				continue
			}
			t.By[old.Name] = p.Name
			t.Removes = append(t.Removes, old)
		}
	}
	return t
}

func (t *Transaction) adds(name string) bool {
	return slices.ContainsFunc(t.Adds, func(p *Package) bool { return p.Name == name })
}

// Stays returns the installed packages that the transaction does not touch.
func (t *Transaction) Stays() (all []*Package) {
	changed := map[string]bool{}
	for _, p := range t.Adds {
		changed[p.Name] = true
	}
	for _, p := range t.Removes {
		changed[p.Name] = true
	}
	for name, p := range t.Local.Packages {
		if !changed[name] {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b *Package) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Conflicts returns the packages that exclude each other afterwards, because of which pacman refuses (libalpm,
// lib/libalpm/conflict.c; it is asked without a person, so that it removes nothing).
func (t *Transaction) Conflicts() (all []upgrade.Refusal) {
	stays := t.Stays()
	byName := map[string][]*Package{} // what is there afterwards, by name and provision
	for _, p := range slices.Concat(t.Adds, stays) {
		names := []string{p.Name}
		for _, text := range p.Provides {
			names = append(names, parseDependency(text).name)
		}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			byName[name] = append(byName[name], p)
		}
	}
	isNew := func(p *Package) bool { return slices.Contains(t.Adds, p) }
	seen := map[[2]string]bool{}
	report := func(a, b *Package) {
		key := [2]string{min(a.Name, b.Name), max(a.Name, b.Name)}
		if seen[key] {
			return
		}
		seen[key] = true
		r := upgrade.Refusal{Conflict: []string{a.Name, b.Name}}
		if isNew(b) {
			a, b = b, a
		}
		if !isNew(b) {
			r.Installing, r.Removing, r.Needed = a.Name, b.Name, neededBy(b, slices.Concat(t.Adds, stays), byName)
		}
		all = append(all, r)
	}
	for _, p := range slices.Concat(t.Adds, stays) {
		for _, text := range p.Conflicts {
			d := parseDependency(text)
			for _, other := range byName[d.name] {
				if other.Name != p.Name && d.isMetBy(other) && (isNew(p) || isNew(other)) {
					report(p, other)
				}
			}
		}
	}
	return all
}

// neededBy returns the packages that need one, and for which no other is there.
func neededBy(gone *Package, all []*Package, byName map[string][]*Package) (names []string) {
	for _, p := range all {
		if p != gone && slices.ContainsFunc(p.Depends, func(text string) bool {
			d := parseDependency(text)
			return d.isMetBy(gone) && !slices.ContainsFunc(byName[d.name], func(q *Package) bool { return q != gone && d.isMetBy(q) })
		}) {
			names = append(names, p.Name)
		}
	}
	return names
}

// Changes returns what the upgrade does to each package. printed has the bytes to fetch.
func (t *Transaction) Changes(printed []machine.TransactionPackage) []upgrade.Change {
	all := []upgrade.Change{}
	for _, row := range printed {
		c := upgrade.Change{Name: row.Name, Repository: row.Repository, To: row.Version, Download: row.Download}
		if p := t.Sync.Find(row); p != nil {
			c.Size = p.Installed
		}
		if old := t.Local.Packages[row.Name]; old != nil {
			c.From, c.Size = old.Version, c.Size-old.Installed
		}
		c.Kind = upgrade.KindOf(row.Name)
		all = append(all, c)
	}
	return all
}

// Replacements returns the packages that others replace.
func (t *Transaction) Replacements() (all []upgrade.Replacement) {
	for _, p := range t.Removes {
		all = append(all, upgrade.Replacement{Name: p.Name, Version: p.Version, By: t.By[p.Name], Size: p.Installed})
	}
	return all
}
