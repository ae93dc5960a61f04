package whatsapp

import (
	"fmt"

	"github.com/rs/zerolog"
	waLog "go.mau.fi/whatsmeow/util/log"
)

// quiet passes on whatsmeow's log messages one level lower, because this package logs what it
// handles. Debug messages contain message contents and are always dropped.
type quiet struct{ log zerolog.Logger }

func (q quiet) Errorf(msg string, args ...any) { q.log.Warn().Msg(fmt.Sprintf(msg, args...)) }
func (q quiet) Warnf(msg string, args ...any)  { q.log.Debug().Msg(fmt.Sprintf(msg, args...)) }
func (q quiet) Infof(msg string, args ...any)  { q.log.Debug().Msg(fmt.Sprintf(msg, args...)) }
func (q quiet) Debugf(string, ...any)          {}
func (q quiet) Sub(string) waLog.Logger        { return q }
