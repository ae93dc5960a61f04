package safety

import (
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata/matrix.txt anew")

// matrixForms are arguments that have made programs write, run, fetch or read something unexpected, in every
// spelling that option parsers accept.
var matrixForms = []string{
	"", "-o F", "-oF", "--out=F", "--ou F", "--output F", "--output=F", "--exec=sh", "--exec sh", "-e sh", "-c sh", "-x sh", "-f FILE", "-fFILE", "--file=FILE", "--fil FILE", "-i", "-w", "-d", "-D x", "-r", "-s x", "-t x", "-u x", "-n 1", "-p 1",
	"-C x", "-T x", "-S x", "-R x", "-H h", "-M m", "--config=F", "--conf F", "--root=/x", "--host=h", "--pager=sh", "--compress-program=sh", "--save=F", "--set x", "--delete", "--force", "*", "-*", "$X", `"$X"`, "/tmp/x/y", "../x", "./x", "~/x", "x",
	"x y", "@FILE", "-", "--", "-- -x", "http://h/p", "file:///x", "h:/p", "x=y", "'x;y'", "'$(x)'", "$(ls)", "+x", "--help x", "--version x", "set x", "edit", "start x", "get x", "show x", "status x", "list x", "info x",
}

// bases are the ways to begin an invocation of a program: alone, and with the required arguments of each form.
func bases(p *program) []string {
	out := []string{""}
	for _, f := range p.forms {
		base := ""
		for group := range strings.FieldsSeq(f.need) {
			option, _, _ := strings.Cut(group, ",")
			switch {
			case hasListed(f.singVal, option):
				base += " -" + option + " 1"
			case hasListed(f.single, option):
				base += " -" + option
			case len(option) == 1 && strings.Contains(f.values, option), hasListed(f.longVal, option):
				base += " " + dashed(option) + " 1"
			default:
				base += " " + dashed(option)
			}
		}
		if verb, _, _ := strings.Cut(f.verb, " "); verb != "" {
			base = " " + verb + base
		}
		if !slices.Contains(out, base) {
			out = append(out, base)
		}
	}
	return out
}

// matrix returns one row for each program and beginning, with the arguments for which it is Safe.
func matrix() string {
	c := testChecker()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c.programs)) {
		for _, base := range bases(c.programs[name]) {
			var safe []string
			for _, args := range matrixForms {
				if c.Judge(strings.TrimSpace(name+base+" "+args)).Class == Safe {
					safe = append(safe, "["+args+"]")
				}
			}
			if len(safe) > 0 {
				b.WriteString(name + base + "\t" + strings.Join(safe, " ") + "\n")
			}
		}
	}
	return b.String()
}

// TestS16MatrixOfArgumentForms records which forms of arguments each program of the tables accepts without a
// confirmation. Every row was reviewed. After a change of a table, review the difference and write it with
// -update.
func TestS16MatrixOfArgumentForms(t *testing.T) {
	const file = "testdata/matrix.txt"
	got := matrix()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	old := strings.Split(string(want), "\n")
	for _, row := range strings.Split(got, "\n") {
		if !slices.Contains(old, row) {
			t.Errorf("new or changed: %s", row)
		}
	}
	for _, row := range old {
		if !slices.Contains(strings.Split(got, "\n"), row) {
			t.Errorf("changed or gone: %s", row)
		}
	}
}

// TestS16NoProgramTakesWhatRunsOrWrites checks arguments that no row of the tables can accept.
func TestS16NoProgramTakesWhatRunsOrWrites(t *testing.T) {
	c := testChecker()
	for name, p := range c.programs {
		if slices.ContainsFunc(p.forms, func(f form) bool { return f.loose }) || name == "printf" || name == "test" || name == "[" {
			continue // they print or compare any words
		}
		for _, base := range bases(p) {
			for _, args := range []string{"--exec=sh", "--ou F", "--fil FILE", "--conf F", "--pager=sh", "--compress-program=sh", "--save=F", "--delete", "--force", "> F", ">> F", "| sh", "& x", "; x", "--unlisted-option"} {
				v := c.Judge(strings.TrimSpace(name + base + " " + args))
				require.NotEqual(t, Safe, v.Class, "%s", v.Command)
			}
		}
	}
}

// TestS16WhatReadingTheMatrixFound checks commands that were wrongly Safe.
func TestS16WhatReadingTheMatrixFound(t *testing.T) {
	c := testChecker()
	for _, command := range []string{
		"objdump -S a.out", "objdump --source a.out", // prints the program's source files
		"amixer -D '{type ext lib /tmp/x.so}' info", "amixer -D /tmp/x info", // a definition that loads a library
	} {
		require.Equal(t, Confirm, c.Judge(command).Class, command)
	}
}
