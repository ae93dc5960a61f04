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

// listing returns the names of the files in the stage's directory.
func (s *stage) listing() (names []string) {
	entries, _ := os.ReadDir(s.dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// answers counts the replies to a question: its answer, or the notice that it was not finished.
func (s *stage) answers(question string) int { return s.count(question) }

func killed(t *testing.T, w staged) {
	kills := 6
	if n, err := strconv.Atoi(os.Getenv(KillsEnv)); err == nil {
		kills = n
	}
	s := newStage(t, w, options{})
	s.settled("before")
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
		if r.IntN(2) == 0 {
			s.daemon.end(syscall.SIGKILL)
			s.startDaemon()
		} else {
			s.bridge.end(syscall.SIGKILL)
			s.startBridge()
		}
		for _, q := range questions[3:] {
			s.say(q)
		}
		for _, q := range questions {
			s.told(q)
		}
	}
	s.settled("after")
	for i := range kills {
		for j := range 5 {
			q := fmt.Sprintf("q-%d-%d-x", i, j)
			require.Equal(t, 1, s.answers(q), q)
		}
	}
}

func troubles(t *testing.T, w staged) {
	s := newStage(t, w, options{})
	s.settled("before")
	s.say("slow cut")
	<-time.After(300 * time.Millisecond) // during the turn
	w.Cut()
	s.told("slow <cut>")
	w.Down(true)
	s.say("while it is down")
	s.phaseNot(state.Online)
	w.Down(false)
	s.told("heard <while it is down>")
	s.say("slow down")
	<-time.After(300 * time.Millisecond)
	w.Down(true)
	<-time.After(2 * time.Second) // the answer cannot be posted meanwhile
	w.Down(false)
	s.told("slow <down>")
	s.say("slow stall")
	<-time.After(300 * time.Millisecond)
	w.Stall(true)
	<-time.After(2 * time.Second)
	s.bridge.end(syscall.SIGKILL) // before it knows whether the message was accepted
	w.Stall(false)
	s.startBridge()
	s.told("slow <stall>")
	s.settled("after")
	for _, words := range []string{"slow <cut>", "heard <while it is down>", "slow <down>", "slow <stall>"} {
		require.Equal(t, 1, s.count(words), words)
	}
}

func (s *stage) phaseNot(not state.Phase) {
	s.t.Helper()
	s.poll(func() bool {
		now, err := state.Read(filepath.Join(s.dir, "ai", s.w.Channel()))
		return err == nil && now.Phase != not
	}, "the bridge is still "+string(not))
}

func away(t *testing.T, w staged) {
	s := newStage(t, w, options{})
	s.settled("before")
	s.daemon.end(syscall.SIGTERM)
	s.say("while it is away")
	s.say("and more")
	s.until(w.Owner(), func(seen []Seen) bool { return len(seen) == 2 }) // one notice, after 20 s
	s.startDaemon()
	s.told("heard <while it is away>")
	s.told("heard <and more>")
	require.Len(t, s.seen(w.Owner(), 0), 4)
}

func late(t *testing.T, w staged) {
	s := newStage(t, w, options{})
	s.settled("before")
	s.say("slow late")
	<-time.After(500 * time.Millisecond)
	s.bridge.end(syscall.SIGTERM)
	<-time.After(3 * time.Second) // the answer is ready while no bridge runs
	s.startBridge()
	s.told("slow <late>")
	s.settled("after")
	require.Equal(t, 1, s.count("slow <late>"))
}

func files(t *testing.T, w staged) {
	s := newStage(t, w, options{})
	s.settled("before")
	w.Say(w.Owner(), Said{Text: "with a file", File: &Sent{Name: "note.txt", Type: "text/plain", Data: []byte("marker-in-file")}})
	s.told("with a file", "marker-in-file")
	before := len(s.seen(w.Owner(), 0))
	w.Say(w.Owner(), Said{Text: "it lies", File: &Sent{Name: "big.txt", Type: "text/plain", Data: make([]byte, 6<<20), Claims: 10}})
	s.until(w.Owner(), func(seen []Seen) bool { return len(seen) > before })
	s.settled("lies")
	s.write("report.log", "all is well\n")
	s.say("send " + s.path("report.log"))
	s.told(ipc.ApprovalSign, "report.log")
	s.say("네")
	s.until(w.Owner(), func(seen []Seen) bool {
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

// mounted replaces the channel's directory by a small file system.
func (s *stage) mounted() {
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
		s.bridge.end(syscall.SIGKILL)
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

func fullDisk(t *testing.T, w staged) {
	s := newStage(t, w, options{idle: true})
	s.mounted()
	s.startDaemon()
	s.startBridge()
	s.settled("before")
	filler := filepath.Join(s.dir, "ai", w.Channel(), "filler")
	err := os.WriteFile(filler, make([]byte, 16<<20), 0o600)
	require.ErrorIs(t, err, syscall.ENOSPC)
	s.say("while it is full " + strings.Repeat("x", 8<<10)) // more than a page, which may still have room
	s.poll(func() bool {
		text, _ := os.ReadFile(s.path("bridge.log"))
		return strings.Contains(string(text), "no space") || strings.Contains(string(text), "full")
	}, "a full disk is not noticed")
	require.Zero(t, s.count("heard <while it is full"))
	require.NoError(t, os.Remove(filler))
	w.Cut() // some servers only redeliver when the client connects
	s.told("heard <while it is full")
	s.settled("after")
	require.Equal(t, 1, s.count("heard <while it is full"))
	s.online()
}

func clocks(t *testing.T, w staged) {
	s := newStage(t, w, options{})
	for i, skew := range []time.Duration{-24 * time.Hour, 24 * time.Hour} {
		q := fmt.Sprintf("skewed-%d", i)
		w.Say(w.Owner(), Said{Text: q, Sent: time.Now().Add(skew)})
		s.told("heard <" + q + ">")
		require.Equal(t, 1, s.count(q))
	}
}
