package pacnew

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/machine"
)

// origin is a version of a package that a person's file can come from: the one before an update that left a .pacnew file.
type origin struct {
	version string
	at      time.Time // of the update
}

// originsOf returns the versions before the updates that left a file, the oldest first.
func originsOf(log []machine.LeftFile, left, name string) (all []origin) {
	for i, l := range log {
		if l.As != left {
			continue
		}
		for _, next := range log[i+1:] {
			if c := next.Change; c.Name == name {
				if c.From != "" {
					all = append(all, origin{c.From, l.At})
				}
				break
			}
		}
	}
	return all
}

// likelyOrigin returns the origin of a file that was changed last at a time: what the person changes after an update settles it,
// so that the file comes from the version before the first update after that. If there is none, it is the last one.
func likelyOrigin(all []origin, modified time.Time) (at int) {
	for i, o := range all {
		if o.at.After(modified) {
			return i
		}
	}
	return len(all) - 1
}

// maxOrigins bounds the versions that are compared with a file.
const maxOrigins = 4

// base finds the text that a person's file comes from: in a cached package, or kept with a receipt. Of several it is the one that
// the file differs least from. With done, place is "" if there is none.
func (l *look) base(f *File, modified time.Time) (place, version string, done bool) {
	all := originsOf(l.log, f.Left, f.Package)
	if len(all) == 0 {
		return "", "", true
	}
	likely := likelyOrigin(all, modified)
	first := max(0, likely-maxOrigins+1)
	candidates := slices.Clone(all[first : likely+1])
	version = all[likely].version
	if !slices.ContainsFunc(candidates, func(o origin) bool { return !isPlain(o.version) }) && isPlain(f.Package) {
		place, version, done = l.nearest(f, candidates)
		return place, version, done
	}
	return "", version, true
}

// keptBases returns the left files that receipts keep, by their versions. A merged file comes from the one that was left last.
func (l *look) keptBases(f *File) map[string]string {
	bases := map[string]string{}
	if l.machine.Kept == nil {
		return bases
	}
	for at, place := range l.machine.Kept(f.Left) {
		if version := leftBefore(l.log, f.Left, f.Package, at); version != "" && isPlainPath(place) {
			bases[version] = place
		}
	}
	return bases
}

// leftBefore returns the version whose update left a file last before a time, "" if the log does not have it.
func leftBefore(log []machine.LeftFile, left, name string, at time.Time) (version string) {
	waits := false
	for _, l := range log {
		switch {
		case l.At.After(at):
			return version
		case l.As == left:
			waits = true
		case waits && l.Change.Name == name:
			version, waits = l.Change.To, false
		}
	}
	return version
}

// nearest returns the place of the candidate from which a file differs least. The last candidate must be known: without it,
// another one can look like it although it is older or newer.
func (l *look) nearest(f *File, candidates []origin) (place, version string, done bool) {
	version = candidates[len(candidates)-1].version
	var versions []string
	for _, c := range candidates {
		if !slices.Contains(versions, c.version) {
			versions = append(versions, c.version)
		}
	}
	list := machine.CachedVersionsProbe(f.Package, versions...)
	if !l.facts.Know(list) {
		return "", version, false
	}
	known := l.keptBases(f)
	for _, file := range machine.Lines(l.facts.Stdout(list)) {
		if name, v := machine.CachedPackage(file[strings.LastIndexByte(file, '/')+1:]); name == f.Package {
			known[v] = file
		}
	}
	versions = slices.DeleteFunc(versions, func(v string) bool { return known[v] == "" })
	place = known[version]
	if place == "" || len(versions) == 1 {
		return place, version, true
	}
	least := -1
	for _, v := range versions { // oldest first: the first of equal ones has all changes since
		probe := machine.DistanceProbe(known[v], f.Path)
		if !l.facts.Know(probe) {
			done = false
			least = -2
			continue
		}
		if out := l.facts.Output(probe); least != -2 && out.Stderr == "" && !out.Unseen {
			if n, err := strconv.Atoi(strings.TrimSpace(out.Stdout)); err == nil && (least < 0 || n < least) {
				least, place, version = n, known[v], v
			}
		}
	}
	return place, version, least != -2
}

// changes returns what differs between a file, its base and the new one. ok is false if it could not be seen.
func (l *look) changes(f *File, base string) (all []machine.Change3, ok, done bool) {
	probe := machine.MergeProbe(f.Path, base, f.Left)
	if !l.facts.Know(probe) {
		return nil, false, false
	}
	out := l.facts.Output(probe)
	if out.Unseen || out.Cut || out.Stderr != "" {
		return nil, false, true
	}
	all, err := machine.ParseDiff3([]byte(out.Stdout))
	return all, err == nil && len(all) > 0, true
}

// isPlain reports whether a name or version has only the characters that packages allow: PKGBUILD(5).
func isPlain(word string) bool {
	plain := func(r rune) bool {
		return r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@._+-:~", r))
	}
	return word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0
}
