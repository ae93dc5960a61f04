package child_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/child"
)

func TestMain(m *testing.M) {
	if os.Getenv("PARENT") != "" { // starts a child, prints its pid, and is killed
		c, err := child.New(child.Start{File: "/bin/sleep", Args: []string{"3600"}, Dir: "/"})
		if err != nil {
			panic(err)
		}
		fmt.Println(c.PID)
		<-c.Done()
		return
	}
	os.Exit(m.Run())
}

func start(t *testing.T, script string) *child.Child {
	t.Helper()
	c, err := child.New(child.Start{File: "/bin/sh", Args: []string{"-c", script}, Dir: t.TempDir(), Env: []string{"PATH=/usr/bin:/bin", "A=b"}})
	require.NoError(t, err)
	t.Cleanup(func() { c.Kill(); <-c.Done() })
	return c
}

func line(t *testing.T, c *child.Child) string {
	t.Helper()
	text, err := bufio.NewReader(c.Stdout).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(text)
}

func gone(t *testing.T, pid string) {
	t.Helper()
	require.Eventually(t, func() bool {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		return err != nil || strings.Contains(string(stat), ") Z ")
	}, time.Minute, 5*time.Millisecond)
}

func TestAChildIsTalkedToAndTellsHowItEnded(t *testing.T) {
	c := start(t, `read x; echo "$A $x"; exit 3`)
	_, err := c.Stdin.Write([]byte("hello\n"))
	require.NoError(t, err)
	require.Equal(t, "b hello", line(t, c))
	<-c.Done()
	require.EqualError(t, c.Exit(), "exit status 3")
	c.Kill() // has no effect after the end
}

func TestAChildGoesWithAllItStarted(t *testing.T) {
	for name, script := range map[string]string{"killed": `sleep 3600 & echo $!; wait`, "by itself": `sleep 3600 & echo $!`} {
		t.Run(name, func(t *testing.T) {
			c := start(t, script)
			pid := line(t, c)
			if name == "killed" {
				c.Kill()
			}
			gone(t, pid)
			<-c.Done()
		})
	}
}

func TestAChildDoesNotOutliveItsParent(t *testing.T) {
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), "PARENT=1")
	out, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	pid, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, parent.Process.Kill())
	_ = parent.Wait()
	gone(t, strings.TrimSpace(pid))
}

func TestAProgramThatCannotStartIsAnError(t *testing.T) {
	_, err := child.New(child.Start{File: "/there/is/none", Dir: "/"})
	require.Error(t, err)
}
