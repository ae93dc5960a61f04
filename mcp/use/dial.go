package use

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nidoit/blunux-ai/child"
)

// maxFrame bounds one message of a server, in bytes.
const maxFrame = 4 << 20

// leaving is how long a server may take to exit.
const leaving = time.Second

// Dialer connects to configured servers: it starts programs and connects to URLs.
type Dialer struct {
	// Client is the client for servers with a URL, nil means a default one.
	Client *http.Client
}

// Dial is [Options.Dial].
func (d Dialer) Dial(_ context.Context, s Server, errors io.Writer) (mcp.Transport, func(), error) {
	if s.URL != "" {
		return &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: d.client(), MaxEventSize: maxFrame}, nil, nil
	}
	file, err := look(s.Command[0], s.Env)
	if err != nil {
		return nil, nil, err
	}
	c, err := child.New(child.Start{File: file, Args: s.Command[1:], Dir: s.Dir, Env: s.Env, Errors: errors})
	if err != nil {
		return nil, nil, err
	}
	return &mcp.IOTransport{Reader: c.Stdout, Writer: c.Stdin, MaxLineLength: maxFrame}, func() {
		c.Stdin.Close() // tells the program to exit
		select {
		case <-c.Over():
		case <-time.After(leaving):
			c.Kill()
		}
		<-c.Over()
	}, nil
}

// client refuses redirects to other servers than the configured one.
func (d Dialer) client() *http.Client {
	c := http.Client{}
	if d.Client != nil {
		c.Transport = d.Client.Transport
	}
	c.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme || len(via) > 5 {
			return errors.New("redirect to another server refused")
		}
		return nil
	}
	return &c
}

// look finds a program in the PATH of its own environment.
func look(program string, env []string) (string, error) {
	if strings.Contains(program, "/") {
		if !filepath.IsAbs(program) {
			return "", fmt.Errorf("%s is neither a name nor an absolute path", program)
		}
		return program, nil
	}
	for _, v := range env {
		list, ok := strings.CutPrefix(v, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			file := filepath.Join(dir, program)
			if fi, err := os.Stat(file); err == nil && filepath.IsAbs(dir) && fi.Mode().IsRegular() && fi.Mode()&0o111 != 0 {
				return file, nil
			}
		}
	}
	return "", fmt.Errorf("the program %s is not installed", program)
}

// The limits for logged standard error.
const (
	maxErrorLine  = 512 // bytes
	maxErrorLines = 20  // a minute
)

// lines passes what is written to it to told, line by line, with a limit per minute.
type lines struct {
	told func(line string)

	mu    sync.Mutex
	rest  []byte
	since time.Time
	count int
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(p)
	for len(p) > 0 {
		line, rest, whole := bytes.Cut(p, []byte("\n"))
		if room := maxErrorLine - len(l.rest); room > 0 {
			l.rest = append(l.rest, line[:min(len(line), room)]...)
		}
		if whole {
			l.tell(strings.TrimSpace(string(l.rest)))
			l.rest = l.rest[:0]
		}
		p = rest
	}
	return n, nil
}

func (l *lines) tell(line string) {
	if now := time.Now(); now.Sub(l.since) >= time.Minute {
		l.since, l.count = now, 0
	}
	l.count++
	switch {
	case line == "" || l.count > maxErrorLines:
	case l.count == maxErrorLines:
		l.told("too many lines, skipping the rest of this minute")
	default:
		l.told(line)
	}
}
