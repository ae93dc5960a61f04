package claudecli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
)

var disk = []providers.ToolDefinition{{Name: "check_disk", Description: "disk", InputSchema: json.RawMessage(`{"type":"object"}`)}}

func (s *stage) callFor(turn string, pid int) string {
	b, err := s.Call(context.Background(), turn, pid, providers.Block{ID: "toolu_1", Name: "check_disk", Input: json.RawMessage("{}")})
	if err != nil {
		return err.Error()
	}
	return b.Content
}

func question(words string) providers.Request {
	return providers.Request{
		System: "You are NARE.", Session: "s1", Tools: disk, Messages: []providers.Message{providers.UserText(words)},
		Call: func(_ context.Context, use providers.Block) providers.Block {
			return providers.Block{Type: providers.BlockToolResult, ToolUseID: use.ID, Name: use.Name, Content: "42% full"}
		},
	}
}

func (s *stage) ask(req providers.Request) (providers.Completion, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	return s.Model("claude", "claude-sonnet-4-6").Complete(ctx, req, nil)
}

func TestAnAnswerWithACallInItsMidst(t *testing.T) {
	s := newStage(t, "tool")
	s.serve()
	var shown strings.Builder
	c, err := s.Model("claude", "claude-sonnet-4-6").Complete(t.Context(), question("disk full?"), func(text string) { shown.WriteString(text) })
	require.NoError(t, err)
	require.Equal(t, "All is well.", c.Text())
	require.Equal(t, "Let me look. All is well.", shown.String())
	require.Equal(t, providers.StopEndTurn, c.Stop)
	require.Equal(t, "claude-sonnet-4-6", c.Model)
	require.Equal(t, providers.Usage{InputTokens: 240, CachedTokens: 40, OutputTokens: 24, CostUSD: c.Usage.CostUSD}, c.Usage)
	require.Greater(t, c.Usage.CostUSD, 0.0)
	require.Equal(t, "42% full<nil>", s.readNote("called"))
}

func TestAWarmProcessAnswersWhatGoesOnAndAFreshOneWhatDoesNot(t *testing.T) {
	s := newStage(t, "tool")
	s.serve()
	first := question("disk full?")
	c, err := s.ask(first)
	require.NoError(t, err)
	require.Equal(t, 1, s.IdleProcesses())

	// The stored conversation: text, call, result, answer.
	next := question("and now?")
	next.Messages = []providers.Message{
		first.Messages[0],
		{Role: providers.RoleAssistant, Content: []providers.Block{{Type: providers.BlockToolUse, ID: "toolu_1", Name: "check_disk", Input: json.RawMessage("{ }")}}},
		{Role: providers.RoleUser, Content: []providers.Block{{Type: providers.BlockToolResult, ToolUseID: "toolu_1", Content: "42% full"}}},
		providers.AssistantText(c.Text()), next.Messages[0],
	}
	next.System = "You are NARE. It is later."
	_, err = s.ask(next)
	require.NoError(t, err)
	require.Len(t, strings.Fields(s.readNote("pid")), 1, "the warm one went on")
	last := s.readNote("in")[strings.LastIndex(s.readNote("in"), "\n")+1:]
	require.Contains(t, last, "It is later.")
	require.NotContains(t, last, "disk full?", "it knows that already")

	// A conversation with a changed history needs a new process.
	other := next
	other.Messages = append([]providers.Message{providers.UserText("something else"), providers.AssistantText("indeed")}, question("and now?").Messages...)
	_, err = s.ask(other)
	require.NoError(t, err)
	pids := strings.Fields(s.readNote("pid"))
	require.Len(t, pids, 2)
	last = s.readNote("in")[strings.LastIndex(s.readNote("in"), "\n")+1:]
	require.Contains(t, last, `{\"role\":\"user\",\"content\":[{\"text\":\"something else\"}]}`)
	old, err := strconv.Atoi(pids[0])
	require.NoError(t, err)
	requireGone(t, old)

	// So does a new conversation.
	_, err = s.ask(question("hello"))
	require.NoError(t, err)
	require.Len(t, strings.Fields(s.readNote("pid")), 3)
}

func TestWhatIsSaidLastIsOurs(t *testing.T) {
	// In the last piece of a message claude looks for /commands and reads @files.
	for _, words := range []string{"/compact", "look at @/etc/passwd", "@\"/etc/passwd\""} {
		for _, fresh := range []bool{true, false} {
			pieces := messageContent(question(words), fresh, "older")
			require.Equal(t, messageEnd, pieces[len(pieces)-1].Text)
			require.Equal(t, words, pieces[len(pieces)-2].Text)
		}
	}
	require.Contains(t, fixedEnv, "CLAUDE_CODE_DISABLE_ATTACHMENTS=1")
}

