package channeltest

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/ipc"
)

// KillsEnv is the environment variable that sets how many times the programs are killed.
const KillsEnv = "CHANNEL_KILLS"

// fileNames returns the names of the files in the stage's directory.
func (s *stage) fileNames() (names []string) {
	entries, _ := os.ReadDir(s.dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// countAnswers counts the replies to a question: its answer, or the notice that it was not finished.
func (s *stage) countAnswers(question string) int { return s.countMessages(question) }

func testKills(t *testing.T, w testWorld) {
	kills := 6
	if n, err := strconv.Atoi(os.Getenv(KillsEnv)); err == nil {
		kills = n
	}
	s := newStage(t, w, options{})
	s.awaitIdle("before")
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range kills {
		var questions []string
		for j := range 5 {
			questions = append(questions, fmt.Sprintf("q-%d-%d-x", i, j))
		}
		for _, q := range questions[:3] {
			s.say(q)
		}
		<-time.After(time.Duration(r.IntN(120)) * time.Millisecond) // kill at a random instant
		// The bridge is killed each fifth time at the latest: it would take more messages of one of its lives for a flood.
		if i%5 != 3 && r.IntN(2) == 0 {
			s.daemon.stop(syscall.SIGKILL)
			s.startDaemon()
		} else {
			s.bridge.stop(syscall.SIGKILL)
			s.startBridge()
		}
		for _, q := range questions[3:] {
			s.say(q)
		}
		for _, q := range questions {
			s.awaitMessage(q)
		}
	}
	s.awaitIdle("after")
	for i := range kills {
		for j := range 5 {
			q := fmt.Sprintf("q-%d-%d-x", i, j)
			require.Equal(t, 1, s.countAnswers(q), q)
		}
	}
}

func testServerFailures(t *testing.T, w testWorld) {
	s := newStage(t, w, options{})
	s.awaitIdle("before")
	s.say("slow cut")
	<-time.After(300 * time.Millisecond) // during the turn
	w.CloseConnections()
	s.awaitMessage("slow <cut>")
	w.SetDown(true)
	s.say("while it is down")
	s.awaitOtherPhase(state.Online)
	w.SetDown(false)
	s.awaitMessage("heard <while it is down>")
	s.say("slow down")
	<-time.After(300 * time.Millisecond)
	w.SetDown(true)
	<-time.After(2 * time.Second) // the answer cannot be posted meanwhile
	w.SetDown(false)
	s.awaitMessage("slow <down>")
	s.say("slow stall")
	<-time.After(300 * time.Millisecond)
	w.SetStalled(true)
	<-time.After(2 * time.Second)
	s.bridge.stop(syscall.SIGKILL) // before it knows whether the message was accepted
	w.SetStalled(false)
	s.startBridge()
	s.awaitMessage("slow <stall>")
	s.awaitIdle("after")
	for _, words := range []string{"slow <cut>", "heard <while it is down>", "slow <down>", "slow <stall>"} {
		require.Equal(t, 1, s.countMessages(words), words)
	}
}

func (s *stage) awaitOtherPhase(not state.Phase) {
	s.t.Helper()
	s.poll(func() bool {
		now, err := state.Read(filepath.Join(s.dir, "ai", s.w.Channel()))
		return err == nil && now.Phase != not
	}, "the bridge is still "+string(not))
}

func testDaemonAway(t *testing.T, w testWorld) {
	s := newStage(t, w, options{})
	s.awaitIdle("before")
	s.daemon.stop(syscall.SIGTERM)
	s.say("while it is away")
	s.say("and more")
	s.until(w.Owner(), func(seen []ReceivedMessage) bool { return len(seen) == 2 }) // one notice, after 20 s
	s.startDaemon()
	s.awaitMessage("heard <while it is away>")
	s.awaitMessage("heard <and more>")
	require.Len(t, s.received(w.Owner(), 0), 4)
}

func testBridgeAway(t *testing.T, w testWorld) {
	s := newStage(t, w, options{})
	s.awaitIdle("before")
	s.say("slow late")
	<-time.After(500 * time.Millisecond)
	s.bridge.stop(syscall.SIGTERM)
	<-time.After(3 * time.Second) // the answer is ready while no bridge runs
	s.startBridge()
	s.awaitMessage("slow <late>")
	s.awaitIdle("after")
	require.Equal(t, 1, s.countMessages("slow <late>"))
}

func testFiles(t *testing.T, w testWorld) {
	s := newStage(t, w, options{})
	s.awaitIdle("before")
	w.Say(w.Owner(), PersonMessage{Text: "with a file", File: &PersonFile{Name: "note.txt", Type: "text/plain", Data: []byte("marker-in-file")}})
	s.awaitMessage("with a file", "marker-in-file")
	before := len(s.received(w.Owner(), 0))
	w.Say(w.Owner(), PersonMessage{Text: "it lies", File: &PersonFile{Name: "big.txt", Type: "text/plain", Data: make([]byte, 6<<20), Claims: 10}})
	s.until(w.Owner(), func(seen []ReceivedMessage) bool { return len(seen) > before })
	s.awaitIdle("lies")
	s.write("report.log", "all is well\n")
	s.say("send " + s.path("report.log"))
	s.awaitMessage(ipc.ApprovalSign, "report.log")
	s.say("네")
	s.until(w.Owner(), func(seen []ReceivedMessage) bool {
		for _, m := range seen {
			if string(m.File) == "all is well\n" {
				return true
			}
		}
		return false
	})
	dir := filepath.Join(s.dir, "ai", w.Channel())
	s.poll(func() bool {
		entries, err := os.ReadDir(filepath.Join(dir, "outbox"))
		return err == nil && len(entries) == 0
	}, "what was sent is still there")
	require.NoError(t, filepath.WalkDir(filepath.Join(dir, "inbox"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			fi, statErr := e.Info()
			require.NoError(t, statErr)
			require.Equal(t, os.FileMode(0o600), fi.Mode().Perm())
			require.LessOrEqual(t, fi.Size(), int64(5<<20))
		}
		return err
	}))
}

// mountSmallDisk replaces the channel's directory by a small file system.
func (s *stage) mountSmallDisk() {
	s.t.Helper()
	dir := filepath.Join(s.dir, "ai", s.w.Channel())
	kept := s.path("kept")
	require.NoError(s.t, os.Rename(dir, kept))
	require.NoError(s.t, os.Mkdir(dir, 0o700))
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=8m,mode=700", "tmpfs", dir).CombinedOutput(); err != nil {
		if os.Getenv("CI") != "" && os.Getuid() == 0 {
			s.t.Fatalf("cannot mount a small disk: %v %s", err, out)
		}
		s.t.Skipf("no small disk can be mounted here: %v %s", err, strings.TrimSpace(string(out)))
	}
	s.t.Cleanup(func() {
		s.bridge.stop(syscall.SIGKILL)
		_ = exec.Command("umount", "-l", dir).Run()
	})
	require.NoError(s.t, os.CopyFS(dir, os.DirFS(kept)))
	require.NoError(s.t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		return os.Chmod(path, 0o600)
	}))
}

