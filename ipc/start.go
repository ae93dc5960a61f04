package ipc

import "context"

// Start runs a link in the background. The returned function stops it and waits for its end. Call either Start or
// [Link.Run], once.
func (l *Link) Start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = l.Run(ctx) // ends with ctx, which is not a failure
	}()
	return func() {
		cancel()
		<-ended
	}
}
