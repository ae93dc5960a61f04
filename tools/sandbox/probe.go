package sandbox

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nidoit/blunux-ai/tools/sandbox/cell"
)

// testEscape starts a cell that tries to escape. Its error lists what the cell could do but should not, or could
// not do but must.
func (s *Sandbox) testEscape(l Level, n Needs) error {
	if err := s.makeDirs(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(s.o.Dir, "probe-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("as it was"), 0o600); err != nil {
		return err
	}
	try, stop, err := listeners(dir)
	if err != nil {
		return err
	}
	defer stop()
	try.PID = os.Getpid()
	text, err := s.runAttempt(l, n, try)
	if err != nil {
		return err
	}
	if text != cell.NoEscape {
		return errors.New(text)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || string(data) != "as it was" {
		return errors.New("a file outside was changed")
	}
	return nil
}

// maxPath is the size of a socket's path including the terminating null byte (unix(7)).
const maxPath = 108

// listeners starts the services that a cell must not reach, or must reach in case of Service.
func listeners(dir string) (cell.EscapeTest, func(), error) {
	try := cell.EscapeTest{
		Dir:      dir,
		Socket:   filepath.Join(dir, "socket"),
		Datagram: filepath.Join(dir, "datagram"),
		Abstract: "@" + filepath.Base(dir) + strconv.Itoa(os.Getpid()),
	}
	if path := filepath.Join(dir, "service"); len(path) < maxPath {
		try.Service = path
	}
	var open []io.Closer
	stop := func() {
		for _, c := range open {
			c.Close()
		}
	}
	// A socket address holds 107 bytes (unix(7)), but the directory's path can be longer.
	d, err := os.Open(dir)
	if err != nil {
		return try, nil, err
	}
	open = append(open, d)
	short := fmt.Sprintf("/proc/self/fd/%d/", d.Fd())
	datagrams, err := net.ListenPacket("unixgram", short+"datagram")
	if err != nil {
		stop()
		return try, nil, fmt.Errorf("cannot listen for escapes: %w", err)
	}
	open = append(open, datagrams)
	for _, at := range [][2]string{{"unix", short + "socket"}, {"unix", short + "service"}, {"unix", try.Abstract}, {"tcp", "127.0.0.1:0"}} {
		l, err := net.Listen(at[0], at[1])
		if err != nil {
			stop()
			return try, nil, fmt.Errorf("cannot listen for escapes: %w", err)
		}
		open = append(open, l)
		if addr, ok := l.Addr().(*net.TCPAddr); ok {
			try.Port = addr.Port
		}
	}
	return try, stop, nil
}

// attemptTimeout is the timeout of an attempt, which usually takes milliseconds.
const attemptTimeout = 10 * time.Second

// runAttempt starts a cell and returns its report.
func (s *Sandbox) runAttempt(l Level, n Needs, try cell.EscapeTest) (string, error) {
	st, err := s.prepare(l, n, command{attempt: &try})
	if err != nil {
		return "", err
	}
	defer st.Close()
	devNull, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	defer devNull.Close()
	p, err := os.StartProcess(st.Path, st.Args, &os.ProcAttr{Env: st.Env, Files: []*os.File{devNull, devNull, devNull, st.Child}, Sys: st.Attr})
	if err != nil {
		return "", fmt.Errorf("cannot start a cell: %w", err)
	}
	impatient := time.AfterFunc(attemptTimeout, func() { _ = p.Kill() })
	defer impatient.Stop()
	said := st.WaitEntered()
	_, _ = p.Wait()
	if said == nil {
		return "", errors.New("the cell ended without a report")
	}
	return said.Error(), nil
}
