package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
)

// cmdAnswer runs a program with a terminal as its standard input and controlling terminal. At each prompt that
// the terminal shows, it executes the next line of a file: answer FILE PROGRAM [ARG]…
//
//	! TEXT     types TEXT before the program starts
//	^C         types Ctrl-C
//	$ COMMAND  runs COMMAND in a shell and types nothing
//	TEXT       types TEXT; \n in it starts another line immediately
//
// The file tty contains what the terminal showed. stdout and stderr contain the program's output, stdout with
// "exit STATUS" at its end.
func cmdAnswer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: answer FILE PROGRAM [ARG]…")
	}
	control, tty, err := pty.Open()
	ts.Check(err)
	defer control.Close()
	defer tty.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	program, err := exec.LookPath(args[1])
	if err != nil {
		program = binaries + "/" + args[1]
	}
	cmd := exec.CommandContext(ctx, program, args[2:]...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), scriptEnv(ts)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, ts.Stdout(), ts.Stderr()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	typist := &typist{terminal: control, env: cmd.Env, dir: cmd.Dir, lines: lines(ts.ReadFile(args[0])), ends: append(slices.Clone(confirmEnds), "› "), stop: cancel}
	ts.Check(typist.typeAhead())
	ts.Check(cmd.Start())
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		typist.watch()
	}()
	err = cmd.Wait()
	tty.Close() // the last descriptor: reading ends
	<-shown
	ts.Check(os.WriteFile(ts.MkAbs("tty"), typist.shown.Bytes(), 0o600))
	ts.Check(typist.err)
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		ts.Fatalf("%v", err)
	}
	fmt.Fprintf(ts.Stdout(), "exit %d\n", cmd.ProcessState.ExitCode())
}

// scriptEnv returns the environment of a script's programs.
func scriptEnv(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{"HOME", "XDG_RUNTIME_DIR", "LANG", "USER", "PATH", "GORACE", "TMPDIR", "WORK", "SOCK", "LOG"} {
		env = append(env, name+"="+ts.Getenv(name))
	}
	return env
}

// typist answers prompts on a terminal.
type typist struct {
	terminal io.ReadWriter
	env      []string
	dir      string
	lines    []string
	ends     []string // of prompts
	shown    bytes.Buffer
	seen     int // number of prompts
	stop     context.CancelFunc
	client   *os.Process // the program on the terminal, nil if no command needs it
	err      error       // ends the program
}

// typeAhead types the lines for before the start.
func (y *typist) typeAhead() error {
	for len(y.lines) > 0 && strings.HasPrefix(y.lines[0], "! ") {
		if _, err := io.WriteString(y.terminal, strings.TrimPrefix(y.lines[0], "! ")+"\n"); err != nil {
			return err
		}
		y.lines = y.lines[1:]
	}
	return nil
}

// watch reads the terminal to its end.
func (y *typist) watch() {
	buf := make([]byte, 4096)
	for {
		n, err := y.terminal.Read(buf)
		y.shown.Write(buf[:n])
		for y.err == nil && len(y.lines) > 0 && y.prompts() > y.seen {
			y.seen++
			y.err = y.act(y.lines[0])
			y.lines = y.lines[1:]
		}
		if y.err != nil {
			y.stop()
		}
		if err != nil { // EIO: the terminal is not open any more
			return
		}
	}
}

// confirmEnds are the ends of a confirmation's prompts. The set-up's prompts end with "› ", which other programs can
// print as part of a text.
var confirmEnds = []string{"/?] ", "cancel): ", "/N] ", "(N)] "}

func (y *typist) prompts() int {
	n := 0
	for _, end := range y.ends {
		n += bytes.Count(y.shown.Bytes(), []byte(end))
	}
	return n
}

func (y *typist) act(line string) error {
	if command, ok := strings.CutPrefix(line, "$ "); ok {
		cmd := exec.Command("sh", "-c", command)
		cmd.Env, cmd.Dir = y.env, y.dir
		if y.client != nil {
			cmd.Env = append(slices.Clip(y.env), fmt.Sprintf("CLIENT=%d", y.client.Pid))
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", command, err, out)
		}
		return nil
	}
	if line == "^C" {
		_, err := io.WriteString(y.terminal, "\x03")
		return err
	}
	_, err := io.WriteString(y.terminal, strings.ReplaceAll(line, `\n`, "\n")+"\n")
	return err
}
