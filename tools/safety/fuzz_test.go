package safety

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// promises checks the properties of every verdict.
func promises(t interface {
	Errorf(format string, args ...any)
	FailNow()
}, c *Checker, source string,
) {
	v := c.Judge(source)
	if v.Class != Safe {
		require.NotEmpty(t, v.Reasons, "%q", source)
		return
	}
	require.Empty(t, v.Reasons, "%q", source)
	require.NotEmpty(t, v.Source, "%q", source)
	require.False(t, v.Privileged, "%q", source)
	again := c.Judge(v.Source)
	require.Equal(t, Safe, again.Class, "%q printed as %q: %v", source, v.Source, again.Reasons)
	require.Equal(t, v.Source, again.Source, "%q", source)
	for _, name := range v.Programs {
		if !known(c, name) {
			t.Errorf("%q: SAFE with the unlisted program %q", source, name)
		}
	}
}

func known(c *Checker, name string) bool {
	return c.programs[name] != nil || wrapperTable()[name] != nil && wrapperTable()[name].safe || name == "sh" || name == "bash"
}

func FuzzJudge(f *testing.F) {
	for _, r := range corpus(f) {
		f.Add(r.command)
	}
	for _, name := range []string{"read-only.txt", "never-safe.txt", "blocked.txt", "not-blocked.txt"} {
		for _, command := range lines(f, name) {
			f.Add(command)
		}
	}
	c := testChecker()
	f.Fuzz(func(t *testing.T, source string) { promises(t, c, source) })
}

func FuzzAwk(f *testing.F) {
	for _, p := range []string{`{print $1}`, `$5+0 > 80 {print $6, $5}`, `/a\/b/ {x++} END {print x/2}`, `BEGIN{print "x" > "y"}`} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, program string) {
		if !awkReadsOnly(program) {
			return
		}
		stripped := strings.NewReplacer("||", "").Replace(program)
		if !strings.ContainsAny(program, "\"/") {
			require.NotContains(t, stripped, "|")
			require.NotContains(t, program, "system")
			require.NotContains(t, program, ">>")
		}
	})
}

func FuzzSed(f *testing.F) {
	for _, p := range []string{"5p", "1,3d", "s/a/b/g", `/x/,/y/{p;q}`, "$!N", ":a;ba", "1e id", "w x", "s/a/b/w x"} {
		f.Add(p)
	}
	f.Fuzz(func(_ *testing.T, script string) { sedReadsOnly(script) })
}

// TestPromises combines known commands with shell syntax: the verdict is the worst of the parts, and the
// promises are kept.
func TestPromises(t *testing.T) {
	c := testChecker()
	rows := corpus(t)
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SampledFrom(rows).Draw(t, "a")
		b := rapid.SampledFrom(rows).Draw(t, "b")
		join := rapid.SampledFrom([]string{"\n", "\n\n", " |\n", " &&\n", " ||\n"}).Draw(t, "join")
		if strings.HasSuffix(a.command, "&") || strings.Contains(a.command, "#") || strings.HasPrefix(a.command, "cd ") {
			return
		}
		source := a.command + join + b.command
		promises(t, c, source)
		got := c.Judge(source).Class
		worst := max(c.Judge(a.command).Class, c.Judge(b.command).Class)
		if got < worst {
			t.Fatalf("%q: got %v, want at least %v", source, got, worst)
		}
	})
}

// TestCaps checks that a cap only makes a verdict stricter.
func TestCaps(t *testing.T) {
	c := testChecker()
	long := map[string]string{
		"bytes":      "echo " + strings.Repeat("a", maxSource),
		"statements": strings.Repeat("df;", maxNodes),
		"depth":      strings.Repeat("(", maxDepth+1) + "df" + strings.Repeat(")", maxDepth+1),
		"brackets":   strings.Repeat("(", 4000),
		"dollars":    strings.Repeat("$(", 2000) + "df" + strings.Repeat(")", 2000),
		"wrappers":   strings.Repeat("nice ", maxWrappers+1) + "df",
		"texts":      strings.Repeat("eval ", 40) + "df",
		"braces":     "echo " + strings.Repeat("{a,b}", 40),
		"cross":      "for a in {1..9}; do for b in {1..9}; do for c in {1..9}; do cat $a$b$c; done; done; done",
		"doubling":   doubling(40),
		"ifs":        strings.Repeat("if true; then ", 100) + "df" + strings.Repeat("; fi", 100),
	}
	for name, source := range long {
		v := c.Judge(source)
		require.Equal(t, Confirm, v.Class, "%s: %v", name, v.Reasons)
		padded := source + "\nrm -rf /"
		require.Equal(t, Blocked, c.Judge(padded).Class, "%s with rm", name)
	}
}

