// Command tally runs go test commands, some of them at a time, and summarizes their output: each package as it
// ends, the output of failed tests, and at the end the number of tests, the skipped and the slowest ones.
//
//	tally -skips FILE -jobs 2 'go test -json ./...' ['cd test/interop && go test -json ./...' ...]
//
// It fails if a test failed and, with CI set, if a test was skipped that FILE does not list. With SAID set it
// appends its last line to that file.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

const module = "github.com/nidoit/blunux-ai"

// event is a line of go test -json.
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

// name is a test's package and name.
type name struct{ pkg, test string }

func (n name) String() string { return strings.TrimSpace(n.pkg + " " + n.test) }

// finishedTest is a finished test with its duration.
type finishedTest struct {
	name
	seconds float64
}

// tally is the state of the summary, of one command or of all.
type tally struct {
	out              io.Writer
	output           map[name][]string // output of running and failed tests
	failed           map[string][]name // by package; their output is not printed yet
	broken           []string          // names of failed tests and packages
	skipped          []name
	why              map[name]string
	took             []finishedTest
	passed, packages int
}

func newTally(out io.Writer) *tally {
	return &tally{out: out, output: map[name][]string{}, failed: map[string][]name{}, why: map[name]string{}}
}

// read reads the output of one command.
func (y *tally) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			var e event
			if json.Unmarshal([]byte(line), &e) != nil {
				fmt.Fprint(y.out, line) // output of the compiler or of downloads
			} else {
				y.handle(e)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// add adds what another command did. Its packages are printed already.
func (y *tally) add(other *tally) {
	y.broken = append(y.broken, other.broken...)
	y.skipped = append(y.skipped, other.skipped...)
	maps.Copy(y.why, other.why)
	y.took = append(y.took, other.took...)
	y.passed += other.passed
	y.packages += other.packages
}

func (y *tally) handle(e event) {
	n := name{short(e.Package), e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(y.out, e.Output)
	case "output":
		y.output[n] = append(y.output[n], e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			y.endPackage(n.pkg, e)
		} else {
			y.endTest(n, e)
		}
	}
}

func (y *tally) endTest(n name, e event) {
	switch e.Action {
	case "pass":
		y.passed++
	case "fail":
		y.failed[n.pkg] = append(y.failed[n.pkg], n)
		y.broken = append(y.broken, n.String())
	case "skip":
		y.skipped = append(y.skipped, n)
		y.why[n] = reason(y.output[n])
	}
	if e.Action != "fail" {
		delete(y.output, n)
	}
	if !strings.Contains(n.test, "/") {
		y.took = append(y.took, finishedTest{n, e.Elapsed})
	}
}

// endPackage prints the result of a package. If it failed, it also prints the output of failed tests and of
// those that were still running.
func (y *tally) endPackage(pkg string, e event) {
	if e.Action == "skip" { // no tests
		return
	}
	y.packages++
	verdict, said := "ok  ", ""
	if e.Action == "fail" {
		verdict = "FAIL"
		var open []name
		for n := range y.output {
			if n.pkg == pkg && n.test != "" && !slices.Contains(y.failed[pkg], n) {
				open = append(open, n)
				y.broken = append(y.broken, n.String()+" (did not end)")
			}
		}
		for _, n := range append(append(y.failed[pkg], open...), name{pkg, ""}) {
			said += strings.Join(y.output[n], "")
		}
		if len(y.failed[pkg])+len(open) == 0 {
			y.broken = append(y.broken, pkg)
		}
	}
	for n := range y.output {
		if n.pkg == pkg {
			delete(y.output, n)
		}
	}
	fmt.Fprintf(y.out, "%s%s %7.1fs  %s\n", said, verdict, e.Elapsed, pkg)
}

// close prints the summary and reports whether all is well. If strict is set, only known skips are allowed.
func (y *tally) close(known map[string]bool, strict bool, took time.Duration) (last string, well bool) {
	slices.SortFunc(y.took, func(a, b finishedTest) int { return cmp.Compare(b.seconds, a.seconds) })
	fmt.Fprintln(y.out, "\nslowest tests:")
	for _, t := range y.took[:min(10, len(y.took))] {
		fmt.Fprintf(y.out, "%7.1fs  %s\n", t.seconds, t.name)
	}
	unexpected := 0
	for _, n := range y.skipped {
		mark := "skipped"
		if !known[n.String()] {
			mark = "SKIPPED UNEXPECTEDLY"
			unexpected++
		}
		fmt.Fprintf(y.out, "%s: %s: %s\n", mark, n, y.why[n])
	}
	for _, f := range y.broken {
		fmt.Fprintf(y.out, "FAILED: %s\n", f)
	}
	last = fmt.Sprintf("%d tests passed, %d failed, %d skipped (%d unexpectedly) in %d packages, %s",
		y.passed, len(y.broken), len(y.skipped), unexpected, y.packages, took.Round(time.Second))
	fmt.Fprintln(y.out, last)
	return last, len(y.broken) == 0 && (unexpected == 0 || !strict)
}

// reason returns why a test was skipped, from its output.
func reason(said []string) string {
	for _, line := range said {
		if _, why, found := strings.Cut(line, ".go:"); found {
			_, why, _ = strings.Cut(why, ": ")
			return strings.TrimSpace(why)
		}
	}
	return "no reason given"
}

// short returns a package path without the module's path. The root package is "blunux-ai".
func short(pkg string) string {
	if pkg == module {
		return "blunux-ai"
	}
	return strings.TrimPrefix(pkg, module+"/")
}

// knownSkips reads lines of the form "PACKAGE TEST: reason".
func knownSkips(file string) (map[string]bool, error) {
	known := map[string]bool{}
	if file == "" {
		return known, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read the known skips: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if test, why, found := strings.Cut(line, ": "); found && line[0] != '#' && strings.TrimSpace(why) != "" {
			known[test] = true
		}
	}
	return known, nil
}

// lockedWriter keeps the lines of several commands apart.
type lockedWriter struct {
	mu sync.Mutex
	io.Writer
}

func (w *lockedWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Writer.Write(b)
}

// runAll runs commands, as many at a time as there are jobs, and reports whether one failed.
func (y *tally) runAll(commands []string, jobs int) (broken bool, err error) {
	out := &lockedWriter{Writer: y.out}
	slots, mu, all := make(chan struct{}, jobs), sync.Mutex{}, sync.WaitGroup{}
	for _, command := range commands {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			one := newTally(out)
			failed := one.run(command)
			mu.Lock()
			defer mu.Unlock()
			y.add(one)
			var exit *exec.ExitError
			if errors.As(failed, &exit) {
				broken = true
			} else {
				err = errors.Join(err, failed)
			}
		})
	}
	all.Wait()
	return broken, err
}

// run runs one command and reads its output.
func (y *tally) run(command string) error {
	cmd := exec.Command("bash", "-c", command)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := y.read(out); err != nil {
		return err
	}
	return cmd.Wait()
}

func run() error {
	skips := flag.String("skips", "", "file of tests that may be skipped")
	jobs := flag.Int("jobs", 1, "number of commands at a time")
	flag.Parse()
	known, err := knownSkips(*skips)
	if err != nil {
		return err
	}
	y, began := newTally(os.Stdout), time.Now()
	broken, err := y.runAll(flag.Args(), *jobs)
	if err != nil {
		return err
	}
	last, well := y.close(known, os.Getenv("CI") != "", time.Since(began))
	if to := os.Getenv("SAID"); to != "" {
		f, err := os.OpenFile(to, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		defer f.Close()
		fmt.Fprintln(f, last)
	}
	if broken || !well {
		return fmt.Errorf("not all is well")
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "tally:", err)
		os.Exit(1)
	}
}
