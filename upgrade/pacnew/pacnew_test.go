package pacnew

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// etc is a machine with files in /etc. Its text has "-- PATH --" for a file, "-- root PATH --" for one that only root reads,
// "-- secret PATH --" for one that is not read, and "-- base PACKAGE VERSION PATH --" for one in the package cache, which the
// real diff3 compares, and "-- kept TIME PATH --" for a left file that a receipt keeps. "-- backup PATH --" is a configuration file
// outside /etc, "-- log --" pacman's log. A line "> FILE|CHOICE" is a wish, with "= WORDS" that the report has and
// "! WORDS" that it has not.
type etc struct {
	t       *testing.T
	files   map[string][]byte
	denied  map[string]error
	bases   map[string]versions // by the name of the package file
	log     string
	owners  map[string]string
	kept    map[string]string
	removed []keptFile
	backups string    // of pacman's database
	changed time.Time // when the files were changed last
}

// keptFile is a removed file whose text is kept.
type keptFile struct {
	at          time.Time
	file, place string
}

func newEtc(t *testing.T, archive *txtar.Archive) *etc {
	e := &etc{t: t, files: map[string][]byte{}, denied: map[string]error{}, bases: map[string]versions{}, owners: map[string]string{}, kept: map[string]string{}}
	for _, f := range archive.Files {
		words := strings.Fields(f.Name)
		switch words[0] {
		case "log":
			e.log = string(f.Data)
		case "owner":
			e.owners[words[2]] = words[1]
		case "changed":
			at, err := time.Parse(time.RFC3339, strings.TrimSpace(string(f.Data)))
			require.NoError(t, err)
			e.changed = at
		case "root":
			e.denied[words[1]] = fs.ErrPermission
			e.files[words[1]] = nil
		case "secret":
			e.denied[words[1]] = ErrHidden
			e.files[words[1]] = nil
		case "base":
			e.bases[fmt.Sprintf("/var/cache/pacman/pkg/%s-%s-x86_64.pkg.tar.zst %s", words[1], words[2], strings.TrimPrefix(words[3], "/"))] = versions{base: string(f.Data)}
		case "kept":
			at, err := time.Parse(time.RFC3339, words[1])
			require.NoError(t, err)
			place := filepath.Join(t.TempDir(), "text")
			require.NoError(t, os.WriteFile(place, f.Data, 0o600))
			e.removed = append(e.removed, keptFile{at, words[2], place})
		case "backup":
			e.backups += strings.TrimPrefix(words[1], "/") + "\td41d8cd98f00b204e9800998ecf8427e\n"
		default:
			e.files[f.Name] = f.Data
		}
	}
	return e
}

func (e *etc) read(path string) ([]byte, time.Time, error) {
	text, ok := e.files[path]
	if !ok {
		return nil, time.Time{}, fs.ErrNotExist
	}
	return text, e.changed, e.denied[path]
}

func (e *etc) keptFiles(file string) iter.Seq2[time.Time, string] {
	return func(yield func(time.Time, string) bool) {
		for _, k := range e.removed {
			if k.file == file && !yield(k.at, k.place) {
				return
			}
		}
	}
}

func (e *etc) keep(text []byte) (string, error) {
	digest := fmt.Sprintf("kept-%d", len(e.kept)+1)
	for known, was := range e.kept {
		if was == string(text) {
			return known, nil
		}
	}
	e.kept[digest] = string(text)
	return digest, nil
}

var checker = safety.New(safety.Options{Home: "/home/kim", User: "kim", Dir: "/home/kim"})

