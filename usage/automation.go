package usage

import "context"

// Automation is a rule in whose name models are asked. The zero value is none.
type Automation struct {
	Name string
	// Daily is what it may cost a day, in the place of the configuration's limit for
	// each automation; 0 for that.
	Daily Money
}

type automationKey struct{}

// WithAutomation returns the context of a turn that an automation began.
func WithAutomation(ctx context.Context, a Automation) context.Context {
	return context.WithValue(ctx, automationKey{}, a)
}

// AutomationOf is the automation a turn was begun by, the zero value for none.
func AutomationOf(ctx context.Context) Automation {
	a, _ := ctx.Value(automationKey{}).(Automation)
	return a
}
