package wire

import (
	"context"

	"github.com/nidoit/blunux-ai/providers/transport"
	"github.com/rs/zerolog"
)

// newObserver returns an observer that logs every provider request, its bodies only at level trace. The line has
// the fields of the task that made the request.
func newObserver(log zerolog.Logger) transport.Observer {
	return transport.Observer{
		Bodies: log.GetLevel() <= zerolog.TraceLevel,
		OnEnd: func(ctx context.Context, e transport.Exchange) {
			of := zerolog.Ctx(ctx)
			if of.GetLevel() == zerolog.Disabled {
				of = &log
			}
			line := of.Debug().Str("provider", e.Provider).Str("model", e.Model).Str("method", e.Method).Str("url", e.URL).
				Int("status", e.Status).Dur("first_ms", e.FirstByte).Dur("took_ms", e.Duration).Int64("bytes", e.Bytes)
			if e.Err != nil {
				line = line.Str("error", e.Err.Error())
			}
			line.Msg("provider request")
			of.Trace().Str("url", e.URL).Bytes("request", e.Request).Bytes("answer", e.Answer).Msg("provider bodies")
		},
	}
}
