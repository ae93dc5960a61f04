package safety

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// substitution returns what is known about the output of $(…). The few programs below print words that can be
// neither an option nor a secret path. Each of them can fail and print nothing.
func (s *scope) substitution(c *syntax.CmdSubst) value {
	if len(c.Stmts) != 1 {
		return kindValue(segAny)
	}
	k := s.outputKind(c.Stmts[0])
	if k == segAny {
		return kindValue(segAny)
	}
	return value{{kind: k, text: hollow}}
}

func (s *scope) outputKind(st *syntax.Stmt) segKind {
	input := false
	for _, r := range st.Redirs {
		quiet := r.Op == syntax.RdrOut && r.N != nil && r.N.Value == "2" && r.Word.Lit() == "/dev/null"
		if !quiet && r.Op != syntax.RdrIn {
			return segAny
		}
		input = input || !quiet
	}
	switch cmd := st.Cmd.(type) {
	case nil:
		if len(st.Redirs) == 1 && input && s.numberPath(st.Redirs[0].Word) {
			return segInt // $(< FILE)
		}
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.Pipe && !input {
			return s.pipeKind(cmd)
		}
	case *syntax.CallExpr:
		if !input && len(cmd.Assigns) == 0 && len(cmd.Args) == 2 && cmd.Args[0].Lit() == "cat" && s.funcs["cat"] == nil && s.numberPath(cmd.Args[1]) {
			return segInt
		}
		if !input && s.fileNumber(cmd) {
			return segUint
		}
		if !input && s.isComparedList(cmd) {
			return segWords
		}
		argv, ok := s.knownArgv(cmd)
		switch {
		case !ok:
		case !input:
			return programOutput(argv)
		case numbersOnly(strings.Join(argv, " ")):
			return segUint
		}
	}
	return segAny
}

// isComparedList recognises comm if the only printed column is from a list of words.
func (s *scope) isComparedList(call *syntax.CallExpr) bool {
	if len(call.Args) != 4 || call.Args[0].Lit() != "comm" || s.funcs["comm"] != nil {
		return false
	}
	switch call.Args[1].Lit() {
	case "-23", "-32":
		return s.listsWords(call.Args[2])
	case "-13", "-31":
		return s.listsWords(call.Args[3])
	case "-12", "-21":
		return s.listsWords(call.Args[2]) || s.listsWords(call.Args[3])
	}
	return false
}

// listsWords reports whether a process substitution only prints words.
func (s *scope) listsWords(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	sub, ok := w.Parts[0].(*syntax.ProcSubst)
	return ok && sub.Op == syntax.CmdIn && len(sub.Stmts) == 1 && s.outputKind(sub.Stmts[0]) == segWords
}

// knownArgv returns the arguments of a command if all of them are known. A path of a program is returned as /usr/bin/….
func (s *scope) knownArgv(call *syntax.CallExpr) ([]string, bool) {
	if len(call.Assigns) > 0 || len(call.Args) == 0 {
		return nil, false
	}
	lists := s.arguments(call.Args)
	if len(lists) == 0 || slices.ContainsFunc(lists[1:], func(l fieldList) bool { return !l.vanished }) {
		return nil, false
	}
	var argv []string
	for _, f := range lists[0].fields {
		text, ok := f.val.lit()
		switch {
		case ok && !f.many:
		case f.val.has(segPath) && len(f.val) == 1:
			text = "/usr/bin/…"
		case !f.many && f.val.has(segTame) && len(f.val) == 1:
			text = "…"
		default:
			return nil, false
		}
		argv = append(argv, text)
	}
	if len(argv) > 0 && s.funcs[argv[0]] != nil {
		return nil, false
	}
	return argv, len(argv) > 0
}

// numberAttributes are the files of sysfs that contain one integer (sysfs-class-* of the kernel's ABI documentation).
var numberAttributes = words(`temp capacity energy_now energy_full energy_full_design charge_now charge_full charge_full_design cycle_count
	power_now current_now voltage_now brightness actual_brightness max_brightness size speed mtu rx_bytes tx_bytes rx_errors tx_errors
	rx_dropped tx_dropped scaling_cur_freq scaling_max_freq scaling_min_freq cpuinfo_max_freq cpuinfo_min_freq gpu_busy_percent
	mem_info_vram_used mem_info_vram_total temp1_input temp2_input fan1_input power1_average rotational`)

