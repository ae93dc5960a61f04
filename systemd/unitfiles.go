package systemd

import (
	"context"
	"fmt"
	"path"
	"slices"
)

// Installed returns the names of the unit files that match shell patterns, sorted. It loads and starts no unit.
//
// Source: org.freedesktop.systemd1(5), ListUnitFilesByPatterns().
func (m UserManager) Installed(ctx context.Context, patterns ...string) ([]string, error) {
	conn, err := m.connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot connect to the service manager: %w", err)
	}
	defer conn.Close()
	var files []struct{ Path, State string }
	call := conn.Object(managerService, managerPath).CallWithContext(ctx, managerCalls+"ListUnitFilesByPatterns", 0, []string{}, patterns)
	if err := call.Store(&files); err != nil {
		return nil, fmt.Errorf("cannot list the unit files: %w", err)
	}
	var names []string
	for _, f := range files {
		names = append(names, path.Base(f.Path))
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
