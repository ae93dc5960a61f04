package intent

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// inventory lists every tool.
var inventory = []string{
	"check_disk", "check_memory", "check_processes", "read_logs", "check_network", "list_packages", "search_packages", "package_info", "check_updates",
	"install_package", "remove_package", "update_system", "check_service", "manage_service", "system_info", "check_hardware", "check_boot", "find_large",
	"run_command", "remember", "recall", "forget", "schedule", "plan", "recent_changes", "fetch_page", "desktop",
}

// row is one line of a corpus. The header of testdata/intents-dev.tsv describes the columns and matching rules.
type row struct {
	utterance, lang, tool, args, category string
}

func readCorpus(t testing.TB, file string) []row {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(t, err)
	var rows []row
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "\t")
		require.GreaterOrEqual(t, len(f), 4, line)
		r := row{utterance: f[0], lang: f[1], tool: f[2], args: f[3]}
		if len(f) > 4 {
			r.category = f[4]
		}
		rows = append(rows, r)
	}
	return rows
}

var inputsOf = map[string]string{
	"check_processes": "sort name", "read_logs": "unit since priority lines grep", "check_network": "scope", "list_packages": "filter",
	"search_packages": "query", "package_info": "name", "install_package": "name", "remove_package": "name",
	"check_service": "name failed user", "manage_service": "action name user", "check_hardware": "scope", "find_large": "path",
	"run_command": "command", "remember": "text", "recall": "query", "schedule": "cron task at say",
}

var changing = set("install_package", "remove_package", "update_system", "manage_service", "run_command")

// matches reports whether a plan satisfies a row.
func (r row) matches(p Plan) bool {
	tools := strings.Split(r.tool, "|")
	if len(p.Steps) == 0 {
		return contains(tools, "none") || contains(tools, "refuse")
	}
	s := p.Steps[0]
	return contains(tools, s.Tool) && r.argsMatch(s) || r.isNowOf(s)
}

// isNowOf reports whether a step is what a row means that is older than the tools desktop and diagnose: it calls out of domain what
// the desktop can do now, and names the look instead of the question about its cause.
func (r row) isNowOf(s Step) bool {
	wants := func(tool string) bool { return contains(strings.Split(r.tool, "|"), tool) }
	verb, topic := fmt.Sprint(s.Input["verb"]), fmt.Sprint(s.Input["topic"])
	switch s.Tool {
	case "desktop":
		return r.category == "ood" && wants("none") || r.category != "trap" && wants("none") && wants("run_command") ||
			wants("manage_service") && strings.Contains(r.args, "name=bluetooth") && verb == "bluetooth" ||
			wants("system_info") && contains([]string{"timezone", "layout", "hostname"}, verb)
	case "diagnose":
		return wants("check_network") && r.args == "scope=ports" && topic == "port" ||
			wants("check_processes") && topic == "slow" || wants("check_memory") && topic == "memory" ||
			wants("read_logs") && contains([]string{"suspend", "screen", "login"}, topic) || wants("system_info") && topic == "clock"
	}
	return false
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func (r row) argsMatch(s Step) bool {
	if r.args == "" {
		return r.notWhole(s)
	}
	for _, cond := range strings.Split(r.args, ";") {
		key, want, _ := strings.Cut(cond, "=")
		partial := strings.HasSuffix(key, "~")
		key = strings.TrimSuffix(key, "~")
		if !contains(strings.Fields(inputsOf[s.Tool]), key) {
			continue
		}
		if !valueMatches(key, fmt.Sprint(orEmpty(s.Input[key])), want, partial) {
			return false
		}
	}
	return r.notWhole(s)
}

func (r row) notWhole(s Step) bool {
	switch s.Tool {
	case "search_packages":
		return fmt.Sprint(s.Input["query"]) != r.utterance
	case "schedule":
		return fmt.Sprint(s.Input["task"]) != r.utterance
	case "run_command":
		return fmt.Sprint(s.Input["command"]) != r.utterance || strings.Contains(r.tool, "run_command")
	}
	return true
}

func orEmpty(v any) any {
	if v == nil {
		return ""
	}
	return v
}

func valueMatches(key, got, want string, partial bool) bool {
	for _, w := range strings.Split(want, "|") {
		switch {
		case w == "?" && strings.TrimSpace(got) != "":
			return true
		case w == "-" && (got == "" || got == "false"):
			return true
		case partial && strings.Contains(squeeze(got), squeeze(w)):
			return true
		case !partial && canonical(key, got) == canonical(key, w):
			return true
		}
	}
	return false
}

func squeeze(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), "")) }

var agoForm = regexp.MustCompile(`^(\d+)(minute|min|m|hour|h|day|d)s?(ago)?$`)

func canonical(key, v string) string {
	s := squeeze(v)
	switch key {
	case "since":
		if m := agoForm.FindStringSubmatch(s); m != nil {
			n, _ := strconv.Atoi(m[1])
			return (time.Duration(n) * map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}[m[2][0]]).String()
		}
	case "priority":
		return map[string]string{"error": "err", "3": "err", "4": "warning", "2": "crit", "warn": "warning", "critical": "crit"}[s] + map[bool]string{true: s}[!contains([]string{"error", "3", "4", "2", "warn", "critical"}, s)]
	case "path":
		s = strings.TrimSuffix(strings.Replace(strings.TrimSuffix(s, "/"), "$home", "~", 1), "/")
		return s
	case "unit", "name":
		return strings.ReplaceAll(s, ".service", "")
	case "cron":
		return cronMinutes(v)
	}
	return s
}