func TestThreat33ClaudeGetsAScrubbedEnvironmentAndNoToolOfItsOwn(t *testing.T) {
	s := newStage(t, "plain")
	for name, v := range map[string]string{
		"ANTHROPIC_API_KEY": "sk-ant-secret", "OPENAI_API_KEY": "sk-secret", "AWS_SECRET_ACCESS_KEY": "secret", "BASH_ENV": "/x", "NODE_OPTIONS": "--require /x",
		"CLAUDE_CODE_OAUTH_TOKEN": "oauth-token", "HTTPS_PROXY": "http://proxy:3128", "LANG": "ko_KR.UTF-8",
	} {
		s.env[name] = v
	}
	_, err := s.ask(question("hello"))
	require.NoError(t, err)
	env := s.readNote("env")
	require.NotContains(t, env, "secret")
	require.NotContains(t, env, "NODE_OPTIONS")
	require.Contains(t, env, "CLAUDE_CODE_OAUTH_TOKEN=oauth-token")
	require.Contains(t, env, "HTTPS_PROXY=")
	args := strings.Split(s.readNote("args"), "\x00")
	at := func(option string) string {
		for i, a := range args {
			if a == option {
				return args[i+1]
			}
		}
		return "missing"
	}
	require.Empty(t, at("--tools"))
	require.Empty(t, at("--setting-sources"))
	require.Equal(t, "mcp__blunux__check_disk", at("--allowedTools"))
	require.Contains(t, args, "--strict-mcp-config")
	require.Contains(t, args, "--no-session-persistence")
	require.NotContains(t, s.readNote("args"), "NARE", "the prompt is nobody else's to read")
	require.NotContains(t, s.readNote("args"), "hello")
	for _, a := range args {
		require.Less(t, len(a), 4<<10)
	}
	fi, err := os.Stat(at("--mcp-config"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), fi.Mode().Perm())
}

func TestAKeyPaysOnlyAServerOfOnesOwn(t *testing.T) {
	keyed := func(base string) bool {
		return Options{Getenv: func(name string) string {
			return map[string]string{"ANTHROPIC_API_KEY": "sk", "ANTHROPIC_BASE_URL": base}[name]
		}}.usesKey()
	}
	require.False(t, keyed(""))
	require.False(t, keyed("https://api.anthropic.com"))
	require.True(t, keyed("http://127.0.0.1:8080"))
}

