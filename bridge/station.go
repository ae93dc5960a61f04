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

// countsAfter is the delay before changed counts are written to the file. Most messages are
// delivered within it.
const countsAfter = time.Second

// station writes the bridge's state file. It is safe for concurrent use.
type station struct {
	dir string
	log zerolog.Logger
	now func() time.Time
	// counts returns the numbers of messages that wait for the channel's server and for the daemon.
	counts func() (unsent, untaken int)

	mu      sync.Mutex
	said    state.State // the messenger's last report
	wrote   state.State
	noRoom  bool
	over    bool
	pending *time.Timer
	changed chan struct{} // closed when the phase changes
}

func newStation(dir, channel, version string, log zerolog.Logger, now func() time.Time) *station {
	return &station{
		dir: dir, log: log, now: now, changed: make(chan struct{}),
		said: state.State{Channel: channel, Phase: state.Starting, Since: now(), Version: version, PID: os.Getpid()},
	}
}

// stands saves a state that the messenger reports.
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
		e.Msg("messenger state changed")
	}
	s.said = said
	s.write(unsent, untaken)
}

// end saves the final state. Later changes are ignored.
func (s *station) end(last state.State) {
	s.stands(last)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	if s.pending != nil {
		s.pending.Stop()
	}
}

// phase returns the messenger's phase, and a channel that is closed when it changes.
func (s *station) phase() (state.Phase, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said.Phase, s.changed
}

// keeping records whether saving messages fails because the disk is full.
func (s *station) keeping(err error) {
	full := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
	unsent, untaken := s.counts()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && !full || s.noRoom == full {
		return
	}
	s.noRoom = full
	s.log.Warn().Bool("full", full).Msg("disk state changed")
	s.write(unsent, untaken)
}

// waits schedules a write of the file, because the counts may have changed.
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

// write writes the file if it has changed. Callers count before they lock s.mu, because counting
// takes other locks.
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
		s.log.Warn().Err(err).Msg("cannot save the bridge's state")
		return
	}
	s.wrote = now
}
