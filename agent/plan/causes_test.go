package plan

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/tools/elevation"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// example is an ending of a real command.
type example struct {
	name   string
	cause  Cause
	ending Ending
	stdout string
}

// readExamples reads testdata/causes. The first of its files explains the form.
func readExamples(t testing.TB) []example {
	files, err := filepath.Glob("testdata/causes/*.txtar")
	require.NoError(t, err)
	var examples []example
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		for _, section := range archive.Files {
			cause, _, ok := strings.Cut(section.Name, "/")
			require.True(t, ok, section.Name)
			e := example{name: filepath.Base(file) + "/" + section.Name, cause: Cause(cause)}
			e.read(t, string(section.Data))
			examples = append(examples, e)
		}
	}
	require.NotEmpty(t, examples)
	return examples
}

func (e *example) read(t testing.TB, text string) {
	for printed := range strings.Lines(text) {
		mark, rest, _ := strings.Cut(strings.TrimSuffix(printed, "\n"), " ")
		switch mark {
		case "$":
			argv, literal := shell.ParseLiteral(rest)
			require.True(t, literal, e.name)
			e.ending.Argv = argv
		case "?":
			exit, err := strconv.Atoi(rest)
			require.NoError(t, err, e.name)
			e.ending.Exit = exit
		case "!":
			if result, isUnit := strings.CutPrefix(rest, "unit "); isUnit {
				e.ending.UnitResult = result
			} else {
				require.Equal(t, "contradicted", rest, e.name)
				e.ending.Contradicted = true
			}
		case "#":
		case ">":
			e.stdout += rest + "\n"
		default:
			e.ending.Stderr += printed
		}
	}
	require.NotEmpty(t, e.ending.Argv, e.name)
	e.ending.Denied = string(elevation.DenialReason(e.ending.Exit, e.ending.Stderr))
}

func TestEndingsAreClassified(t *testing.T) {
	t.Parallel()
	have := map[Cause]bool{}
	for _, e := range readExamples(t) {
		require.Equal(t, e.cause, Classify(e.ending), e.name)
		have[e.cause] = true
	}
	for _, c := range causes {
		require.True(t, have[c] || c == CauseBlocked, "no example of %s", c) // a blocked command does not run
	}
}

// causes are all causes.
var causes = []Cause{
	CauseNotInstalled, CauseNoRights, CauseNetwork, CauseMirror, CauseLocked, CauseConflict, CauseNotFound,
	CauseDiskFull, CauseTimeout, CauseRefused, CauseBlocked, CauseUntrusted, CauseUnknown,
}

// TestDenialsAreNotNeeded: messages about missing rights that name the caller's own program are recognised without the
// reason code.
func TestDenialsAreNotNeeded(t *testing.T) {
	t.Parallel()
	for _, e := range readExamples(t) {
		if e.cause == CauseNoRights && !slices.Contains([]string{"sudo", "pkexec"}, e.ending.Argv[0]) {
			e.ending.Denied = ""
			require.Equal(t, CauseNoRights, Classify(e.ending), e.name)
		}
	}
}

func TestEndingsWithoutMessages(t *testing.T) {
	t.Parallel()
	for want, endings := range map[Cause][]Ending{
		"":                {{}, {UnitResult: "success"}, {Argv: []string{"true"}}},
		CauseNotInstalled: {{Missing: "nosuch"}, {Missing: "nosuch", Exit: -1}, {Refusal: "missing"}},
		CauseNoRights:     {{Exit: 1, Denied: "password"}, {Refusal: "no_rights"}},
		CauseRefused: {
			{Refusal: "denied"},
			{Refusal: "expired"},
			{Refusal: "cancelled"},
			{Refusal: "queued"},
			{Refusal: "read_only"},
			{Refusal: "unparsed"},
			{Refusal: "mismatch"},
			{Refusal: "a code of a later version"},
			{Exit: 126, Denied: "dismissed"},
		},
		CauseBlocked: {{Refusal: "blocked"}},
		CauseTimeout: {
			{Exit: -1, TimedOut: true},
			{TimedOut: true},
			{Exit: 1, TimedOut: true, Stderr: "find: '/x': Permission denied\n"},
		},
		CauseUnknown: {
			{Exit: -1},
			{Exit: 1},
			{Contradicted: true},
			{Exit: -1, Stderr: "error: could not lock database: File exists\n"},
			{Refusal: "log"},
		},
	} {
		for _, e := range endings {
			require.Equal(t, want, Classify(e), "%+v", e)
		}
	}
}

