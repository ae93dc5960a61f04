package safety

import (
	"regexp"
	"strings"
)

// grepOperands judges PATTERN FILE…: the pattern may be anything, the files are
// shown, and a recursive search shows everything below them.
func grepOperands(in *invocation, p *parsed) *refusal {
	files := p.operands
	if !p.has("e", "f", "regexp", "file") {
		if len(files) == 0 {
			return deny("missing-operand", "pattern", 2)
		}
		if files[0].many && files[0].val.has(segAny) {
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

// ripgrepOperands is the same for rg, which is always recursive.
func ripgrepOperands(in *invocation, p *parsed) *refusal {
	files := p.operands
	if p.has("type-list") {
		return nil
	}
	if !p.has("e", "f", "regexp", "files") {
		if len(files) == 0 {
			return deny("missing-operand", "pattern", 2)
		}
		files = files[1:]
	}
	if len(files) == 0 {
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

// noResponseFile refuses @FILE, which binutils take as a file of options.
func noResponseFile(_ *invocation, p *parsed) *refusal {
	return refusePrefix(p.operands, "@")
}

func refusePrefix(fields []field, prefix string) *refusal {
	for _, f := range fields {
		if strings.HasPrefix(f.val.prefix(), prefix) {
			return deny("operand", f.val.String(), 2)
		}
	}
	return nil
}

// noEnvironmentFormat refuses templates that print environments.
func noEnvironmentFormat(_ *invocation, p *parsed) *refusal {
	f, ok := p.values["format"]
	if !ok {
		f, ok = p.values["f"]
	}
	if word, known := f.val.lit(); ok && (!known || strings.Contains(strings.ToLower(word), "env")) {
		return deny("environment", f.val.String(), 2)
	}
	return nil
}

// tarOptions reads the old style without a dash: tar tvf FILE.
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

// localArchive refuses HOST:FILE, which tar fetches through a remote shell.
func localArchive(_ *invocation, p *parsed) *refusal {
	for _, o := range []string{"f", "file"} {
		if f, ok := p.values[o]; ok {
			if word, known := f.val.lit(); known && strings.Contains(word, ":") && !strings.HasPrefix(word, "/") || f.val.maybeOption() {
				return deny("operand", f.val.String(), 2)
			}
		}
	}
	return nil
}

// jqWord finds the words of a jq filter outside its strings.
var jqWord = regexp.MustCompile(`[A-Za-z_$@][A-Za-z0-9_:]*`)

// jqForbidden read the environment, other files or modules (jq manual).
var jqForbidden = words("env $ENV $__prog_args import include input_filename modulemeta get_search_list debug stderr input_line_number getpath_env halt_error @sh")

// jqFilter judges the filter and the files of jq.
func jqFilter(in *invocation, p *parsed) *refusal {
	if len(p.operands) == 0 {
		return deny("missing-operand", "filter", 2)
	}
	filter, ok := p.operands[0].val.lit()
	if !ok || p.operands[0].many {
		return deny("script", p.operands[0].val.String(), 2)
	}
	for _, word := range jqWord.FindAllString(filter, -1) {
		if jqForbidden[word] || strings.HasPrefix(word, "$ENV") || strings.Contains(word, "::") {
			return deny("script", filter, 2)
		}
	}
	return checkAll(in, read, p.operands[1:])
}

var pathExpression = regexp.MustCompile(`^[.A-Za-z0-9_\[\]" |(),-]*$`)

// yqForbidden read the environment or other files, or run something.
var yqForbidden = words("env strenv envsubst load load_str load_xml load_props load_base64 eval system input_filename e ea eval-all i")

// simplePath judges the filters of yq, of which several programs exist: only
// plain paths and calls without an unlisted word.
func simplePath(in *invocation, p *parsed) *refusal {
	if len(p.operands) == 0 {
		return deny("missing-operand", "filter", 2)
	}
	filter, ok := p.operands[0].val.lit()
	if !ok || !strings.HasPrefix(filter, ".") || !pathExpression.MatchString(filter) {
		return deny("script", p.operands[0].val.String(), 2)
	}
	for _, word := range jqWord.FindAllString(filter, -1) {
		if yqForbidden[word] {
			return deny("script", filter, 2)
		}
	}
	return checkAll(in, read, p.operands[1:])
}