func (e *etc) run(_ context.Context, command string) (out diagnose.Output) {
	require.Equal(e.t, safety.Safe, checker.Judge(command).Class, command)
	words := strings.Fields(command)
	switch words[0] {
	case "find":
		if words[1] == "/var/cache/pacman/pkg" {
			for archive := range e.bases {
				file, _, _ := strings.Cut(archive, " ")
				_, versions, _ := strings.Cut(command, "-(")
				versions, _, _ = strings.Cut(versions, ")")
				for version := range strings.SplitSeq(strings.NewReplacer("[.]", ".", "[+]", "+").Replace(versions), "|") {
					if strings.HasSuffix(file, "-"+version+"-x86_64.pkg.tar.zst") {
						out.Stdout += file + "\n"
					}
				}
			}
			return out
		}
		for path := range e.files {
			below := strings.HasPrefix(path, "/etc/")
			if words[1] != "/etc" {
				below = slices.Contains(words, filepath.Dir(path))
			}
			if below && (strings.HasSuffix(path, ".pacnew") || strings.Contains(path, ".pacsave")) {
				out.Stdout += fmt.Sprintf("1763640000.5\t10\t%s\n", path)
			}
		}
	case "pacman":
		for _, path := range words[3:] {
			if owner := e.owners[path]; owner != "" {
				out.Stdout += path + " is owned by " + owner + " 9-1\n"
			} else {
				out.Exit = 1
			}
		}
	case "grep":
		out.Stdout = e.log
		if words[1] == "-rhE" {
			out.Stdout = e.backups
		}
	case "diff", "diff3":
		base := words[2]
		if words[0] == "diff3" {
			base = words[4]
		}
		text, err := os.ReadFile(base)
		require.NoError(e.t, err)
		out.Stdout = e.compare(versions{base: string(text)}, words)
	case "bsdtar":
		v, ok := e.bases[words[2]+" "+words[3]]
		if !ok {
			return diagnose.Output{Stderr: "bsdtar: " + words[3] + ": Not found in archive", Exit: 1}
		}
		argv, _ := shell.ParseLiteral(strings.Split(command, " | ")[1])
		out.Stdout = e.compare(v, argv)
	default:
		require.Fail(e.t, "unknown look", command)
	}
	return out
}

// compare returns what "diff -a BASE FILE" counts, or the heads of "diff3 -a FILE NEW BASE".
func (e *etc) compare(v versions, argv []string) (out string) {
	v.dir = e.t.TempDir()
	if argv[0] == "diff" {
		return fmt.Sprint(distance(v.base, string(e.files[argv[3]]))) + "\n"
	}
	v.mine, v.new = string(e.files[argv[2]]), string(e.files[argv[3]])
	mine, base, new := v.write(e.t)
	for line := range strings.Lines(diff3(e.t, "-a", mine, new, base)) {
		if !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, `\`) {
			out += line
		}
	}
	return out
}

// distance counts the lines that only one text has.
func distance(a, b string) (n int) {
	in := lineCounts(a)
	for line, k := range lineCounts(b) {
		in[line] -= k
	}
	for _, k := range in {
		n += max(k, -k)
	}
	return n
}

// TestMachines reads the machines of testdata: what is reported about each file, and the plan.
func TestMachines(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			e := newEtc(t, archive)
			told := ""
			for line := range strings.Lines(string(archive.Comment)) {
				line = strings.TrimRight(line, "\n")
				kind, text, _ := strings.Cut(line, " ")
				switch kind {
				case ">":
					told = e.tell(text)
				case "=":
					require.Contains(t, told, text, line)
				case "!":
					require.NotContains(t, told, text, line)
				}
			}
		})
	}
}

// tell returns the report of a wish in English, and its plan with the texts that it writes. In each language it is complete,
// and the plan is one that the tool plan takes.
func (e *etc) tell(wish string) string {
	t := e.t
	file, choice, _ := strings.Cut(wish, "|")
	decided, err := ParseChoice(choice)
	require.NoError(t, err, choice)
	local := strings.HasPrefix(file, "chat ")
	out, err := Plan(t.Context(), Wish{File: strings.TrimPrefix(file, "chat "), Choice: decided, AtTheMachine: !local}, Machine{Run: e.run, Read: e.read, Keep: e.keep, Kept: e.keptFiles})
	require.NoError(t, err)
	for _, lang := range []i18n.Lang{i18n.Korean, i18n.Chinese} {
		require.NotEmpty(t, out.Tell(lang).Text(lang))
	}
	r := out.Tell(i18n.English)
	text := r.Text(i18n.English)
	data, err := json.Marshal(r)
	require.NoError(t, err)
	text += "\n" + string(data)
	if r.Plan == nil {
		return text + "\nno plan"
	}
	steps, err := json.Marshal(map[string]any{"goal": r.Plan.Goal, "steps": r.Plan.Input()})
	require.NoError(t, err)
	p, err := plan.Read(steps)
	require.NoError(t, err, "%s", steps)
	for _, s := range p.Steps {
		text += fmt.Sprintf("\nstep %s %s", s.Verb, s.Args["path"]+s.Args["command"])
		if kept := s.Args["kept"]; kept != "" {
			text += "\n" + e.kept[kept]
			require.NotContains(t, e.kept[kept], "<<<<<<<")
		}
	}
	return text
}

func TestOrigins(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	all := []origin{{"1-1", day(10)}, {"2-1", day(20)}, {"3-1", day(30)}}
	require.Equal(t, 0, likelyOrigin(all, day(5)), "not changed since before all updates")
	require.Equal(t, 1, likelyOrigin(all, day(15)), "settled after the first")
	require.Equal(t, 2, likelyOrigin(all, day(31)), "being merged")
}
