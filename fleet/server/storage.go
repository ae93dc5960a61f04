package server

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"
)

const (
	// maxStore and maxMemory are more than all streams use. Without maxStore NATS reserves three quarters of what is free
	// when the server starts, and a server whose disk is nearly full does not start.
	maxStore  = 2 << 30
	maxMemory = 64 << 20
	// minRoom is what the disk must have free, in bytes, to open streams that could not be written.
	minRoom = 16 << 20
	// roomEvery is the pause between two looks for room.
	roomEvery = 2 * time.Second
)

// HasRoom reports whether the disk of a server's directory has room for questions.
func HasRoom(dir string) bool {
	var st unix.Statfs_t
	return unix.Statfs(dir, &st) == nil && st.Bavail*uint64(st.Bsize) >= minRoom
}

// natsLog passes the errors of NATS to the server's log.
type natsLog struct {
	log zerolog.Logger
	// unwritten receives a value when a stream could not be written.
	unwritten chan struct{}
}

func newNATSLog(log zerolog.Logger) *natsLog { return &natsLog{log, make(chan struct{}, 1)} }

// Errorf implements [natsserver.Logger]. NATS takes nothing more for a stream after a critical write error, until the
// stream is opened again, and reports it only here.
func (l *natsLog) Errorf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	l.log.Error().Msg(text)
	if strings.Contains(text, "critical write error") {
		select {
		case l.unwritten <- struct{}{}:
		default:
		}
	}
}

// Fatalf implements [natsserver.Logger].
func (l *natsLog) Fatalf(format string, v ...any) { l.log.Error().Msgf(format, v...) }

// Warnf implements [natsserver.Logger].
func (l *natsLog) Warnf(format string, v ...any) { l.log.Warn().Msgf(format, v...) }

// Noticef, Debugf and Tracef implement [natsserver.Logger]. They drop what is no fault.
func (*natsLog) Noticef(string, ...any) {}
func (*natsLog) Debugf(string, ...any)  {}
func (*natsLog) Tracef(string, ...any)  {}

// watchStorage closes the streams when they cannot be written, and opens them when the disk has room, until ctx ends. In
// the meantime consoles get [ErrFull] from their own look at the disk, and machines keep their answers.
func (s *Server) watchStorage(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.log.unwritten:
		}
		if err := s.reopenStreams(ctx); err != nil && ctx.Err() == nil {
			s.o.Log.Error().Err(err).Msg("cannot open the streams")
			s.nats.Shutdown() // the service manager starts it again
			return
		}
	}
}

func (s *Server) reopenStreams(ctx context.Context) error {
	s.o.Log.Error().Str("dir", s.o.Dir).Msg("streams closed until the disk has room")
	if err := s.nats.ShutdownJetStream(); err != nil {
		return fmt.Errorf("cannot close the streams: %w", err)
	}
	for !HasRoom(s.o.Dir) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(roomEvery):
		}
	}
	err := s.nats.EnableJetStream(&natsserver.JetStreamConfig{
		StoreDir:   filepath.Join(s.o.Dir, "streams"),
		SyncAlways: true,
		MaxStore:   maxStore,
		MaxMemory:  maxMemory,
		CompressOK: true,
		Strict:     true,
	})
	if err != nil {
		return fmt.Errorf("cannot open the streams: %w", err)
	}
	s.o.Log.Info().Msg("streams open again")
	return nil
}
