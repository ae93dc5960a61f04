package botapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// errOtherPoll ends a getUpdates when another one starts.
var errOtherPoll error = refusal{409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running", 0}

// getUpdates implements section "getUpdates". An offset above an update's ID confirms and removes
// the update. A negative offset counts from the end and removes all updates before it.
func (s *Server) getUpdates(w http.ResponseWriter, r *http.Request, args values) {
	offset, _ := strconv.ParseInt(args.text["offset"], 10, 64)
	limit, _ := strconv.Atoi(args.text["limit"])
	timeout, _ := strconv.Atoi(args.text["timeout"])
	if limit < 1 || limit > 100 {
		limit = 100
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	if s.beginPoll(w, offset, cancel) {
		return
	}
	expired := time.NewTimer(time.Duration(min(timeout, 50)) * time.Second)
	defer expired.Stop()
	for {
		list, came := s.queuedUpdates(limit)
		if list != nil {
			reply(w, list)
			return
		}
		select {
		case <-came:
		case <-expired.C:
			reply(w, []json.RawMessage{})
			return
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), errOtherPoll) {
				reply(w, errOtherPoll)
			}
			return
		}
	}
}

// beginPoll confirms updates below the offset and aborts another poll. It reports whether it has
// already answered.
func (s *Server) beginPoll(w http.ResponseWriter, offset int64, cancel context.CancelCauseFunc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.webhook != "" {
		reply(w, refusal{409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first", 0})
		return true
	}
	if s.polling != nil {
		s.polling(errOtherPoll)
	}
	s.polling = cancel
	s.offsets = append(s.offsets, offset)
	if offset < 0 {
		offset = s.nextID + offset
	}
	s.updates = slices.DeleteFunc(s.updates, func(u update) bool { return u.id < offset })
	if len(s.rawAnswers) > 0 {
		body := s.rawAnswers[0]
		s.rawAnswers = s.rawAnswers[1:]
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
		return true
	}
	return false
}

// queuedUpdates returns the queued updates. If there are none, it returns a channel that is closed when
// there are.
func (s *Server) queuedUpdates(limit int) ([]json.RawMessage, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []json.RawMessage
	for _, u := range s.updates[:min(limit, len(s.updates))] {
		list = append(list, u.body)
	}
	return list, s.queued
}

// queueUpdate queues an update, with its ID as the first field. The caller holds the lock.
func (s *Server) queueUpdate(fields map[string]any) {
	id := s.nextID
	s.nextID++
	rest, err := json.Marshal(fields)
	if err != nil {
		panic(err) // cannot fail for these types
	}
	body := append(fmt.Appendf(nil, `{"update_id":%d,`, id), rest[1:]...)
	s.updates = append(s.updates, update{id, body})
	close(s.queued)
	s.queued = make(chan struct{})
}
