package ipc

import "context"

// Start runs a link beside its caller, and returns what ends it and waits for
// that. It may be called once, in the place of [Link.Run].
func (l *Link) Start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = l.Run(ctx) // it ends with ctx, which is no failure
	}()
	return func() {
		cancel()
		<-ended
	}
}