func testFullDisk(t *testing.T, w testWorld) {
	s := newStage(t, w, options{idle: true})
	s.mountSmallDisk()
	s.startDaemon()
	s.startBridge()
	s.awaitOnline()
	s.awaitIdle("before")
	filler := filepath.Join(s.dir, "ai", w.Channel(), "filler")
	err := os.WriteFile(filler, make([]byte, 16<<20), 0o600)
	require.ErrorIs(t, err, syscall.ENOSPC)
	s.say("while it is full " + strings.Repeat("x", 8<<10)) // more than a page, which may still have room
	s.poll(func() bool {
		text, _ := os.ReadFile(s.path("bridge.log"))
		return strings.Contains(string(text), "no space") || strings.Contains(string(text), "full")
	}, "a full disk is not noticed")
	require.Zero(t, s.countMessages("heard <while it is full"))
	require.NoError(t, os.Remove(filler))
	w.CloseConnections() // some servers only redeliver when the client connects
	s.awaitMessage("heard <while it is full")
	s.awaitIdle("after")
	require.Equal(t, 1, s.countMessages("heard <while it is full"))
	s.awaitOnline()
}

func testClocks(t *testing.T, w testWorld) {
	s := newStage(t, w, options{})
	for i, skew := range []time.Duration{-24 * time.Hour, 24 * time.Hour} {
		q := fmt.Sprintf("skewed-%d", i)
		w.Say(w.Owner(), PersonMessage{Text: q, Sent: time.Now().Add(skew)})
		s.awaitMessage("heard <" + q + ">")
		require.Equal(t, 1, s.countMessages(q))
	}
}