func TestFailuresAreSortedByWhatHelps(t *testing.T) {
	for role, want := range map[string]struct {
		kind    providers.Kind
		message string
	}{
		"not_logged_in": {providers.KindLogin, "Not logged in"},
		"login_expired": {providers.KindLogin, "Not logged in"},
		"key_refused":   {providers.KindLogin, "Invalid API key"},
		"no_model":      {providers.KindModel, "selected model"},
		"server_error":  {providers.KindAPI, "Internal server error"},
		"too_long":      {providers.KindContext, "too long"},
		"unreachable":   {providers.KindNetwork, "Unable to connect"},
		"usage_limit":   {providers.KindRateLimit, "hit your session limit"},
		"garbage":       {providers.KindParse, "Segmentation fault? <html>"},
		"text-exit":     {providers.KindOutdated, "unknown option '--tools'"},
		"exit":          {providers.KindNetwork, "exit status 3"},
		"fork":          {providers.KindNetwork, "exit status 0"},
		"own-tools":     {providers.KindOutdated, "offers its own tool Bash"},
		"endless-line":  {providers.KindParse, "xxx"},
	} {
		t.Run(role, func(t *testing.T) {
			s := newStage(t, role)
			_, err := s.ask(question("disk full?"))
			var pe *providers.Error
			require.ErrorAs(t, err, &pe)
			require.Equal(t, want.kind, pe.Kind, "%v", err)
			require.Contains(t, pe.Message, want.message)
			require.Equal(t, "claude", pe.Provider)
			require.False(t, pe.ToolsCalled)
			require.LessOrEqual(t, len(pe.Message), maxMessage+len("…"))
			require.Zero(t, s.IdleProcesses())
			if role == "usage_limit" {
				require.InDelta(t, time.Hour, pe.RetryAfter, float64(time.Minute))
			}
			if role == "fork" {
				child, err := strconv.Atoi(s.readNote("child"))
				require.NoError(t, err)
				requireGone(t, child)
			}
			left, err := filepath.Glob(filepath.Join(s.dir, "run/*"))
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

// patience is long enough for the start of a process on a busy machine.
const patience = 5 * time.Second

func TestWhatDoesNothingIsEndedAndSoIsWhatIsCancelled(t *testing.T) {
	s := newStage(t, "hang", func(o *Options) { o.OutputTimeout = patience })
	_, err := s.ask(question("disk full?"))
	require.Equal(t, providers.KindNetwork, providers.KindOf(err))
	require.ErrorContains(t, err, "no output from claude for "+patience.String())
	pid, err := strconv.Atoi(s.readNote("pid"))
	require.NoError(t, err)
	requireGone(t, pid)

	s = newStage(t, "hang")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for s.readNote("in") == "" && ctx.Err() == nil {
			<-time.After(time.Millisecond)
		}
		cancel()
	}()
	_, err = s.Model("claude", "").Complete(ctx, question("disk full?"), nil)
	require.ErrorIs(t, err, context.Canceled)
	pid, err = strconv.Atoi(s.readNote("pid"))
	require.NoError(t, err)
	requireGone(t, pid)
}

func TestACallThatWaitsForAPersonIsNoHang(t *testing.T) {
	s := newStage(t, "tool", func(o *Options) { o.OutputTimeout = patience })
	s.serve()
	req := question("disk full?")
	req.Call = func(ctx context.Context, use providers.Block) providers.Block {
		select {
		case <-time.After(patience + time.Second):
		case <-ctx.Done():
		}
		return providers.Block{Type: providers.BlockToolResult, ToolUseID: use.ID, Content: "allowed at last"}
	}
	_, err := s.ask(req)
	require.NoError(t, err)
	require.Equal(t, "allowed at last<nil>", s.readNote("called"))
}

func TestNobodyElseCallsInATurn(t *testing.T) {
	s := newStage(t, "tool")
	s.serve()
	var stolen error
	req := question("disk full?")
	req.Call = func(_ context.Context, use providers.Block) providers.Block {
		for turn := range s.turns { // while claude runs, from a process that is not its descendant
			_, stolen = s.Call(context.Background(), turn, os.Getpid(), use)
		}
		return providers.Block{Type: providers.BlockToolResult, Content: "ok"}
	}
	_, err := s.ask(req)
	require.NoError(t, err)
	require.ErrorIs(t, stolen, ErrNoTurn)
	_, err = s.Tools("", os.Getpid())
	require.ErrorIs(t, err, ErrNoTurn)

	// After the turn, the idle process must not call tools either.
	pid, err := strconv.Atoi(s.readNote("pid"))
	require.NoError(t, err)
	for turn := range s.turns {
		require.Len(t, turn, 32)
		_, err = s.Call(t.Context(), turn, pid, providers.Block{Name: "check_disk"})
		require.ErrorIs(t, err, ErrNoTurn)
	}
}

func TestWhatCallsToolsAndFailsThenHasActed(t *testing.T) {
	s := newStage(t, "acted")
	s.serve()
	_, err := s.ask(question("disk full?"))
	var pe *providers.Error
	require.ErrorAs(t, err, &pe)
	require.True(t, pe.ToolsCalled)
	require.False(t, pe.Transient())
}

func TestAMissingOrOldClaudeSaysSo(t *testing.T) {
	s := newStage(t, "plain")
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "version"), []byte("1.0.44\n"), 0o600))
	_, err := s.ask(question("hello"))
	require.Equal(t, providers.KindOutdated, providers.KindOf(err))
	require.ErrorContains(t, err, "claude 1.0.44 is older than "+MinVersion)

	require.NoError(t, os.Remove(filepath.Join(s.dir, "bin/claude")))
	s.env["PATH"] = filepath.Join(s.dir, "bin")
	installDirs = []string{"~/.local/bin"}
	_, err = s.ask(question("hello"))
	require.Equal(t, providers.KindMissing, providers.KindOf(err))
}

func TestALoginIsSeenWithoutStartingAnything(t *testing.T) {
	s := newStage(t, "plain")
	require.False(t, s.LoggedIn())
	s.env["CLAUDE_CODE_OAUTH_TOKEN"] = "token"
	require.True(t, s.LoggedIn())
	delete(s.env, "CLAUDE_CODE_OAUTH_TOKEN")
	require.NoError(t, os.Mkdir(filepath.Join(s.dir, ".claude"), 0o700))
	file := filepath.Join(s.dir, ".claude/.credentials.json")
	for text, want := range map[string]bool{
		`{"claudeAiOauth":{"accessToken":"a","refreshToken":"r"}}`: true, `{"claudeAiOauth":{}}`: false, `{`: false, ``: false,
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		require.Equal(t, want, s.LoggedIn(), text)
	}
	require.Empty(t, s.readNote("pid"))
}

func TestWarmProcessesAreFewAndEndWhenIdleAndWithTheProgram(t *testing.T) {
	s := newStage(t, "plain", func(o *Options) { o.MaxProcesses = 2 })
	for _, session := range []string{"a", "b", "c"} {
		req := question("hello")
		req.Session = session
		_, err := s.ask(req)
		require.NoError(t, err)
	}
	require.Equal(t, 2, s.IdleProcesses())
	s.Close()
	for _, pid := range strings.Fields(s.readNote("pid")) {
		n, err := strconv.Atoi(pid)
		require.NoError(t, err)
		requireGone(t, n)
	}
	_, err := s.ask(question("hello"))
	require.True(t, errors.Is(err, ErrClosed))

	s = newStage(t, "plain", func(o *Options) { o.IdleTimeout = time.Millisecond })
	_, err = s.ask(question("hello"))
	require.NoError(t, err)
	n, err := strconv.Atoi(s.readNote("pid"))
	require.NoError(t, err)
	requireGone(t, n)
	require.Zero(t, s.IdleProcesses())
}
