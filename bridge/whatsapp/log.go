package whatsapp

import (
	"fmt"

	"github.com/rs/zerolog"
	waLog "go.mau.fi/whatsmeow/util/log"
)

// logAdapter passes on whatsmeow's log messages one level lower, because this package logs what it
// handles. Debug messages contain message contents and are always dropped.
type logAdapter struct{ log zerolog.Logger }

func (q logAdapter) Errorf(msg string, args ...any) { q.log.Warn().Msg(fmt.Sprintf(msg, args...)) }
func (q logAdapter) Warnf(msg string, args ...any)  { q.log.Debug().Msg(fmt.Sprintf(msg, args...)) }
func (q logAdapter) Infof(msg string, args ...any)  { q.log.Debug().Msg(fmt.Sprintf(msg, args...)) }
func (q logAdapter) Debugf(string, ...any)          {}
func (q logAdapter) Sub(string) waLog.Logger        { return q }