// numberPath reports whether a word is a path of sysfs files that contain one integer.
func (s *scope) numberPath(w *syntax.Word) bool {
	for _, l := range s.word(w) {
		if len(l.fields) != 1 {
			return false
		}
		pattern, ok := l.fields[0].val.pattern()
		at := strings.LastIndexByte(pattern, '/')
		if !ok || !strings.HasPrefix(pattern, "/sys/") || strings.Contains(pattern, "..") || !numberAttributes.has(pattern[at+1:]) {
			return false
		}
	}
	return true
}

var numberFormat = lazyregexp.New(`^%[YsXZWughib]$`)

// fileNumber recognises stat -c FORMAT FILE with a format of one number.
func (s *scope) fileNumber(call *syntax.CallExpr) bool {
	if len(call.Assigns) > 0 || len(call.Args) != 4 || call.Args[0].Lit() != "stat" || call.Args[1].Lit() != "-c" || s.funcs["stat"] != nil {
		return false
	}
	lists := s.arguments(call.Args[2:])
	if len(lists) != 1 || len(lists[0].fields) != 2 {
		return false
	}
	format, known := lists[0].fields[0].val.lit()
	file := lists[0].fields[1]
	return known && numberFormat.MatchString(format) && !file.many && !file.val.mayBeOption()
}

// pipeKind follows lists of words through filters that only drop, reorder or shorten lines.
func (s *scope) pipeKind(b *syntax.BinaryCmd) segKind {
	call, ok := b.Y.Cmd.(*syntax.CallExpr)
	if !ok || len(b.Y.Redirs) > 0 {
		return segAny
	}
	argv, ok := s.knownArgv(call)
	if !ok {
		return segAny
	}
	line := strings.Join(argv, " ")
	switch {
	case numbersOnly(line), memoryColumn.MatchString(line) && s.memoryTable(b.X):
		return segUint
	}
	first := s.outputKind(b.X)
	if first == segPath && keepsLines(argv) {
		return segPath
	}
	if first == segAny && columnFilter.MatchString(line) && s.kernelTable(b.X) {
		first = segWords
	}
	if first == segAny && s.unitColumn(line, b.X) {
		first = segUnits
	}
	if !keepsWords(argv) {
		return segAny
	}
	single := oneLine.MatchString(line)
	switch first {
	case segWords, segTame:
		if single || first == segTame {
			return segTame
		}
		return segWords
	case segNumbers, segUint:
		if single || first == segUint {
			return segUint
		}
		return segNumbers
	case segUnits:
		return segUnits
	}
	return segAny
}

// unitTable matches a list of units without a header, which has a dot before the names unless --plain is given:
// "● NAME LOAD ACTIVE SUB DESCRIPTION…".
var unitTable = lazyregexp.New(`^systemctl( (--user|--system|list-units|--failed|--state[= ]?(failed|active|inactive|running)|-t ?(service|timer|socket|mount)|--type[= ](service|timer|socket|mount)` +
	`|-a|--all|-q|--quiet|--no-pager|--plain|--no-legend|--legend=(no|false)))+$`)

// printedColumn matches the column that a filter of columns prints.
var printedColumn = lazyregexp.New(`^(?:awk .*print \$|cut -d  ?-f ?)([1-4])\b`)

// unitColumn reports whether a filter prints a column with unit names or states from a list of units: not the
// dot, and not the description.
func (s *scope) unitColumn(filter string, table *syntax.Stmt) bool {
	line, ok := s.knownLine(table)
	column := printedColumn.FindStringSubmatch(filter)
	if !ok || column == nil || !unitTable.MatchString(line) || !strings.Contains(line, "legend") {
		return false
	}
	if strings.HasPrefix(filter, "cut") {
		return column[1] == "1" && strings.Contains(line, " --plain") && fieldFilter.MatchString(filter)
	}
	return columnFilter.MatchString(filter) && (column[1] != "1" || strings.Contains(line, " --plain"))
}

// numbersOnly reports whether a filter prints at most one number for any input.
func numbersOnly(line string) bool {
	return countLine.MatchString(line) || digitFilter.MatchString(line)
}

