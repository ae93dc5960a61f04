package machine

import (
	"slices"
	"strconv"
	"strings"
)

// OwnersProbe shows the ownership of several paths. Paths that do not exist are errors on standard error.
func OwnersProbe(paths ...string) Probe {
	return append(Probe{"stat", "-c", "%U %G %u %g %a %F:%n", "--"}, paths...)
}

// Owner is the ownership of a path.
type Owner struct {
	Path string
	Link bool // it is a symbolic link
	Ownership
}

// ParseOwners parses [OwnersProbe]. With an error, it returns the rows that it could read.
func ParseOwners(text []byte) ([]Owner, error) {
	return allRows(text, "stat", func(line string) (Owner, bool) {
		row, name, ok := strings.Cut(line, ":/")
		o, err := ParseOwnership([]byte(row))
		return Owner{"/" + name, strings.HasSuffix(row, " symbolic link"), o}, ok && err == nil
	})
}

// Permission is what the permissions of a path can allow: inode(7).
type Permission uint64

// The permissions, as the bits of others.
const (
	MayEnter Permission = 1 // of a directory
	MayWrite Permission = 2
	MayRead  Permission = 4
)

// Allows reports whether the permissions allow a user something. Of the user's groups it knows the one with the same name.
// Nothing keeps root out.
func (o Ownership) Allows(user string, what Permission) bool {
	return o.AllowsMember(user, []string{user}, what)
}

// AllowsMember reports whether the permissions allow something to a user of groups.
func (o Ownership) AllowsMember(user string, groups []string, what Permission) bool {
	mode, err := strconv.ParseUint(o.Mode, 8, 32)
	switch {
	case user == "root":
		return true
	case err != nil:
		return false
	case o.User == user:
		mode >>= 6
	case slices.Contains(groups, o.Group):
		mode >>= 3
	}
	return Permission(mode)&what != 0
}
