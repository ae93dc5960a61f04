package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// PolicyPath returns root's file about what consoles may decide on this machine, or $BLUNUX_AI_FLEET_POLICY. Without the
// file, only the person here can approve.
func PolicyPath(getenv func(string) string) string {
	return cmp.Or(getenv("BLUNUX_AI_FLEET_POLICY"), "/etc/blunux-ai/fleet.toml")
}

// Remote are the tools that a policy can let consoles approve. Everything else needs the person in front of the machine,
// such as removal, undo (which can remove), typed commands and files: a console cannot see what they do to the boot, the
// users or the network.
func Remote() []string { return []string{"install_package", "update_system", "manage_service"} }

// localUnits are services without which nobody reaches the machine, or logs in there.
var localUnits = []string{
	"networkmanager", "systemd-networkd", "systemd-resolved", "iwd", "wpa_supplicant", "greetd", "blunux", "dhcpcd", "connman", "ssh",
	"systemd-logind", "display-manager", "sddm", "gdm", "lightdm", "dbus", "polkit", "firewalld", "nftables", "iptables", "ufw",
}

// Policy is what root lets the consoles of a fleet decide on this machine. The daemon applies it, so that a bridge that was
// taken over can approve no more than a console.
type Policy struct {
	Approve []string `toml:"approve"` // of [Remote]
	// Quiet is a span of the day in which no console decides: "22:00-07:00", "" for none.
	Quiet string `toml:"quiet"`
}

// PolicyError reports a file that cannot be used, so that only the person at the machine decides.
type PolicyError struct {
	Path string
	Err  error
}

func (e *PolicyError) Error() string {
	return "cannot use the policy " + e.Path + ", so only the person here decides: " + e.Err.Error()
}

func (e *PolicyError) Unwrap() error { return e.Err }

// The errors of a decision that the policy does not allow.
var (
	ErrNotRemote = errors.New("this machine lets only the person in front of it say yes to this")
	ErrQuiet     = errors.New("it is quiet time on this machine")
)

// The owners of root's file: Root, and Unmapped in a user namespace that maps no other users (user_namespaces(7)). There a
// policy can be shown and not applied.
const (
	Root     = 0
	Unmapped = 65534
)

// ReadPolicy reads the policy, a file of one of the owners. A file that another user can write is refused.
func ReadPolicy(path string, owners ...int) (Policy, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Policy{}, nil
	}
	var p Policy
	if err == nil {
		defer f.Close()
		err = checkOwner(f, owners)
	}
	if err == nil {
		err = toml.NewDecoder(f).DisallowUnknownFields().Decode(&p)
	}
	if err == nil {
		err = p.check()
	}
	if err != nil {
		return Policy{}, &PolicyError{path, err}
	}
	return p, nil
}

func checkOwner(f *os.File, owners []int) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || !slices.Contains(owners, int(st.Uid)) || info.Mode().Perm()&0o022 != 0 ||
		!info.Mode().IsRegular() {
		return errors.New("it must be a file of root's that only root can write")
	}
	return nil
}

func (p Policy) check() error {
	for _, tool := range p.Approve {
		if !slices.Contains(Remote(), tool) {
			return fmt.Errorf("approve can have %s, not %q", strings.Join(Remote(), ", "), tool)
		}
	}
	_, err := p.isQuiet(time.Time{})
	return err
}

// isQuiet reports whether no console may decide at a local time.
func (p Policy) isQuiet(at time.Time) (bool, error) {
	if p.Quiet == "" {
		return false, nil
	}
	from, to, ok := strings.Cut(p.Quiet, "-")
	a, errA := time.Parse("15:04", from)
	b, errB := time.Parse("15:04", to)
	if !ok || errA != nil || errB != nil {
		return false, fmt.Errorf("quiet must be HH:MM-HH:MM, not %q", p.Quiet)
	}
	minute := func(t time.Time) int { return t.Hour()*60 + t.Minute() }
	now, first, last := minute(at), minute(a), minute(b)
	if first <= last {
		return now >= first && now < last, nil
	}
	return now >= first || now < last, nil
}

// Allow reports why a console's yes to a command of a tool does not count at a local time, nil if it does.
func (p Policy) Allow(tool, command string, at time.Time) error {
	if quiet, err := p.isQuiet(at); err != nil || quiet {
		return errors.Join(ErrQuiet, err)
	}
	if !slices.Contains(p.Approve, tool) {
		return ErrNotRemote
	}
	command = strings.ToLower(command)
	if tool != "update_system" &&
		slices.ContainsFunc(localUnits, func(unit string) bool { return strings.Contains(command, unit) }) {
		return ErrNotRemote
	}
	return nil
}