var (
	countLine    = lazyregexp.New(`^wc -[lwcm]$`)
	digitFilter  = lazyregexp.New(`^tr -(dc|cd|d -c|c -d) (0-9|\[:digit:\])$`)
	memoryColumn = lazyregexp.New(`^awk (/\^?(Mem|Swap|Total):?/|NR ?== ?[23]) ?\{ ?print \$[2-9] ?\}$`)
	columnFilter = lazyregexp.New(`^awk ((NR ?[=!<>]=? ?[0-9]+|\$1 ?== ?"[A-Za-z0-9:.]+"|/\^?[A-Za-z0-9: ]*/) ?)?\{ ?print \$[1-9]( ?; ?exit;?)? ?\}$`)
	oneLine      = lazyregexp.New(`^(awk .*exit;? ?\}|(head|tail) (-1|-n ?1))$`)
	sortFilter   = lazyregexp.New(`^(sort( -[rnuVhf]+)?|uniq( -[ud])?)$`)
	endFilter    = lazyregexp.New(`^(head|tail)( -[0-9]+| -n ?[-+]?[0-9]+)?$`)
	fieldFilter  = lazyregexp.New(`^(cut -d  ?-f ?[0-9]+|tr -s  ?|rev|tac|cat|xargs)$`)
	grepFlags    = lazyregexp.New(`^-([iEFvwx]+|[iEFvwx]*m[0-9]+)$`)
)

// keepsWords reports whether a filter only prints words of its input. It has no file operand.
func keepsWords(argv []string) bool {
	line := strings.Join(argv, " ")
	if columnFilter.MatchString(line) || sortFilter.MatchString(line) || endFilter.MatchString(line) || fieldFilter.MatchString(line) && argv[0] != "rev" {
		return true
	}
	if argv[0] != "grep" && argv[0] != "egrep" {
		return false
	}
	args := argv[1:]
	for len(args) > 1 && grepFlags.MatchString(args[0]) {
		args = args[1:]
	}
	return len(args) == 1 && !strings.HasPrefix(args[0], "-")
}

// keepsLines reports whether a filter only prints whole lines of its input, where no line has white space.
func keepsLines(argv []string) bool {
	return keepsWords(argv) && argv[0] != "cut" && argv[0] != "tr" && argv[0] != "xargs"
}

// memoryTable recognises free, which prints numbers in all columns except the first.
func (s *scope) memoryTable(st *syntax.Stmt) bool {
	line, ok := s.knownLine(st)
	return ok && freeTable.MatchString(line)
}

var freeTable = lazyregexp.New(`^free( -(b|k|m|g|w|t|bw|kw|mw|gw|mt|--mega|--mebi|--giga|--gibi|--bytes))*$`)

// kernelTables are commands whose words only the kernel and root choose: interfaces, addresses, modules and sessions.
var kernelTables = lazyregexp.New(`^(ip( -[46os]| -br| -brief)* (r|ro|route|a|addr|address|l|link)( show| list| s)?( default)?( to default)?|lsmod` +
	`|loginctl( list-sessions| list-users)?( --no-legend| --no-pager)*|hostname -[Ii]|ip( -[46])* route get [0-9a-f.:]+)$`)

func (s *scope) kernelTable(st *syntax.Stmt) bool {
	if b, ok := st.Cmd.(*syntax.BinaryCmd); ok && b.Op == syntax.Pipe && len(st.Redirs) == 0 {
		call, simple := b.Y.Cmd.(*syntax.CallExpr)
		if !simple || len(b.Y.Redirs) > 0 {
			return false
		}
		argv, known := s.knownArgv(call)
		return known && keepsLines(argv) && argv[0] != "awk" && s.kernelTable(b.X)
	}
	line, ok := s.knownLine(st)
	return ok && kernelTables.MatchString(line)
}

func (s *scope) knownLine(st *syntax.Stmt) (string, bool) {
	if len(st.Redirs) > 0 {
		return "", false
	}
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok {
		return "", false
	}
	argv, ok := s.knownArgv(call)
	return strings.Join(argv, " "), ok
}

