package usage

import (
	"context"

	"github.com/nidoit/blunux-ai/providers"
)

// Model is what can be asked, as every package below providers makes it.
type Model interface {
	Complete(ctx context.Context, req providers.Request, onText func(string)) (providers.Completion, error)
	Name() string
	ModelID() string
}

// Guard is a model that is not asked once the budget is used up. A turn that
// has begun may end: what follows a tool's result is never held back.
type Guard struct {
	Model
	Budget *Budget
	Free   bool // the model costs nothing
}

// Complete asks the model, or returns the error of [Budget.Check].
func (g Guard) Complete(ctx context.Context, req providers.Request, onText func(string)) (providers.Completion, error) {
	if !midTurn(req.Messages) {
		if err := g.Budget.Check(g.Name(), g.Free, AutomationOf(ctx)); err != nil {
			return providers.Completion{}, err
		}
	}
	return g.Model.Complete(ctx, req, onText)
}

// midTurn reports whether what the model would answer to is what a tool
// brought.
func midTurn(messages []providers.Message) bool {
	if len(messages) == 0 {
		return false
	}
	for _, b := range messages[len(messages)-1].Content {
		if b.Type == providers.BlockToolResult {
			return true
		}
	}
	return false
}

type automationKey struct{}

// WithAutomation returns the context of a turn that an automation began.
func WithAutomation(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, automationKey{}, name)
}

// AutomationOf is the name of the automation a turn was begun by, "" for none.
func AutomationOf(ctx context.Context) string {
	name, _ := ctx.Value(automationKey{}).(string)
	return name
}
