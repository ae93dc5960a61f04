package database

import (
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

// dependency is a name with a demand on its version: NAME, NAME=1, NAME>=1 and so on (lib/libalpm/deps.c).
type dependency struct{ name, operator, version string }

func parseDependency(text string) dependency {
	text, _, _ = strings.Cut(text, ": ") // a description
	for _, operator := range []string{">=", "<=", "=", "<", ">"} {
		if name, version, found := strings.Cut(text, operator); found {
			return dependency{name, operator, version}
		}
	}
	return dependency{name: text}
}

// accepts reports whether a version meets the demand.
func (d dependency) accepts(version string) bool {
	if d.operator == "" {
		return true
	}
	c := machine.CompareVersions(version, d.version)
	switch d.operator {
	case "=":
		return c == 0
	case ">=":
		return c >= 0
	case "<=":
		return c <= 0
	case "<":
		return c < 0
	}
	return c > 0
}

// isLiterally reports whether a package has the name and a version that is demanded.
func (d dependency) isLiterally(p *Package) bool { return p.Name == d.name && d.accepts(p.Version) }

// isMetBy reports whether a package is what is demanded, or provides it. A provision without a version only meets a demand
// without one.
func (d dependency) isMetBy(p *Package) bool {
	if d.isLiterally(p) {
		return true
	}
	for _, text := range p.Provides {
		provision := parseDependency(text)
		if provision.name != d.name {
			continue
		}
		if d.operator == "" || provision.operator == "=" && d.accepts(provision.version) {
			return true
		}
	}
	return false
}
