package main

import (
	"context"
	"os"

	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/fleet/console"
	"github.com/nidoit/blunux-ai/fleet/server"
	"github.com/nidoit/blunux-ai/ipc"
)

// show shows the fleet to the page of this computer until stop is called. The server works without it.
func (p *program) show(ctx context.Context, s *server.Server, log zerolog.Logger) (stop func()) {
	path := ipc.FleetSocket(os.Getenv)
	if path == "" {
		log.Warn().Msg("no XDG_RUNTIME_DIR; the page cannot show the fleet")
		return func() {}
	}
	c, err := console.OpenInside(s, p.dir, "page")
	if err != nil {
		log.Warn().Err(err).Msg("cannot show the fleet on the page")
		return func() {}
	}
	l, err := console.ListenOverview(path)
	if err != nil {
		log.Warn().Err(err).Str("path", path).Msg("cannot show the fleet on the page")
		return func() {}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.Show(ctx, l, log)
	}()
	return func() {
		l.Close()
		<-ended
	}
}
