package look

import (
	"context"

	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/upgrade"
)

// Upgrade finds out what an upgrade of all packages would do. It returns a [RefusedError] if the gate refuses to look.
func Upgrade(ctx context.Context, rt *settings.Runtime, from tools.Origin, session string) (r upgrade.Report, err error) {
	err = report(ctx, rt, call{"preview_upgrade", map[string]string{}, from, session}, &r)
	return r, err
}
