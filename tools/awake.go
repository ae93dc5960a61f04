package tools

import (
	"context"
	"path/filepath"
	"slices"
)

// Inhibitor keeps the machine from being shut down or put to sleep.
type Inhibitor interface {
	// Inhibit holds the machine awake until release is called; why is shown to
	// whoever wants to shut it down.
	Inhibit(ctx context.Context, why string) (release func(), err error)
}

// changers are the programs that change what is installed: a machine that goes
// down in the middle may not start again.
var changers = []string{
	"pacman", "yay", "paru", "pikaur", "trizen", "pamac", "makepkg", "mkinitcpio", "dracut", "dkms", "grub-install", "grub-mkconfig",
	"bootctl", "flatpak", "snap", "fwupdmgr",
}

// awakeFor returns why the machine must stay awake while a plan runs, its
// reason code or a program's name; "" when it need not.
func awakeFor(j Judged) string {
	if slices.Contains([]string{"package-install", "package-remove", "system-update"}, j.Plan.Reason) {
		return j.Plan.Reason
	}
	for _, p := range j.Programs {
		if name := filepath.Base(p); slices.Contains(changers, name) {
			return name
		}
	}
	return ""
}

// awake holds the machine awake while a plan runs that needs it.
func (r run) awake(ctx context.Context, j Judged) (release func()) {
	if why := awakeFor(j); why != "" {
		return r.hold(ctx, why)
	}
	return func() {}
}

// hold holds the machine awake. Where that cannot be had it does without: the
// person has said yes to the change, not to the lock.
func (g *Gate) hold(ctx context.Context, why string) (release func()) {
	if g.inhibit == nil {
		return func() {}
	}
	release, err := g.inhibit.Inhibit(ctx, why)
	if err != nil {
		return func() {}
	}
	return release
}
