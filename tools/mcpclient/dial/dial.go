// Package dial connects to MCP servers: it starts their programs and reaches their URLs. It runs apart from the daemon
// ([Serve]), which has package mcpclient and decides what is called; the MCP library is linked only here.
package dial

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nidoit/blunux-ai/internal/child"
	"github.com/nidoit/blunux-ai/tools/mcpclient"
)

// maxFrame bounds one message of a server, in bytes.
const maxFrame = 4 << 20

// exitTimeout is how long a server may take to exit.
const exitTimeout = time.Second

// Dialer connects to configured servers.
type Dialer struct {
	Version string // of this program, sent to servers
	// Client is the client for servers with a URL, nil means a default one.
	Client *http.Client
	// Open starts a server or prepares to reach its URL. end stops what it started and may be nil. If Open is nil, the
	// configuration decides.
	Open func(s mcpclient.Server, stderr io.Writer) (t mcp.Transport, end func(), err error)
}

// open is the usual Dialer.Open.
func (d Dialer) open(s mcpclient.Server, stderr io.Writer) (mcp.Transport, func(), error) {
	if s.URL != "" {
		return &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: d.client(), MaxEventSize: maxFrame}, nil, nil
	}
	if len(s.Command) == 0 {
		return nil, nil, errors.New("it has neither a command nor a URL")
	}
	file, err := findProgram(s.Command[0], s.Env)
	if err != nil {
		return nil, nil, err
	}
	c, err := child.New(child.Start{File: file, Args: s.Command[1:], Dir: s.Dir, Env: s.Env, Errors: stderr})
	if err != nil {
		return nil, nil, err
	}
	return &mcp.IOTransport{Reader: c.Stdout, Writer: c.Stdin, MaxLineLength: maxFrame}, func() {
		c.Stdin.Close() // tells the program to exit
		select {
		case <-c.Done():
		case <-time.After(exitTimeout):
			c.Kill()
		}
		<-c.Done()
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

// findProgram finds a program in the PATH of its environment.
func findProgram(program string, env []string) (string, error) {
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
