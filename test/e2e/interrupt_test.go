package e2e

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestCtrlCEndsAClientThatWaitsForInput: at a silent terminal, and in the middle of a line, on the first press.
func TestCtrlCEndsAClientThatWaitsForInput(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"call"}, {"memory", "import", "-"}} {
		for name, typed := range map[string]string{"nothing typed": "", "half a line": "half a li"} {
			t.Run(strings.Join(args, " ")+", "+name, func(t *testing.T) {
				d := newMachine(t, "")
				control, tty, err := pty.Open()
				require.NoError(t, err)
				defer control.Close()
				defer tty.Close()
				cmd := exec.Command(binaries+"/blunux-aictl", args...)
				cmd.Dir, cmd.Env = d.home, append(d.env, "GOTRACEBACK=all")
				cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
				cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
				require.NoError(t, cmd.Start())
				shown := make(chan string, 16)
				go func() {
					defer close(shown)
					for r := bufio.NewReader(control); ; {
						text, err := r.ReadString('C') // the terminal echoes Ctrl-C as ^C
						if err != nil {
							return
						}
						shown <- text
					}
				}()
				ended := make(chan error, 1)
				go func() { ended <- cmd.Wait() }()
				waitUntil(t, "it waits for input", func() bool { return readsInput(cmd.Process.Pid) })
				_, err = control.WriteString(typed + "\x03")
				require.NoError(t, err)
				select {
				case <-ended:
				case <-time.After(time.Minute):
					require.NoError(t, cmd.Process.Kill())
					<-ended
					t.Fatal("Ctrl-C does not end it")
				}
				require.Equal(t, 130, cmd.ProcessState.ExitCode())
			})
		}
	}
}

// readsInput reports whether a thread of a process waits in read(0), proc(5).
func readsInput(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", pid))
	for _, file := range threads {
		text, err := os.ReadFile(file)
		if err == nil && strings.HasPrefix(string(text), fmt.Sprintf("%d 0x0 ", unix.SYS_READ)) {
			return true
		}
	}
	return false
}