// doubling returns a text whose variable doubles in length with every line.
func doubling(lines int) string {
	var b strings.Builder
	b.WriteString("a0=x\n")
	for i := range lines {
		fmt.Fprintf(&b, "a%d=$a%d$a%d\n", i+1, i, i)
	}
	fmt.Fprintf(&b, "echo $a%d", lines)
	return b.String()
}

// TestAlternativesAreBounded checks that texts under the caps do not cause exponential work.
func TestAlternativesAreBounded(t *testing.T) {
	c := testChecker()
	loops := "for a in {1..60}; do for b in {1..60}; do\n" + strings.Repeat("cat /sys/*$a*/?$b /etc/*$b*$a\n", 30) + "done; done"
	globs := strings.Repeat("cat /home/*/.[a-z]*a*b*c*d*e*f*g*h/*a*b*c*d*e*f*g\n", 60)
	calls := "f() { cat /sys/$1 /sys/$2; }\n" + strings.Repeat("f {1..20}\n", 40)
	for _, source := range []string{loops, globs, calls, doubling(20), strings.Repeat("x=$x$x\n", 40) + "echo $x"} {
		// Work that doubled with each line would never end.
		require.NotEqual(t, Blocked, c.Judge(source).Class, "%.40q", source)
	}
}

func TestLongTextIsScannedForBlockedShapes(t *testing.T) {
	c := testChecker()
	pad := strings.Repeat("echo padding\n", 1000)
	for _, command := range []string{
		"rm -rf /", "sudo rm -rf ~", "rm -r -f $HOME", "rm --recursive --force /etc", `rm -rf "/home/blu"`, "dd if=x of=/dev/sda", "cat x > /dev/sda",
		"mkfs.ext4 /dev/sda1", "chmod -R 777 /", "tee /dev/nvme0n1", ":(){ :|:& };:",
	} {
		require.Equal(t, Blocked, c.Judge(pad+command+"\n"+pad).Class, command)
	}
	require.Equal(t, Confirm, c.Judge(pad).Class)
}

// A text over the cap is never blocked. BenchmarkOneMebibyte measures how long that takes.
func TestOneMebibyteIsRefused(t *testing.T) {
	c := testChecker()
	for _, unit := range []string{"a", "rm ", "rm -rf x ", "/", "((", "$(", "`", "\x00", "가", "dd of=/dev/", "~", "> ", ";"} {
		source := strings.Repeat(unit, 1<<20/len(unit))
		require.Equal(t, Confirm, c.Judge(source).Class, "%q", unit)
	}
}

func BenchmarkCorpus(b *testing.B) {
	c := testChecker()
	var all []row
	for _, name := range corpora {
		all = append(all, rows(b, name)...)
	}
	var times []time.Duration
	for b.Loop() {
		for _, r := range all {
			start := time.Now()
			c.Judge(r.command)
			times = append(times, time.Since(start))
		}
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(float64(times[len(times)-1].Microseconds()), "max-µs")
}

func BenchmarkOneMebibyte(b *testing.B) {
	c := testChecker()
	source := strings.Repeat("rm -rf x ", 1<<20/9)
	for b.Loop() {
		c.Judge(source)
	}
}

// BenchmarkLargest judges the largest texts under the caps.
func BenchmarkLargest(b *testing.B) {
	c := testChecker()
	source := strings.Repeat("grep -rn --include='*.conf' "+strings.Repeat("a", 600)+" /usr | sort | uniq -c\n", 12)
	v := c.Judge(source)
	require.Equal(b, Safe, v.Class, "%v", v.Reasons)
	for b.Loop() {
		c.Judge(source)
	}
}
