package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// ErrNotLooked reports a look that did not run: it is not SAFE, or was refused. No one is asked.
var ErrNotLooked = errors.New("the command did not run")

// Look runs a command that only reads for this program itself. It is judged and recorded like any other; what the checker does
// not class as SAFE does not run. id names the call in the command log.
func (g *Gate) Look(ctx context.Context, id, command string, from Origin, session string) (providers.Step, error) {
	if argv, literal := shell.ParseLiteral(command); literal && len(argv) > 1 && argv[0] == ownProgram && g.judge.putter != "" {
		return g.lookByOwn(ctx, id, argv[1:], from, session)
	}
	if a, ok := environmentOf(command); ok {
		return g.lookAtEnvironment(ctx, id, a, from, session)
	}
	input, err := json.Marshal(commandInput{command})
	if err != nil {
		return providers.Step{}, fmt.Errorf("cannot write the command: %w", err)
	}
	j, refused := g.Prepare(Call{ID: id, Name: runCommand, Input: input}, session, g.env.Home)
	if refused != nil {
		return providers.Step{}, fmt.Errorf("%w: %s", ErrNotLooked, refused.Text)
	}
	return g.look(ctx, j, from)
}

// look runs a command if it only reads.
func (g *Gate) look(ctx context.Context, j JudgedPlan, from Origin) (providers.Step, error) {
	if j.Class != safety.Safe {
		return providers.Step{}, fmt.Errorf("%w: %s", ErrNotLooked, j.Command())
	}
	j.Origin = from
	out := g.Run(ctx, j, nil, nil)
	switch {
	case ctx.Err() != nil:
		return providers.Step{}, ctx.Err()
	case out.Output.Refusal != "" || len(out.Output.Steps) == 0:
		return providers.Step{}, fmt.Errorf("%w: %s", ErrNotLooked, out.Text)
	}
	return out.Output.Steps[0], nil
}
