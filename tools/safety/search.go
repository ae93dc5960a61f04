package safety

import (
	"strings"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// grepOperands judges PATTERN FILE…. The pattern can be anything; the files are shown, and a recursive search
// shows everything below them.
func grepOperands(in *invocation, p *parsed) *refusal {
	files := p.operands
	if !p.has("e", "f", "regexp", "file") {
		if len(files) == 0 {
			return deny("missing-value", "pattern", 2)
		}
		if files[0].many && (files[0].val.mayBeOption() || in.checkKind(read, files[0], 2) != nil || strings.HasPrefix(files[0].val.prefix(), "./")) {
			return deny("unproven-operand", files[0].val.String(), 2)
		}
		files = files[1:]
	}
	k := read
	if p.has("r", "R", "recursive", "dereference-recursive") {
		k = tree
		if len(files) == 0 {
			files = []field{{val: litValue(".")}}
		}
	}
	return checkAll(in, k, files)
}

// ripgrepOperands does the same for rg, which is always recursive.
func ripgrepOperands(in *invocation, p *parsed) *refusal {
	files := p.operands
	if p.has("type-list") {
		return nil
	}
	if !p.has("e", "f", "regexp", "files") {
		if len(files) == 0 {
			return deny("missing-value", "pattern", 2)
		}
		files = files[1:]
	}
	if len(files) == 0 && in.s.feed == nil {
		files = []field{{val: litValue(".")}}
	}
	return checkAll(in, tree, files)
}

func checkAll(in *invocation, k kind, fields []field) *refusal {
	for _, f := range fields {
		if r := in.checkKind(k, f, 2); r != nil {
			return r
		}
	}
	return nil
}

// noEnvironmentFormat refuses templates that print environments.
func noEnvironmentFormat(_ *invocation, p *parsed) *refusal {
	return noEnvironmentIn(p.values("format", "f"))
}

// tarOptions converts the old style without a dash: tar tvf FILE.
func tarOptions(args []field) []field {
	if len(args) == 0 {
		return args
	}
	word, ok := args[0].val.lit()
	if !ok || word == "" || strings.Trim(word, "tvzjJaZf") != "" || strings.Count(word, "f") > 1 {
		return args
	}
	if i := strings.IndexByte(word, 'f'); i >= 0 {
		word = word[:i] + word[i+1:] + "f"
	}
	return append([]field{{val: litValue("-" + word)}}, args[1:]...)
}

// localArchive refuses HOST:FILE, which tar fetches through a remote shell unless there is a slash before the
// colon (GNU tar manual, "Remote Tape Server").
func localArchive(_ *invocation, p *parsed) *refusal {
	for _, f := range p.values("f", "file") {
		start, _, colon := strings.Cut(f.val.prefix(), ":")
		_, known := f.val.lit()
		if (colon || !known) && !strings.Contains(start, "/") {
			return deny("operand", f.val.String(), 2)
		}
	}
	return nil
}

// jqWord matches the words of a jq filter outside its strings.
var jqWord = lazyregexp.New(`[A-Za-z_$@][A-Za-z0-9_:]*`)

// jqForbidden are words that read the environment, other files or modules (jq manual).
var jqForbidden = words("env $ENV $__prog_args import include input_filename modulemeta get_search_list debug stderr input_line_number getpath_env halt_error @sh")

// jqVariables removes the definitions --arg NAME TEXT from the arguments.
func jqVariables(args []field) []field {
	var out []field
	for i := 0; i < len(args); i++ {
		word, ok := args[i].val.lit()
		if ok && (word == "--arg" || word == "--argjson") && i+2 < len(args) && !args[i+1].many && !args[i+2].many {
			if name, known := args[i+1].val.lit(); known && isPlainWord(name) {
				i += 2
				continue
			}
		}
		out = append(out, args[i])
	}
	return out
}

// jqFilter judges the filter and the files of jq.
func jqFilter(in *invocation, p *parsed) *refusal {
	if len(p.operands) == 0 {
		return nil // the filter is . by default
	}
	filter, ok := p.operands[0].val.lit()
	if !ok || p.operands[0].many {
		return deny("script", p.operands[0].val.String(), 2)
	}
	for _, at := range jqWord.FindAllStringIndex(filter, -1) {
		word := filter[at[0]:at[1]]
		if jqField(filter[:at[0]], word) {
			continue
		}
		if jqForbidden.has(word) || strings.HasPrefix(word, "$ENV") || strings.Contains(word, "::") {
			return deny("script", filter, 2)
		}
	}
	return checkAll(in, read, p.operands[1:])
}

// jqField reports whether a word is a field's name: jq reads a dot directly followed by letters as one token
// (jq manual, "Object Identifier-Index"). After a digit or another dot, the dot belongs to the text before it.
func jqField(before, word string) bool {
	n := len(before)
	if n == 0 || before[n-1] != '.' || strings.Contains(word, ":") || strings.ContainsAny(word[:1], "$@") {
		return false
	}
	return n == 1 || before[n-2] != '.' && (before[n-2] < '0' || before[n-2] > '9')
}

var pathExpression = lazyregexp.New(`^[.A-Za-z0-9_\[\]" |(),-]*$`)

// yqForbidden are words that read the environment or other files, or run something.
var yqForbidden = words("env strenv envsubst load load_str load_xml load_props load_base64 eval system input_filename e ea eval-all i")

// simplePath judges the filters of yq, a name that several programs have: only plain paths and calls without a
// forbidden word.
func simplePath(in *invocation, p *parsed) *refusal {
	if len(p.operands) == 0 {
		return deny("missing-operand", "filter", 2)
	}
	filter, ok := p.operands[0].val.lit()
	if !ok || !strings.HasPrefix(filter, ".") || !pathExpression.MatchString(filter) {
		return deny("script", p.operands[0].val.String(), 2)
	}
	for _, word := range jqWord.FindAllString(filter, -1) {
		if yqForbidden.has(word) {
			return deny("script", filter, 2)
		}
	}
	return checkAll(in, read, p.operands[1:])
}
