package diagnose

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
)

// scenario is a machine with a fault, or without one. Its file has a line "key: value" each for topic (one or more), object, text and lang (what
// the person wrote, in which language), cause ("none" without a fault, "likely X" if it is not proved), sound (a part of what is reported without a fault), step
// and advice (a part of what is offered), never (what would harm), decides (looks that only choose the advice) and source (where the fault or the output comes from).
// Below are the outputs, each after "-- COMMAND --"; "-- !2 COMMAND --" exits with 2, "-- ?COMMAND --" is not installed, and
// "-- >COMMAND --" is the standard error. Other commands exit with 1 and print nothing.
type scenario struct {
	name  string
	field map[string][]string
	files map[string]Output
}

func readScenario(t *testing.T, file string) scenario {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	s := scenario{strings.TrimSuffix(filepath.Base(file), ".txt"), map[string][]string{}, map[string]Output{}}
	for line := range strings.Lines(string(archive.Comment)) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if strings.TrimSpace(line) == "" {
			continue
		}
		require.True(t, ok && slices.Contains([]string{"topic", "object", "text", "lang", "cause", "sound", "step", "advice", "never", "decides", "source"}, key), "%s: %s", file, line)
		s.field[key] = append(s.field[key], value)
	}
	require.NotEmpty(t, s.field["source"], "%s has no source", file)
	for _, f := range archive.Files {
		s.addOutput(f.Name, string(f.Data))
	}
	return s
}

func (s scenario) addOutput(name, text string) {
	command, out := name, Output{Stdout: text}
	switch {
	case strings.HasPrefix(name, "?"):
		command, out = name[1:], Output{Unseen: true, Missing: strings.Fields(name[1:])[0]}
	case strings.HasPrefix(name, "!"):
		command, out.Exit = name[3:], int(name[1]-'0')
	case strings.HasPrefix(name, ">"):
		command = name[1:]
		out = s.files[command]
		out.Stderr = text
	}
	s.files[command] = out
}

func (s scenario) one(key string) string { return strings.Join(s.field[key], "\n") }

// conclude asks for looks as long as there are any, and returns the causes. unseen is a look that could not run.
func (s scenario) conclude(t *testing.T, unseen string) ([]Finding, *Facts) {
	t.Helper()
	topic, ok := Lookup(s.one("topic"))
	require.True(t, ok, "no topic %s", s.one("topic"))
	f := NewFacts(s.one("object"))
	f.Text, f.Lang = s.one("text"), i18n.Lang(s.one("lang"))
	for range 20 {
		found := topic.Conclude(f)
		needed := f.Needed()
		if len(needed) == 0 {
			return found, f
		}
		for _, look := range needed {
			out, ok := s.files[look.String()]
			if !ok {
				out = Output{Exit: 1}
			}
			if look.String() == unseen {
				out = Output{Unseen: true}
			}
			f.Add(look, out)
		}
	}
	require.Fail(t, "it asks without end")
	return nil, nil
}

// words returns all that a person could read of a cause, in all languages.
func (f Finding) words() string {
	texts := []i18n.Text{f.Says, f.Advice}
	for _, e := range f.Evidence {
		texts = append(texts, e.Text)
	}
	var b strings.Builder
	if f.Repair != nil {
		texts = append(texts, f.Repair.Goal, f.Repair.Ask)
		for _, s := range f.Repair.Steps {
			texts = append(texts, s.About)
			b.WriteString(s.Verb + " " + s.Args["action"] + " " + s.Args["command"] + s.Args["name"] + s.Args["path"] + " undo " + s.Undo + " check " + s.Check + "\n")
		}
	}
	for _, text := range texts {
		for _, lang := range []i18n.Lang{i18n.English, i18n.Korean, i18n.Chinese} {
			b.WriteString(text.In(lang) + "\n")
		}
	}
	return b.String()
}

// harmful is what no cause may offer or advise.
var harmful = []string{
	"-Rdd", "-Scc", "--overwrite", "--nodeps", "chmod 777", "chmod -R", "chown -R", "NOPASSWD", "rm -rf", "SigLevel = Never", "pacman -Sy ", "pip install", "--no-check-certificate",
	"nft flush", "iptables -F", "modprobe -f", "fsck -y", "btrfs check --repair", "curl ",
}

// ofEachTopic returns the scenario once for each topic that has its cause.
func (s scenario) ofEachTopic() (all []scenario) {
	for _, topic := range s.field["topic"] {
		fields := maps.Clone(s.field)
		fields["topic"] = []string{topic}
		all = append(all, scenario{s.name, fields, s.files})
	}
	return all
}

