package bridge

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/bridge/state"
)

// countsDelay is the delay before changed counts are written to the file. Most messages are
// delivered within it.
const countsDelay = time.Second

// statusWriter writes the bridge's state file. It is safe for concurrent use.
type statusWriter struct {
	dir string
	log zerolog.Logger
	now func() time.Time
	// counts returns the numbers of messages that wait for the channel's server and for the daemon.
	counts func() (unsent, untaken int)

	mu       sync.Mutex
	current  state.State // the messenger's last report
	written  state.State
	diskFull bool
	closed   bool
	timer    *time.Timer
	changed  chan struct{} // closed when the phase changes
}

func newStatusWriter(dir, channel, version string, log zerolog.Logger, now func() time.Time) *statusWriter {
	return &statusWriter{
		dir: dir, log: log, now: now, changed: make(chan struct{}),
		current: state.State{Channel: channel, Phase: state.Starting, Since: now(), Version: version, PID: os.Getpid()},
	}
}

// update saves a state that the messenger reports.
func (s *statusWriter) update(said state.State) {
	unsent, untaken := s.counts()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	said.Channel, said.Version, said.PID = s.current.Channel, s.current.Version, s.current.PID
	if said.Phase == "" {
		said.Phase = s.current.Phase
	}
	if said.Since.IsZero() {
		said.Since = s.now()
		if said.Phase == s.current.Phase {
			said.Since = s.current.Since
		}
	}
	if said.Account == "" {
		said.Account = s.current.Account
	}
	if said.Phase != s.current.Phase {
		close(s.changed)
		s.changed = make(chan struct{})
		e := s.log.Info().Str("phase", string(said.Phase))
		if said.Detail != "" {
			e = e.Str("detail", said.Detail)
		}
		e.Msg("messenger state changed")
	}
	s.current = said
	s.write(unsent, untaken)
}

// finish saves the final state. Later changes are ignored.
func (s *statusWriter) finish(last state.State) {
	s.update(last)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
}

// phase returns the messenger's phase, and a channel that is closed when it changes.
func (s *statusWriter) phase() (state.Phase, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current.Phase, s.changed
}

// recordSaveError records whether saving messages fails because the disk is full.
func (s *statusWriter) recordSaveError(err error) {
	full := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
	unsent, untaken := s.counts()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && !full || s.diskFull == full {
		return
	}
	s.diskFull = full
	s.log.Warn().Bool("full", full).Msg("disk state changed")
	s.write(unsent, untaken)
}

// scheduleWrite schedules a write of the file, because the counts may have changed.
func (s *statusWriter) scheduleWrite() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil || s.closed {
		return
	}
	s.timer = time.AfterFunc(countsDelay, func() {
		unsent, untaken := s.counts()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.timer = nil
		if !s.closed {
			s.write(unsent, untaken)
		}
	})
}

// write writes the file if it has changed. Callers count before they lock s.mu, because counting
// takes other locks.
func (s *statusWriter) write(unsent, untaken int) {
	now := s.current
	now.Unsent, now.Undelivered = unsent, untaken
	if s.diskFull {
		now.Phase = state.DiskFull
	}
	if now == s.written {
		return
	}
	if err := state.Write(s.dir, now); err != nil {
		s.log.Warn().Err(err).Msg("cannot save the bridge's state")
		return
	}
	s.written = now
}
