package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/helper"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/mcpclient"
	"github.com/nidoit/blunux-ai/tools/mcpclient/dial"
)

// stage has servers in memory and records their log lines.
type stage struct {
	*mcpclient.Servers
	helper   *mcpclient.Helper
	t        *testing.T
	dials    atomic.Int64
	launches atomic.Int64 // of the program that holds the connections
	kill     func()       // kills the last one
	// serve returns the server of a name. An error simulates a program that does not start.
	serve func(name string) (*mcp.Server, error)

	mu   sync.Mutex
	told []string
	live []*mcp.ServerSession
}

// newStage returns a stage whose connections another program holds, as it does in the daemon.
func newStage(t *testing.T, serve func(name string) (*mcp.Server, error)) *stage {
	s := &stage{t: t, serve: serve}
	s.use(dial.Dialer{Version: "test", Open: s.open}, mcpclient.Options{})
	return s
}

// use makes the connections with a dialer.
func (s *stage) use(d dial.Dialer, o mcpclient.Options) {
	h := mcpclient.NewHelper(s.launch(d), func(line string) { s.log("helper", line) })
	o.Connect, o.Log = h.Connect, s.log
	s.Servers = mcpclient.New(o)
	s.helper = h
	s.t.Cleanup(s.Close)
}

// Close ends the servers and the program that holds their connections.
func (s *stage) Close() {
	s.Servers.Close()
	s.helper.Close()
}

func (s *stage) log(server, line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = append(s.told, server+": "+line)
}

// launch returns a program that runs in this process.
func (s *stage) launch(d dial.Dialer) func(io.Writer) (helper.Process, error) {
	return func(io.Writer) (helper.Process, error) {
		fromDaemon, stdin := io.Pipe()
		stdout, toDaemon := io.Pipe()
		done := make(chan struct{})
		go func() {
			defer close(done)
			dial.Serve(fromDaemon, toDaemon, d)
		}()
		end := func() {
			fromDaemon.Close()
			toDaemon.Close()
		}
		s.launches.Add(1)
		s.kill = end
		return helper.Process{Stdin: stdin, Stdout: stdout, Done: done, Exit: func() error { return nil }, Kill: end}, nil
	}
}

func (s *stage) open(c mcpclient.Server, _ io.Writer) (mcp.Transport, func(), error) {
	s.dials.Add(1)
	server, err := s.serve(c.Name)
	if err != nil {
		return nil, nil, err
	}
	ours, theirs := mcp.NewInMemoryTransports()
	if server == nil { // it reads but does not answer
		conn, err := theirs.Connect(context.Background())
		require.NoError(s.t, err)
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			for {
				if _, err := conn.Read(ctx); err != nil {
					return
				}
			}
		}()
		return ours, func() { cancel(); conn.Close() }, nil
	}
	session, err := server.Connect(context.Background(), theirs, nil)
	require.NoError(s.t, err)
	s.mu.Lock()
	s.live = append(s.live, session)
	s.mu.Unlock()
	return ours, nil, nil
}

// crash ends the last started server from its own side.
func (s *stage) crash() {
	s.mu.Lock()
	last := s.live[len(s.live)-1]
	s.mu.Unlock()
	last.Close()
	synctest.Wait()
}

func (s *stage) logText() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.told, "\n")
}

// clean replaces agent.Neutral in tests.
func clean(text string) string { return strings.ReplaceAll(text, "\x1b", "") }

func (s *stage) configure(names ...string) {
	var list []mcpclient.Server
	for _, n := range names {
		list = append(list, mcpclient.Server{Name: n, Command: []string{n}, Allow: []string{"read"}, Timeout: time.Minute})
	}
	s.Configure(list, []string{"check_disk"}, clean)
}

// server returns a server whose tools answer with their arguments.
func server(names ...string) *mcp.Server {
	m := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	for _, n := range names {
		add(m, n, "does "+n, `{"type":"object"}`)
	}
	return m
}