// unitFacts are unit properties whose value is one plain word.
const unitFacts = `(MainPID|ExecMainPID|ControlPID|ActiveState|SubState|LoadState|UnitFileState|Result|InvocationID|NRestarts)`

// Commands whose output is one plain word, or numbers.
var (
	tameLines = lazyregexp.New(`^(uname( -[rmnsp]| --kernel-release| --machine| --nodename)?|arch|whoami|id -(un|gn|nu|ng)|logname|hostname( -s)?` +
		`|systemd-detect-virt|cat /proc/sys/kernel/osrelease|cat /etc/hostname|hostnamectl hostname|tty -s|loginctl show-session self -p Type --value` +
		`|systemctl( --user)? (is-active|is-enabled|is-failed) [A-Za-z0-9@._:-]+|systemctl( --user)? (is-system-running|get-default))$`)
	factLines = lazyregexp.New(`^systemctl( --user)? show( (--value|-p ?` + unitFacts + `|--property[= ]` + unitFacts + `|-P ?` + unitFacts +
		`|[A-Za-z0-9@._:][A-Za-z0-9@._:-]*))+$`)
	uintLines = lazyregexp.New(`^(nproc( --all)?|id (-u|-g|--user|--group)|getconf (_NPROCESSORS_ONLN|_NPROCESSORS_CONF|PAGESIZE|PAGE_SIZE)` +
		`|date \+%[YmdHMSsjuVG]|grep -c[iwxEF]* [^- ][^ ]* [^- ][^ ]*|awk /\^?[A-Za-z_()]+:?/ ?\{ ?print \$2 ?\} /proc/meminfo)$`)
	dateNumbers = lazyregexp.New(`^\+%[YmdHMSFTsjyVuNG]([-_.:]?%[YmdHMSFTsjyVuNG])*$`)
)

// programOutput returns the form of the output of known programs.
func programOutput(argv []string) segKind {
	line := strings.Join(argv, " ")
	switch {
	case tameLines.MatchString(line):
		return segTame
	case factLines.MatchString(line):
		return segWords
	case uintLines.MatchString(line):
		return segUint
	case line == "upower -e", line == "readlink -f /usr/bin/…", line == "realpath /usr/bin/…":
		return segPath
	}
	args := argv[1:]
	switch argv[0] {
	case "date":
		if len(args) == 1 && dateNumbers.MatchString(args[0]) {
			return segTame
		}
	case "seq":
		return sequence(args)
	case "pgrep", "pidof":
		return numberList(args)
	case "command", "which", "type":
		if len(args) == 2 && (args[0] == "-v" || args[0] == "-P") && isPlainWord(args[1]) || argv[0] == "which" && len(args) == 1 && isPlainWord(args[0]) {
			return segPath
		}
	case "pacman", "yay", "paru":
		return packageNames(args)
	}
	if wordLists.MatchString(line) {
		return segWords
	}
	return segAny
}

// wordLists are commands whose words only the kernel or the program itself chooses.
var wordLists = lazyregexp.New(`^((docker|podman) (ps|images|container ls) (-q|-aq|-qa|-a -q|-q -a|--quiet)|lsblk -(dno|ndo|lno|nlo|dnlo) K?NAME|hostname -[Ii])$`)

func sequence(args []string) segKind {
	for _, a := range args {
		if !isDigits(a) {
			return segAny
		}
	}
	return segNumbers
}

func numberList(args []string) segKind {
	kind := segNumbers
	for _, a := range args {
		switch a {
		case "-s", "-n", "-o":
			kind = segUint
		case "-d,":
			return segTame
		}
		if strings.HasPrefix(a, "-") && (len(a) != 2 || !strings.Contains("xonsfiu", a[1:])) {
			return segAny
		}
	}
	return kind
}

// packageNames recognises queries that print names, or names and versions, of packages.
func packageNames(args []string) segKind {
	if len(args) == 0 || !strings.HasPrefix(args[0], "-Q") || strings.Trim(args[0][2:], "qedtmnu") != "" {
		return segAny
	}
	if !strings.Contains(args[0], "q") && strings.Contains(args[0], "u") {
		return segAny // NAME OLD -> NEW
	}
	for _, a := range args[1:] {
		if !isPlainWord(a) {
			return segAny
		}
	}
	return segWords
}
