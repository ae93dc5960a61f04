package tools

import (
	"context"
	"path/filepath"
	"slices"
)

// Inhibitor prevents shutdown and sleep.
type Inhibitor interface {
	// Inhibit keeps the machine awake until release is called. Users who want to shut it down see why.
	Inhibit(ctx context.Context, why string) (release func(), err error)
}

// packagePrograms are the programs that change installed packages: the machine might not boot again if it is shut down
// while they run.
var packagePrograms = []string{
	"pacman", "yay", "paru", "pikaur", "trizen", "pamac", "makepkg", "mkinitcpio", "dracut", "dkms", "grub-install", "grub-mkconfig",
	"bootctl", "flatpak", "snap", "fwupdmgr",
}

// inhibitReason returns why the machine must stay awake while a plan runs, as a reason code or a program's name, or
// "" if it need not.
func inhibitReason(j JudgedPlan) string {
	if slices.Contains([]string{"package-install", "package-remove", "system-update"}, j.Plan.Reason) {
		return j.Plan.Reason
	}
	for _, p := range j.Programs {
		if name := filepath.Base(p); slices.Contains(packagePrograms, name) {
			return name
		}
	}
	return ""
}

// keepAwakeFor keeps the machine awake if the plan needs it.
func (r run) keepAwakeFor(ctx context.Context, j JudgedPlan) (release func()) {
	if why := inhibitReason(j); why != "" {
		return r.keepAwake(ctx, why)
	}
	return func() {}
}

// keepAwake keeps the machine awake. It ignores errors: the person confirmed the change, not the inhibitor lock.
func (g *Gate) keepAwake(ctx context.Context, why string) (release func()) {
	release, err := g.inhibitor.Inhibit(ctx, why)
	if err != nil {
		return func() {}
	}
	return release
}