// TestSuccessHasNoCause: a command that succeeded can print any message, for example of a log that it reads.
func TestSuccessHasNoCause(t *testing.T) {
	t.Parallel()
	for _, e := range readExamples(t) {
		require.Empty(t, Classify(Ending{Argv: e.ending.Argv, Stderr: e.ending.Stderr + e.stdout}), e.name)
	}
}

// TestQuotedMessagesAreNotRecognized: messages that are not a program's own lines.
func TestQuotedMessagesAreNotRecognized(t *testing.T) {
	t.Parallel()
	for _, stderr := range []string{
		"note: the log says error: could not lock database: File exists\n",
		"usage: explain 'error: target not found: NAME'\n",
		"see \"Failed to start x.service: Unit x.service not found.\"\n",
		"about No space left on device and Permission denied, and what to do\n",
	} {
		require.Equal(t, CauseUnknown, Classify(Ending{Exit: 1, Stderr: stderr}), stderr)
	}
}

// final are the causes that are never worked around.
var final = []Cause{CauseRefused, CauseBlocked, CauseUntrusted}

// TestNoMessageHidesARefusal: no matter what else a command prints, it is not tried again if one of its messages says that it
// is refused or not to be trusted.
func TestNoMessageHidesARefusal(t *testing.T) {
	t.Parallel()
	var said []example
	for _, e := range readExamples(t) {
		e.ending.Denied = ""
		if slices.Contains(final, e.cause) && causeOfMessage(nil, e.ending.Stderr) == e.cause {
			said = append(said, e)
		}
	}
	all := readExamples(t)
	require.NotEmpty(t, said)
	rapid.Check(t, func(t *rapid.T) {
		texts := []string{rapid.SampledFrom(said).Draw(t, "refusal").ending.Stderr}
		for _, other := range rapid.SliceOfN(rapid.SampledFrom(all), 0, 4).Draw(t, "others") {
			texts = append(texts, other.ending.Stderr)
		}
		e := Ending{
			Argv:     rapid.SampledFrom([][]string{nil, {"nmcli"}}).Draw(t, "argv"),
			Exit:     rapid.IntRange(-1, 255).Draw(t, "exit"),
			Stderr:   strings.Join(rapid.Permutation(texts).Draw(t, "order"), ""),
			TimedOut: rapid.Bool().Draw(t, "timed out"),
			Denied:   rapid.SampledFrom([]string{"", "password"}).Draw(t, "denied"),
		}
		if !e.failed() {
			return
		}
		got := Classify(e)
		require.Contains(t, final, got)
		require.Equal(t, Abort, Decide(got, Tried{Attempts: 1, Budget: MaxRecoveries, Idempotent: true, Alternatives: 1}))
	})
}

func FuzzClassify(f *testing.F) {
	for _, e := range readExamples(f) {
		f.Add(strings.Join(e.ending.Argv, " "), e.ending.Exit, e.ending.Stderr, e.ending.Denied, e.ending.UnitResult)
	}
	f.Fuzz(func(t *testing.T, command string, exit int, stderr, denied, unit string) {
		e := Ending{Argv: strings.Fields(command), Exit: exit, Stderr: stderr, Denied: denied, UnitResult: unit}
		got := Classify(e)
		require.Equal(t, e.failed(), got != "")
		require.True(t, got == "" || slices.Contains(causes, got), got)
		for _, a := range Alternatives(e.Argv, got) {
			require.NotEmpty(t, a.Way)
		}
	})
}
