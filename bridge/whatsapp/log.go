package whatsapp

import (
	"fmt"

	"github.com/rs/zerolog"
	waLog "go.mau.fi/whatsmeow/util/log"
)

// quiet passes on what whatsmeow says, a level lower than it says it: what we act
// on ourselves we say ourselves. Its debugging, which holds what was sent, is left
// out at every level.
type quiet struct{ log zerolog.Logger }

func (q quiet) Errorf(msg string, args ...any) { q.log.Warn().Msg(fmt.Sprintf(msg, args...)) }
func (q quiet) Warnf(msg string, args ...any)  { q.log.Debug().Msg(fmt.Sprintf(msg, args...)) }
func (q quiet) Infof(msg string, args ...any)  { q.log.Debug().Msg(fmt.Sprintf(msg, args...)) }
func (q quiet) Debugf(string, ...any)          {}
func (q quiet) Sub(string) waLog.Logger        { return q }
