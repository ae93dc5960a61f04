package draw

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// sixelAttribute is the primary device attribute of a terminal that draws sixels.
const sixelAttribute = 4

// queryTimeout bounds the wait for a terminal's reply. All common terminals answer; over a slow line the file is named.
const queryTimeout = 300 * time.Millisecond

// queryAttributes asks for the primary device attributes (ECMA-48 DA); the reply is ESC [ ? N ; N … c.
const queryAttributes = "\x1b[c"

var errNoReply = errors.New("it does not say what it can do")

// deviceAttributes returns what a terminal says it can do. It asks nothing while typed input waits, which would be lost with
// the reply.
func deviceAttributes(tty *os.File) (attributes []int, err error) {
	fd := int(tty.Fd())
	was, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return nil, err
	}
	raw := *was
	raw.Lflag &^= unix.ICANON | unix.ECHO
	raw.Cc[unix.VMIN], raw.Cc[unix.VTIME] = 0, 0
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, &raw); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unix.IoctlSetTermios(fd, unix.TCSETS, was)) }()
	if n, err := unix.IoctlGetInt(fd, unix.TIOCINQ); err != nil || n > 0 {
		return nil, errors.Join(errNoReply, err)
	}
	if _, err := unix.Write(fd, []byte(queryAttributes)); err != nil {
		return nil, err
	}
	return readAttributes(fd, time.Now().Add(queryTimeout))
}

// readAttributes reads up to the end of the reply, byte by byte so that nothing typed after it is lost.
func readAttributes(fd int, until time.Time) ([]int, error) {
	var reply []byte
	for one := make([]byte, 1); len(reply) < 256; {
		left := time.Until(until)
		if left <= 0 {
			return nil, errNoReply
		}
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		ready, err := unix.Poll(poll, int(left.Milliseconds())+1)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return nil, err
		}
		n, err := unix.Read(fd, one)
		switch {
		case ready > 0 && n == 0 && err == nil: // the terminal is gone
			return nil, errNoReply
		case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR):
		case err != nil:
			return nil, err
		case n == 1:
			if reply = append(reply, one[0]); one[0] == 'c' {
				return parseAttributes(reply)
			}
		}
	}
	return nil, errNoReply
}

func parseAttributes(reply []byte) (attributes []int, err error) {
	_, list, ok := bytes.Cut(reply, []byte("\x1b[?"))
	if !ok {
		return nil, errNoReply
	}
	for field := range strings.SplitSeq(strings.TrimSuffix(string(list), "c"), ";") {
		n, err := strconv.Atoi(field)
		if err != nil {
			return nil, errNoReply
		}
		attributes = append(attributes, n)
	}
	return attributes, nil
}
