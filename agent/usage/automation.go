package usage

import "context"

// Automation identifies the automation on whose behalf models are asked. The zero value is none.
type Automation struct {
	Name string
	// Daily is its cost limit for a day, replacing the configured limit for each automation. 0 means that
	// limit.
	Daily Money
}

type automationKey struct{}

// WithAutomation returns a context for a turn started by an automation.
func WithAutomation(ctx context.Context, a Automation) context.Context {
	return context.WithValue(ctx, automationKey{}, a)
}

// AutomationFrom returns the automation that started a turn, or the zero value.
func AutomationFrom(ctx context.Context) Automation {
	a, _ := ctx.Value(automationKey{}).(Automation)
	return a
}
