package look

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/upgrade"
)

// Upgrade finds out what an upgrade of all packages would do. It returns a [RefusedError] if the gate refuses to look.
func Upgrade(ctx context.Context, rt *settings.Runtime, from tools.Origin, session string) (r upgrade.Report, err error) {
	j, refused := rt.Gate.Prepare(tools.Call{ID: "preview", Name: "preview_upgrade", Input: json.RawMessage("{}")}, session, rt.Config.Home)
	if refused != nil {
		return r, &RefusedError{refused.Text}
	}
	j.Origin = from
	out := rt.Gate.Run(ctx, j, nil, nil)
	switch {
	case ctx.Err() != nil:
		return r, ctx.Err()
	case len(out.Output.Steps) == 0:
		return r, &RefusedError{out.Text}
	}
	if err := json.Unmarshal([]byte(rt.Redact(out.Output.Steps[0].Stdout)), &r); err != nil {
		return r, fmt.Errorf("cannot read the preview: %w", err)
	}
	return r, nil
}