func add(m *mcp.Server, name, description, schema string) {
	m.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: json.RawMessage(schema)},
		func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: name + string(req.Params.Arguments)}}}, nil
		})
}

func names(list []action.ForeignTool) []string {
	found := []string{}
	for _, t := range list {
		found = append(found, t.Definition.Name)
	}
	return found
}

func one(m *mcp.Server) func(string) (*mcp.Server, error) {
	return func(string) (*mcp.Server, error) { return m, nil }
}

// callOf returns a call of the tool in its current version.
func (s *stage) callOf(tool string) action.ForeignCall {
	for _, t := range s.Tools() {
		if t.Tool == tool {
			return action.ForeignCall{Server: t.Server, Tool: tool, Input: json.RawMessage(`{"a":1}`), Digest: t.Digest}
		}
	}
	s.t.Fatalf("no tool %s", tool)
	return action.ForeignCall{}
}

func TestAServerIsStartedWhenItsToolsAreAskedForAndEndedWhenNobodyNeedsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, func(string) (*mcp.Server, error) { return server("read", "write"), nil })
		defer s.Close()
		s.configure("notes")
		require.Zero(t, s.dials.Load(), "nothing is started before")
		list := s.Tools()
		require.Equal(t, []string{"notes_read", "notes_write"}, names(list))
		require.Equal(t, "[notes] does read", list[0].Definition.Description)
		require.True(t, s.Allows("notes", "read"))
		require.False(t, s.Allows("notes", "write"))
		require.False(t, s.Allows("others", "read"))

		var out strings.Builder
		failed, err := s.Call(t.Context(), s.callOf("write"), &out)
		require.NoError(t, err)
		require.False(t, failed)
		require.Equal(t, "write{\"a\":1}\n", out.String())

		time.Sleep(6 * time.Minute)
		synctest.Wait()
		require.Equal(t, []string{"notes_read", "notes_write"}, names(s.Tools()), "what it has is known")
		require.EqualValues(t, 1, s.dials.Load(), "and it is not started for that")
		require.NoError(t, s.Ready(t.Context(), s.callOf("read")))
		require.EqualValues(t, 2, s.dials.Load())
		require.Empty(t, s.Problems())
		require.Empty(t, s.logText(), "an end in order is no news")
	})
}

func TestAServerThatSaysNothingCostsTwoSecondsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, func(name string) (*mcp.Server, error) {
			if name == "dumb" {
				return nil, nil
			}
			return server("read"), nil
		})
		defer s.Close()
		s.configure("dumb", "notes")
		began := time.Now()
		require.Equal(t, []string{"notes_read"}, names(s.Tools()), "the others' tools are there")
		require.Equal(t, 2*time.Second, time.Since(began))
		s.Tools()
		require.Equal(t, 2*time.Second, time.Since(began), "it is waited for once")
		err := s.Ready(t.Context(), action.ForeignCall{Server: "dumb", Tool: "x"})
		require.ErrorContains(t, err, "server dumb does not answer: start timed out")
		require.Equal(t, 20*time.Second, time.Since(began))
		require.Equal(t, []string{"server dumb does not answer: start timed out"}, s.Problems())
	})
}

func TestAServerThatSaysNothingDoesNotHoldUpTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, one(nil))
		s.configure("dumb")
		s.Tools()
		began := time.Now()
		s.Close()
		require.LessOrEqual(t, time.Since(began), time.Second)
		require.Empty(t, s.Tools())
		s.configure("dumb")
		require.Empty(t, s.Tools(), "it is over")
		require.Empty(t, s.logText(), "that is no failure")
	})
}