func scenarios(t *testing.T) (all []scenario) {
	t.Helper()
	require.NoError(t, filepath.WalkDir("testdata", func(file string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(file, ".txt") {
			all = append(all, readScenario(t, file).ofEachTopic()...)
		}
		return err
	}))
	return all
}

// TestScenarios: each machine's cause comes first, with what repairs it, and nothing that harms.
func TestScenarios(t *testing.T) {
	for _, s := range scenarios(t) {
		t.Run(s.one("topic")+"/"+s.name, func(t *testing.T) {
			found, f := s.conclude(t, "")
			require.NotContains(t, slices.Collect(maps.Values(f.unreadable)), Unreadable, "a recorded output is not understood")
			cause, isLikely := strings.CutPrefix(s.one("cause"), "likely ")
			if cause == "none" {
				require.Empty(t, found)
				require.NotEmpty(t, f.seen)
				for _, part := range s.field["sound"] {
					require.NotNil(t, f.sound)
					require.Contains(t, f.sound.words(), part)
				}
				return
			}
			require.NotEmpty(t, found, "looked at: %s", strings.Join(f.Looked(), "\n"))
			first := found[0]
			require.Equal(t, cause, first.Cause)
			require.Equal(t, !isLikely, first.Certain)
			require.NotEmpty(t, first.Evidence)
			for _, part := range slices.Concat(s.field["step"], s.field["advice"]) {
				require.Contains(t, first.words(), part)
			}
			for _, other := range found {
				for _, bad := range slices.Concat(harmful, s.field["never"]) {
					require.NotContains(t, other.words(), bad, other.Cause)
				}
			}
			if first.Repair != nil {
				for _, step := range first.Repair.Steps {
					require.False(t, PlanStep{Step: step.Step}.Looks(), "%v changes something", step.Args)
				}
			}
			s.requireEachEvidence(t, first)
		})
	}
}

// requireEachEvidence: without one of its evidences a cause is not reported as certain.
func (s scenario) requireEachEvidence(t *testing.T, first Finding) {
	t.Helper()
	for _, e := range first.Evidence {
		if slices.Contains(s.field["decides"], e.Look.String()) {
			continue
		}
		found, _ := s.conclude(t, e.Look.String())
		for _, other := range found {
			require.False(t, first.Certain && other.Certain && other.Cause == first.Cause, "without %s", e.Look)
		}
	}
}

// TestEveryCauseHasAScenario: and each topic a machine without a fault.
func TestEveryCauseHasAScenario(t *testing.T) {
	told := map[string]bool{}
	for _, s := range scenarios(t) {
		told[s.one("topic")+" "+strings.TrimPrefix(s.one("cause"), "likely ")] = true
	}
	for _, topic := range Topics() {
		if topic.ID == "start" || topic.ID == "update" {
			continue // in start_test.go and update_test.go
		}
		for _, cause := range append(topic.Causes(), "none") {
			require.True(t, told[topic.ID+" "+cause], "%s: no scenario for %s", topic.ID, cause)
		}
	}
}

// TestEveryCauseHasASource: docs/diagnose.md names where each cause is described.
func TestEveryCauseHasASource(t *testing.T) {
	text, err := os.ReadFile("../docs/diagnose.md")
	require.NoError(t, err)
	for _, topic := range Topics() {
		for _, cause := range topic.Causes() {
			require.Contains(t, string(text), "| "+topic.ID+" | "+cause+" | ", "docs/diagnose.md has no row for it")
		}
	}
}

// TestOnlyWhatIsNotEnabledIsEnabled: a service that only stopped is started, and starts at boot as before.
func TestOnlyWhatIsNotEnabledIsEnabled(t *testing.T) {
	for _, s := range scenarios(t) {
		found, f := s.conclude(t, "")
		for _, one := range found {
			if one.Repair == nil {
				continue
			}
			for _, step := range one.Repair.Steps {
				if step.Verb == "unit" && step.Args["action"] == "enable" {
					require.True(t, f.isNotEnabled(step.Args["name"]) || one.Repair.Steps[0].Verb == "install", "%s: %s", s.name, step.Args["name"])
				}
			}
		}
	}
}

// isNotEnabled reports whether a look shows that a unit is disabled, or that nothing has its alias.
func (f *Facts) isNotEnabled(unit string) bool {
	for _, out := range f.seen {
		for block := range strings.SplitSeq(out.Stdout, "\n\n") {
			named := strings.Contains(block, "Id="+unit) && strings.Contains(block, "UnitFileState=disabled")
			if named || strings.Contains(block, "Id=display-manager.service") && strings.Contains(block, "LoadState=not-found") {
				return true
			}
		}
	}
	return false
}
