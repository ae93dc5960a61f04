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

// countsAfter is how long a change of what waits may be missing in the file:
// most of it is over by then.
const countsAfter = time.Second

// station tells how the bridge stands. It is safe for concurrent use.
type station struct {
	dir string
	log zerolog.Logger
	now func() time.Time
	// counts says how many messages wait for the channel's server and for the daemon.
	counts func() (unsent, untaken int)

	mu      sync.Mutex
	said    state.State // what the messenger said last
	wrote   state.State
	noRoom  bool
	over    bool
	pending *time.Timer
	changed chan struct{} // closed at the next change of the phase
}

func newStation(dir, channel, version string, log zerolog.Logger, now func() time.Time) *station {
	return &station{
		dir: dir, log: log, now: now, changed: make(chan struct{}),
		said: state.State{Channel: channel, Phase: state.Starting, Since: now(), Version: version, PID: os.Getpid()},
	}
}

// stands notes what the messenger says.
func (s *station) stands(said state.State) {
	unsent, untaken := s.counts()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	said.Channel, said.Version, said.PID = s.said.Channel, s.said.Version, s.said.PID
	if said.Phase == "" {
		said.Phase = s.said.Phase
	}
	if said.Since.IsZero() {
		said.Since = s.now()
		if said.Phase == s.said.Phase {
			said.Since = s.said.Since
		}
	}
	if said.Account == "" {
		said.Account = s.said.Account
	}
	if said.Phase != s.said.Phase {
		close(s.changed)
		s.changed = make(chan struct{})
		e := s.log.Info().Str("phase", string(said.Phase))
		if said.Detail != "" {
			e = e.Str("detail", said.Detail)
		}
		e.Msg("how the messenger stands")
	}
	s.said = said
	s.write(unsent, untaken)
}

// end notes how the bridge ended; nothing is written after it.
func (s *station) end(last state.State) {
	s.stands(last)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	if s.pending != nil {
		s.pending.Stop()
	}
}

// phase returns where the messenger is, and what is closed when that changes.
func (s *station) phase() (state.Phase, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said.Phase, s.changed
}

// keeping notes whether messages can be kept.
func (s *station) keeping(err error) {
	full := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
	unsent, untaken := s.counts()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && !full || s.noRoom == full {
		return
	}
	s.noRoom = full
	s.log.Warn().Bool("full", full).Msg("the disk")
	s.write(unsent, untaken)
}

// waits has the file written soon: something waits, or does no more.
func (s *station) waits() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending != nil || s.over {
		return
	}
	s.pending = time.AfterFunc(countsAfter, func() {
		unsent, untaken := s.counts()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.pending = nil
		if !s.over {
			s.write(unsent, untaken)
		}
	})
}

// write writes the file where it has changed. Who waits is counted before the lock
// is taken: those who count have locks of their own.
func (s *station) write(unsent, untaken int) {
	now := s.said
	now.Unsent, now.Untaken = unsent, untaken
	if s.noRoom {
		now.Phase = state.NoRoom
	}
	if now == s.wrote {
		return
	}
	if err := state.Write(s.dir, now); err != nil {
		s.log.Warn().Err(err).Msg("how the bridge stands is not in its file")
		return
	}
	s.wrote = now
}