// cronMinutes expands a cron expression to the sets of values of its fields, so that */1 equals *, and 7 equals
// 0.
func cronMinutes(expr string) string {
	fields := strings.Fields(expr)
	if len(fields) != 5 {
		return expr
	}
	limits := [][2]int{{0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 6}}
	var b strings.Builder
	for i, f := range fields {
		for v := limits[i][0]; v <= limits[i][1]; v++ {
			if cronFieldHas(f, v, limits[i][0], i == 4) {
				fmt.Fprintf(&b, "%d,", v)
			}
		}
		b.WriteByte(';')
	}
	return b.String()
}

func cronFieldHas(field string, v, low int, weekday bool) bool {
	for _, part := range strings.Split(field, ",") {
		rng, stepText, stepped := strings.Cut(part, "/")
		step := 1
		if stepped {
			step, _ = strconv.Atoi(stepText)
		}
		from, to := low, 99
		if rng != "*" {
			a, b, isRange := strings.Cut(rng, "-")
			from, _ = strconv.Atoi(a)
			to = from
			if isRange {
				to, _ = strconv.Atoi(b)
			}
		}
		for _, x := range []int{v, v + 7} {
			if (x == v || weekday && v == 0) && x >= from && x <= to && step > 0 && (x-from)%step == 0 {
				return true
			}
		}
	}
	return false
}

// dangerous reports whether a plan changes something although the row expects no change.
func (r row) dangerous(p Plan) bool {
	for _, tool := range strings.Split(r.tool, "|") {
		if changing[tool] {
			return false
		}
	}
	for _, s := range p.Steps {
		if changing[s.Tool] && !s.IsReadOnly() {
			return true
		}
	}
	return false
}

func score(t *testing.T, file string) (right, total, danger int) {
	t.Helper()
	byCategory := map[string][2]int{}
	for _, r := range readCorpus(t, file) {
		p := shared().Understand(r.utterance, Context{})
		total++
		c := byCategory[r.category]
		c[1]++
		if r.matches(p) {
			right++
			c[0]++
		} else {
			t.Logf("WRONG %s [%s] %q want %s %s\n      got %v %v", r.lang, r.category, r.utterance, r.tool, r.args, p.Steps, p.Why())
		}
		if r.dangerous(p) {
			danger++
			t.Errorf("DANGEROUS %q: %s", r.utterance, p.Why())
		}
		byCategory[r.category] = c
	}
	t.Logf("%s: %d of %d right (%.1f %%), %d dangerous, by category %v", file, right, total, 100*float64(right)/float64(total), danger, byCategory)
	return right, total, danger
}

func TestDevelopmentCorpusIsUnderstood(t *testing.T) {
	right, total, danger := score(t, "intents-dev.tsv")
	require.Zero(t, danger)
	require.GreaterOrEqual(t, float64(right)/float64(total), 0.97)
}

// fresh-9.tsv and fresh-10.tsv were written, like the files before them, without knowledge of the helper, and
// are excluded from training. First results of the blind sets, before anything was changed for them (the
// earlier ones are now among the phrases):
//
// \trules alone      fresh-1 96.8 %, fresh-2 87.9 %, fresh-3 92.7 %, fresh-4 92.1 %, 5 dangerous of 980
// \t                 fresh-5 74 % (deliberately hard), 11 dangerous of 930; fresh-6 88.5 %, 1 dangerous of 419
// \twith classifier  fresh-7 90.6 % of 500, fresh-8 90.0 % of 450, fresh-9 91.2 % of 500, fresh-10 94.0 % of
// 420,
// \t                 none dangerous
func TestFreshRequestsAreUnderstood(t *testing.T) {
	for _, file := range []string{"fresh-9.tsv", "fresh-10.tsv"} {
		right, total, danger := score(t, file)
		require.Zero(t, danger, file)
		require.GreaterOrEqual(t, float64(right)/float64(total), 0.9, file)
	}
}

// isWish reports whether a plan does with the tool desktop what nothing did when the phrases were written, or what other tools
// did: Bluetooth, the time zone, the keyboard.
func (r row) isWish(p Plan) bool {
	tools := strings.Split(r.tool, "|")
	was := contains(tools, "none") || contains(tools, "system_info") || contains(tools, "manage_service") && strings.Contains(r.args, "name=bluetooth")
	return was && len(p.Steps) > 0 && p.Steps[0].Tool == "desktop"
}

// TestPhrasesAreUnderstood checks the training phrases: nearly all must be right, and none may lead to an
// unexpected change.
func TestPhrasesAreUnderstood(t *testing.T) {
	all := phrases(t)
	right := 0
	for _, r := range all {
		p := shared().Understand(r.utterance, Context{})
		require.False(t, r.dangerous(p), "%q: %s", r.utterance, p.Why())
		if r.matches(p) || r.isWish(p) {
			right++
		}
	}
	t.Logf("%d of %d right", right, len(all))
	require.GreaterOrEqual(t, float64(right)/float64(len(all)), 0.9)
}