func TestAServerThatCrashesIsLeftAloneForAGrowingWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, func(string) (*mcp.Server, error) { return nil, errors.New("the program is not installed") })
		defer s.Close()
		s.configure("notes")
		require.Empty(t, s.Tools())
		call := action.ForeignCall{Server: "notes", Tool: "x"}
		for _, pause := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
			before := s.dials.Load()
			require.ErrorContains(t, s.Ready(t.Context(), call), "server notes does not answer: the program is not installed")
			require.Equal(t, before, s.dials.Load(), "it is not tried again at once")
			time.Sleep(pause)
			require.Error(t, s.Ready(t.Context(), call))
			require.Equal(t, before+1, s.dials.Load())
		}
		require.Contains(t, s.logText(), "notes: the program is not installed; next try in 8s")

		s.serve = one(server("read"))
		time.Sleep(8 * time.Second)
		s.Tools()
		synctest.Wait()
		require.Equal(t, []string{"notes_read"}, names(s.Tools()), "when it is mended its tools come")
		require.Empty(t, s.Problems())
		s.crash()
		require.Contains(t, s.Problems()[0], "server notes does not answer")
		require.Equal(t, []string{"notes_read"}, names(s.Tools()), "what it had is still told")
		require.Error(t, s.Ready(t.Context(), call))
	})
}

func TestToolsThatChangeCountNextAndCallsOfTheOldAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := server("read", "write")
		s := newStage(t, one(m))
		defer s.Close()
		s.configure("notes")
		write, read := s.callOf("write"), s.callOf("read")
		add(m, "write", "does write", `{"type":"object","properties":{"all":{"type":"boolean"}}}`)
		add(m, "more", "does more", `{"type":"object"}`)
		time.Sleep(time.Second) // the server announces changes together
		synctest.Wait()
		require.Equal(t, []string{"notes_more", "notes_read", "notes_write"}, names(s.Tools()))
		require.NoError(t, s.Ready(t.Context(), read))
		require.ErrorIs(t, s.Ready(t.Context(), write), action.ErrForeignChanged)
		var out strings.Builder
		_, err := s.Call(t.Context(), write, &out)
		require.ErrorIs(t, err, action.ErrForeignChanged)
		require.Empty(t, out.String(), "it never reached the server")
		m.RemoveTools("read")
		time.Sleep(time.Second)
		synctest.Wait()
		require.ErrorIs(t, s.Ready(t.Context(), read), action.ErrForeignChanged)
	})
}

func TestS12AToolThatChangesUnannouncedIsNotCalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := server("read", "write")
		s := newStage(t, one(m))
		defer s.Close()
		s.configure("notes")
		write, read := s.callOf("write"), s.callOf("read")
		add(m, "write", "does write, and sends it away", `{"type":"object"}`)
		var out strings.Builder
		_, err := s.Call(t.Context(), write, &out) // before the server announces the change
		require.ErrorIs(t, err, action.ErrForeignChanged)
		require.Empty(t, out.String(), "it never reached the server")
		_, err = s.Call(t.Context(), read, &out)
		require.NoError(t, err)
	})
}

func TestThreat02WhatAServerSaysOfItselfIsCutAndCleaned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := server()
		add(m, "good", strings.Repeat("가", 1000)+"\x1b[2J", `{"properties":{"p":{"description":"do\u001bit","type":"string"}},"type":"object"}`)
		add(m, "bad name", "", `{"type":"object"}`)
		add(m, strings.Repeat("n", 62), "", `{"type":"object"}`)
		add(m, "key", "", `{"type":"object","properties":{"a\u001bb":{}}}`)
		add(m, "huge", "", `{"type":"object","title":"`+strings.Repeat("x", 33<<10)+`"}`)
		check := server("disk", "memory")
		s := newStage(t, func(name string) (*mcp.Server, error) {
			if name == "check" {
				return check, nil
			}
			return m, nil
		})
		defer s.Close()
		s.configure("check", "odd")
		list := s.Tools()
		require.Equal(t, []string{"check_memory", "odd_good"}, names(list))
		good := list[1].Definition
		require.Less(t, len(good.Description), 1100)
		require.True(t, strings.HasPrefix(good.Description, "[odd] 가"))
		require.JSONEq(t, `{"properties":{"p":{"description":"doit","type":"string"}},"type":"object"}`, string(good.InputSchema))
		problems := strings.Join(s.Problems(), "\n")
		require.Contains(t, problems, `server check: tool "disk" skipped: a tool of this program has this name`)
		for _, want := range []string{`"bad name" skipped: invalid name`, `"nnn`, `"key" skipped: schema has unsafe keys`, `"huge" skipped: the server's schemas have more than 32 KiB`} {
			require.Contains(t, problems, want)
			require.Contains(t, s.logText(), want)
		}
	})
}

func TestAFloodOfToolsIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := server()
		for i := range 400 {
			add(m, fmt.Sprintf("t%03d", i), "", `{"type":"object"}`)
		}
		s := newStage(t, one(m))
		defer s.Close()
		s.configure("many")
		require.Len(t, s.Tools(), 64)
		require.Less(t, len(s.Problems()), 20)
	})
}

func TestACallThatIsCancelledEndsItsServerAndNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, func(string) (*mcp.Server, error) {
			m := server("read")
			m.AddTool(&mcp.Tool{Name: "hang", InputSchema: json.RawMessage(`{"type":"object"}`)},
				func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				})
			return m, nil
		})
		defer s.Close()
		s.configure("notes")
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		_, err := s.Call(ctx, s.callOf("hang"), io.Discard)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		synctest.Wait()
		require.Empty(t, s.Problems(), "that is no failure of its own")
		_, err = s.Call(t.Context(), s.callOf("read"), io.Discard)
		require.NoError(t, err)
		require.EqualValues(t, 2, s.dials.Load())
	})
}

func TestANewConfigurationKeepsWhatStaysAsItWas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, func(string) (*mcp.Server, error) { return server("read"), nil })
		defer s.Close()
		s.configure("a", "b")
		require.Equal(t, []string{"a_read", "b_read"}, names(s.Tools()))
		s.configure("b", "c")
		require.Equal(t, []string{"b_read", "c_read"}, names(s.Tools()))
		require.EqualValues(t, 3, s.dials.Load(), "b went on")
		require.ErrorContains(t, s.Ready(t.Context(), action.ForeignCall{Server: "a"}), "no such server")
	})
}

func TestAServerThatLacksSomethingSaysWhat(t *testing.T) {
	s := newStage(t, nil)
	s.Configure([]mcpclient.Server{{Name: "notes", Command: []string{"x"}, Problem: "$TOKEN is not set"}}, nil, clean)
	require.Empty(t, s.Tools())
	require.Equal(t, []string{"server notes does not answer: $TOKEN is not set"}, s.Problems())
	require.Zero(t, s.dials.Load())
}

func TestTheProgramOfTheConnectionsRunsOnlyWhileThereIsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, func(string) (*mcp.Server, error) { return server("read"), nil })
		defer s.Close()
		require.Empty(t, s.Tools())
		require.Zero(t, s.launches.Load(), "without servers it is not started")
		s.configure("a", "b")
		require.Equal(t, []string{"a_read", "b_read"}, names(s.Tools()))
		time.Sleep(4 * time.Minute)
		synctest.Wait()
		require.NoError(t, s.Ready(t.Context(), s.callOf("read")))
		require.EqualValues(t, 1, s.launches.Load(), "it stays with its connections")
		time.Sleep(7 * time.Minute) // the servers are idle, and then it is
		synctest.Wait()
		require.NoError(t, s.Ready(t.Context(), s.callOf("read")))
		require.EqualValues(t, 2, s.launches.Load())
		require.Empty(t, s.logText())
	})
}

func TestTheEndOfThatProgramIsTheEndOfItsConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, func(string) (*mcp.Server, error) { return server("read"), nil })
		defer s.Close()
		s.configure("notes")
		call := s.callOf("read")
		s.kill()
		synctest.Wait()
		require.Equal(t, []string{"server notes does not answer: it ended unexpectedly"}, s.Problems())
		require.Equal(t, []string{"notes_read"}, names(s.Tools()), "what it had is still told")
		require.Error(t, s.Ready(t.Context(), call), "it is not tried again at once")
		time.Sleep(time.Second)
		require.NoError(t, s.Ready(t.Context(), call))
		require.EqualValues(t, 2, s.launches.Load())
	})
}
