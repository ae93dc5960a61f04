package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/ipc"
)

// askThrice asks three questions and returns the first wrong answer, or "". Every other asker is an original peer.
func askThrice(c net.Conn, n int) string {
	conn := ipc.NewConn(c)
	hello := n%2 == 0
	if hello {
		if err := conn.Write(ipc.Message{Type: ipc.TypeHello, V: 1, ID: "h"}.WithData(ipc.Hello{Channel: "cli"})); err != nil {
			return err.Error()
		}
	}
	for i, verb := range []string{"say", "look", "say"} {
		word := fmt.Sprintf("w%dx%d", n, i)
		m := ipc.Message{Type: ipc.TypeMessage, From: loadName(n), Body: verb + " " + word}
		if hello {
			m.From, m.ID, m.Session = "", "m", loadName(n)
		}
		if err := conn.Write(m); err != nil {
			return err.Error()
		}
		for {
			got, err := conn.Read()
			if err != nil {
				return fmt.Sprint(word, ": ", err)
			}
			if got.Type != ipc.TypeResponse {
				continue
			}
			if want := map[string]string{"say": "heard ", "look": "looked "}[verb] + word; got.Body != want {
				return fmt.Sprintf("%s, not %q", got.Body, want)
			}
			break
		}
	}
	return ""
}

// loadName returns the sender of peer n. The first five numbers are for misbehaving peers.
func loadName(n int) string { return fmt.Sprintf("8210%08d", n+5) }

// flood sends questions as fast as it can until stop is closed, and then reads all answers. It returns the
// number of questions and of rejections by the rate limiter.
func flood(c net.Conn, stop <-chan struct{}) (asked, refused int, err error) {
	written := make(chan int)
	go func() {
		n := 0
		defer func() { written <- n }()
		for ; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := fmt.Fprintf(c, `{"type":"message","from":"821000000003","body":"say f%d"}`+"\n", n); err != nil {
				return
			}
		}
	}()
	r, read := bufio.NewReader(c), 0
	asked = -1
	for asked < 0 || read < asked {
		select {
		case asked = <-written:
			continue
		default:
		}
		limit := time.Second // between two checks whether everything was written
		if asked >= 0 {
			limit = eventTimeout
		}
		_ = c.SetReadDeadline(time.Now().Add(limit))
		line, err := r.ReadString('\n')
		if os.IsTimeout(err) && asked < 0 {
			continue
		}
		if err != nil {
			return asked, refused, fmt.Errorf("after %d of %d answers: %w", read, asked, err)
		}
		if read++; !strings.Contains(line, `"body":"heard f`) {
			refused++
		}
	}
	return asked, refused, nil
}

// drip sends a ping at one byte per second until stop is closed, then the rest of it, and returns the answer.
func drip(c net.Conn, stop <-chan struct{}) string {
	line := `{"type":"action","action":"ping","from":"drip"}` + "\n"
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for stopped := false; len(line) > 0 && !stopped; line = line[1:] {
		if _, err := c.Write([]byte(line[:1])); err != nil {
			return err.Error()
		}
		select {
		case <-stop:
			stopped = true
		case <-tick.C:
		}
	}
	_, _ = io.WriteString(c, line)
	got, err := bufio.NewReader(c).ReadString('\n')
	return fmt.Sprint(got, err)
}
