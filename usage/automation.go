package usage

import "context"

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
