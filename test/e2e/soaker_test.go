package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"time"

	"github.com/nidoit/blunux-ai/ipc"
)

// soaker is a peer in one round. Every other one is an original peer.
type soaker struct {
	sock      string
	n, round  int
	rand      *rand.Rand
	c         net.Conn
	conn      *ipc.Conn
	abandoned []string // words whose answer it did not wait for
	err       error
}

var errUnexpected = errors.New("not what was asked for")

func (s *soaker) original() bool { return s.n%2 == 1 }

// talk sends its part of a round.
func (s *soaker) talk() {
	s.err = s.connect()
	for i := range soakRound / soakPeers {
		if s.err != nil {
			break
		}
		s.err = s.ask(i, fmt.Sprintf("r%dn%dx%d", s.round, s.n, i))
	}
	if s.c != nil {
		s.c.Close()
	}
}

func (s *soaker) connect() (err error) {
	if s.c != nil {
		s.c.Close()
	}
	if s.c, err = net.DialTimeout("unix", s.sock, 20*time.Second); err != nil {
		return err
	}
	s.conn = ipc.NewConn(s.c)
	if s.original() {
		return nil
	}
	hello := ipc.Hello{Channel: "cli", Lang: "en", Caps: []string{ipc.CapAsk, ipc.CapDelta, ipc.CapTool}}
	if err := s.conn.Write(ipc.Message{Type: ipc.TypeHello, V: 1, ID: "h"}.WithData(hello)); err != nil {
		return err
	}
	_, err = s.conn.Read()
	return err
}

// name returns the conversation: usually a new one every ten messages, and one that grows.
func (s *soaker) name(i int) string {
	if s.rand.IntN(10) == 0 {
		return fmt.Sprintf("8210%08d", s.n)
	}
	return fmt.Sprintf("82%04d%02d%04d", s.round, s.n, i/10)
}

// ask performs one of the usual actions of peers.
func (s *soaker) ask(i int, word string) error {
	name := s.name(i)
	switch dice := s.rand.IntN(100); {
	case dice < 2:
		return s.approve(name, word)
	case dice < 7:
		return s.exchange(name, "look "+word, "looked "+word)
	case dice < 9 && s.original():
		return s.leave(name, word)
	case dice < 10:
		if err := s.connect(); err != nil {
			return err
		}
	case dice < 11:
		if err := s.reset(name); err != nil {
			return err
		}
	}
	return s.exchange(name, "say "+word, "heard "+word)
}

// write sends one message in the peer's protocol.
func (s *soaker) write(name, body string) error {
	m := ipc.Message{Type: ipc.TypeMessage, From: name, Body: body}
	if !s.original() {
		m.From, m.ID, m.Session = "", "m", name
	}
	return s.conn.Write(m)
}

// until reads up to a frame of the given type.
func (s *soaker) until(kind string) (ipc.Message, error) {
	for {
		m, err := s.conn.Read()
		if err != nil || m.Type == kind {
			return m, err
		}
		if m.Type == ipc.TypeError {
			return m, fmt.Errorf("%w: %+v", errUnexpected, m.Error)
		}
	}
}

func (s *soaker) exchange(name, body, want string) error {
	if err := s.write(name, body); err != nil {
		return err
	}
	m, err := s.until(ipc.TypeResponse)
	if err == nil && m.Body != want {
		err = fmt.Errorf("%w: %q, not %q", errUnexpected, m.Body, want)
	}
	return err
}

// approve requests a command and alternately approves and denies it.
func (s *soaker) approve(name, word string) error {
	if err := s.write(name, "run "+word); err != nil {
		return err
	}
	answer := []string{ipc.ActionAllowOnce, ipc.ActionReject}[s.rand.IntN(2)]
	reply := ipc.Message{Type: ipc.TypeAction, From: name, Action: answer}
	kind := ipc.TypeResponse
	if !s.original() {
		kind = ipc.TypeAsk
	}
	asked, err := s.until(kind)
	if err != nil {
		return err
	}
	if !s.original() {
		reply.From, reply.Re, reply.Session = "", asked.ID, name
	}
	if err := s.conn.Write(reply); err != nil {
		return err
	}
	m, err := s.until(ipc.TypeResponse)
	if err == nil && m.Body != "ran "+word {
		err = fmt.Errorf("%w: %q, not %q", errUnexpected, m.Body, "ran "+word)
	}
	return err
}

// leave asks and disconnects before the answer.
func (s *soaker) leave(name, word string) error {
	if err := s.write(name, "say "+word); err != nil {
		return err
	}
	s.abandoned = append(s.abandoned, word)
	return s.connect()
}

func (s *soaker) reset(name string) error {
	m := ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionReset, From: name}
	kind := ipc.TypeResponse
	if !s.original() {
		m.From, m.ID, m.Session, kind = "", "x", name, ipc.TypeResult
	}
	if err := s.conn.Write(m); err != nil {
		return err
	}
	_, err := s.until(kind)
	return err
}
