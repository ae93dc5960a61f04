package look

import (
	"context"

	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/upgrade/pacnew"
)

// LeftFile is a configuration file that pacman left, "" for all, with what the person decided about it.
type LeftFile struct{ File, Choice string }

// Pacnew looks at the configuration files that pacman left. It returns a [RefusedError] if the file or the choice is none.
func Pacnew(ctx context.Context, rt *settings.Runtime, f LeftFile, from tools.Origin, session string, lang i18n.Lang) (r pacnew.Report, err error) {
	input := map[string]string{"lang": string(lang.Base())}
	for name, value := range map[string]string{"file": f.File, "choice": f.Choice} {
		if value != "" {
			input[name] = value
		}
	}
	err = report(ctx, rt, call{"pacnew", input, from, session}, &r)
	return r, err
}
