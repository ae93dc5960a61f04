package waserver

import (
	waBinary "go.mau.fi/whatsmeow/binary"
)

// CloseConnections closes all connections.
func (s *Server) CloseConnections() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.close()
	}
	s.current = nil
}

// SetDown(true) makes the server reject connections until Down(false).
func (s *Server) SetDown(down bool) {
	s.mu.Lock()
	s.failures.down = down
	s.mu.Unlock()
	if down {
		s.CloseConnections()
	}
}

// SetStalled makes the server accept messages without answering.
func (s *Server) SetStalled(stall bool) { s.setFailure(func(w *failures) { w.stall = stall }) }

// Mute makes the server ignore requests.
func (s *Server) Mute(mute bool) { s.setFailure(func(w *failures) { w.mute = mute }) }

// Status makes the server answer new connections with an HTTP status; 0 for none.
func (s *Server) Status(code int) { s.setFailure(func(w *failures) { w.status = code }) }

// Break aborts the next n handshakes, or all if n is negative.
func (s *Server) Break(n int) { s.setFailure(func(w *failures) { w.handshakes = n }) }

// Refuse answers logins with a failure: 405 for an outdated client, 402 with code and expire for a
// temporary ban. Nil ends that.
func (s *Server) Refuse(attrs waBinary.Attrs) { s.setFailure(func(w *failures) { w.failure = attrs }) }

// Answer answers messages with the error codes that f returns; 0 for none.
func (s *Server) Answer(f func() int) { s.setFailure(func(w *failures) { w.messageError = f }) }

func (s *Server) setFailure(change func(*failures)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.failures)
}

// Error sends a stream error on the current connection and closes it: "515", or "401" with the
// conflict device_removed.
func (s *Server) Error(code, conflict string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return
	}
	n := waBinary.Node{Tag: "stream:error", Attrs: waBinary.Attrs{"code": code}}
	if conflict != "" {
		n.Content = []waBinary.Node{{Tag: "conflict", Attrs: waBinary.Attrs{"type": conflict}}}
	}
	s.current.send(n)
}

// Unlink removes the bridge's device on the phone.
func (s *Server) Unlink() {
	s.mu.Lock()
	s.removed = true
	s.mu.Unlock()
	s.Error("401", "device_removed")
}

// IsLinked reports whether a device is linked.
func (s *Server) IsLinked() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.companion != nil && !s.removed
}

// QueueLength returns the number of messages that the bridge has not confirmed.
func (s *Server) QueueLength() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue)
}

// Receipt returns the last receipt for a message: "" or "inactive" for delivered, "read" for read.
// ok is false if there was none.
func (s *Server) Receipt(id string) (kind string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind, ok = s.receipts[id]
	return kind, ok
}
