package safety

// Long options of ls(1).
const (
	lsLong = "all almost-all author escape ignore-backups directory dired classify file-type full-time group-directories-first " +
		"no-group human-readable si dereference dereference-command-line inode kibibytes numeric-uid-gid literal " +
		"hide-control-chars show-control-chars quote-name reverse size zero context"
	lsValues = "block-size format hide ignore indicator-style quoting-style sort time time-style tabsize width"
)

// duLong are the long options of du(1) that do not select files.
const duLong = "null apparent-size bytes total dereference-args human-readable inodes count-links dereference no-dereference separate-dirs si one-file-system"

// endless are endless devices without secrets, which must be read with a limit. /dev/random is missing because
// it can block.
const endless = "/dev/urandom /dev/zero"

// coreutils are the everyday programs of coreutils(1).
var coreutils = []program{
	{names: "ls dir vdir", onlyReads: true, why: "lists file names", forms: []form{{
		flags: "aAbBcCdfFgGhHiklLmnNopqQrsStuUvxXZ1", values: "ITw", long: lsLong, longVal: lsValues, longOpt: "color classify hyperlink", need: "d,directory", min: 1, max: many, operand: attr,
	}, {
		flags: "aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1", values: "ITw", long: lsLong + " recursive", longVal: lsValues, longOpt: "color classify hyperlink", max: many, operand: meta,
	}}},
	{names: "df", onlyReads: true, why: "shows free space of file systems", forms: []form{{
		flags: "ahHiklPTv", values: "Btx", long: "all human-readable si inodes local no-sync portability print-type total",
		longVal: "block-size type exclude-type", longOpt: "output", max: many, operand: meta,
	}}},
	{names: "du", onlyReads: true, why: "sums up file sizes", forms: []form{{
		flags: "0bcDhHklLmPsSx", values: "Bt", long: duLong + " summarize", longVal: "block-size threshold exclude time-style", longOpt: "time", need: "s,summarize", min: 1, max: many, operand: attr,
	}, {
		flags: "0abcDhHklLmPsSx", values: "Bdt", long: duLong + " all summarize", longVal: "block-size max-depth threshold exclude time-style", longOpt: "time", max: many, operand: meta,
	}}},
	{names: "stat", onlyReads: true, why: "shows attributes of files", forms: []form{{
		flags: "fLt", values: "c", long: "dereference file-system terse", longVal: "format printf cached", min: 1, max: many, operand: attr,
	}}},
	{names: "cat", onlyReads: true, why: "prints files", forms: []form{{
		flags: "AbeEnstTuv", long: "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting", max: many, operand: read,
	}}},
	{names: "tac", onlyReads: true, why: "prints files backwards", forms: []form{{flags: "br", values: "s", long: "before regex", longVal: "separator", max: many, operand: read}}},
	{names: "nl", onlyReads: true, why: "numbers lines", forms: []form{{flags: "p", values: "bdfhilnsvw", max: many, operand: read}}},
	{names: "head", onlyReads: true, why: "prints the start of files", forms: []form{{
		flags: "qvz0123456789", values: "cn", long: "quiet silent verbose zero-terminated", longVal: "bytes lines", max: many, operand: read,
	}, {values: "c", longVal: "bytes", kinds: "c=amount bytes=amount", need: "c,bytes", min: 1, max: 1, operand: choice, only: endless}}},
	{names: "tail", onlyReads: true, why: "prints the end of files, without following them", forms: []form{{
		flags: "qvz0123456789", values: "cn", long: "quiet silent verbose zero-terminated", longVal: "bytes lines", max: many, operand: read,
	}}},
	{names: "wc", onlyReads: true, why: "counts lines and words", forms: []form{{
		flags: "cmlLw", long: "bytes chars lines max-line-length words", longVal: "total", max: many, operand: read,
	}}},
	{names: "sort", why: "sorts lines", forms: []form{{
		flags: "bdfghiMnRrVcCmsuz", values: "kSt",
		long: "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort " +
			"human-numeric-sort numeric-sort random-sort reverse version-sort merge stable unique zero-terminated debug",
		longVal: "key field-separator buffer-size sort parallel batch-size", longOpt: "check", max: many, operand: read,
	}}},
	{names: "uniq", why: "drops repeated lines; a second operand would be written", forms: []form{{
		flags: "cdDiuz", values: "fsw", long: "count repeated ignore-case unique zero-terminated", longVal: "skip-fields skip-chars check-chars",
		longOpt: "all-repeated group", max: 1, operand: read,
	}}},
	{names: "cut", onlyReads: true, why: "prints columns", forms: []form{{
		flags: "nsz", values: "bcdf", long: "complement only-delimited zero-terminated", longVal: "bytes characters delimiter fields output-delimiter",
		max: many, operand: read,
	}}},
	{names: "tr", why: "replaces characters", forms: []form{{
		flags: "cCdst", long: "complement delete squeeze-repeats truncate-set1", min: 1, max: 2, operand: text, posix: true,
	}}},
	{names: "paste", onlyReads: true, why: "joins lines side by side", forms: []form{{flags: "sz", values: "d", long: "serial zero-terminated", longVal: "delimiters", max: many, operand: read}}},
	{names: "join", onlyReads: true, why: "joins two sorted files", forms: []form{{
		flags: "iz", values: "aejotv12", long: "ignore-case header check-order nocheck-order", min: 2, max: 2, operand: read,
	}}},
	{names: "comm", onlyReads: true, why: "compares two sorted files", forms: []form{{
		flags: "123z", long: "check-order nocheck-order total zero-terminated", longVal: "output-delimiter", min: 2, max: 2, operand: read,
	}}},
	{names: "fold", onlyReads: true, why: "wraps lines", forms: []form{{flags: "bs", values: "w", long: "bytes spaces", longVal: "width", max: many, operand: read}}},
	{names: "fmt", onlyReads: true, why: "fills paragraphs", forms: []form{{flags: "cstu0123456789", values: "gpw", longVal: "width goal prefix", max: many, operand: read}}},
	{names: "expand unexpand", onlyReads: true, why: "converts tabs", forms: []form{{flags: "ai", values: "t", long: "all initial first-only", longVal: "tabs", max: many, operand: read}}},
	{names: "shuf", why: "shuffles lines", forms: []form{{
		flags: "rz", values: "in", long: "repeat zero-terminated", longVal: "input-range head-count", max: 1, operand: read,
	}, {flags: "erz", values: "n", long: "echo repeat zero-terminated", longVal: "head-count", need: "e,echo", max: many, operand: text}}},
	{names: "tsort", why: "sorts by dependency", forms: []form{{max: 1, operand: read}}},
	{names: "numfmt", why: "formats numbers", forms: []form{{
		flags: "z", values: "d", long: "header grouping zero-terminated", longVal: "from to from-unit to-unit field format padding round suffix delimiter invalid",
		longOpt: "header", max: many, operand: text,
	}}},
	{names: "od", onlyReads: true, why: "dumps files in octal", forms: []form{{
		flags: "abcdfiloxsv", values: "AjNSt", attached: "w", long: "output-duplicates traditional", longVal: "address-radix skip-bytes read-bytes format", longOpt: "strings width",
		max: many, operand: read,
	}, {
		flags: "abcdfiloxsv", values: "ANt", attached: "w", longVal: "address-radix read-bytes format", kinds: "N=amount read-bytes=amount", need: "N,read-bytes",
		min: 1, max: 1, operand: choice, only: endless,
	}}},
	{names: "base64 base32 basenc", why: "encodes or decodes", forms: []form{{
		flags: "di", values: "w", long: "decode ignore-garbage base64 base64url base32 base32hex base16 base2msbf base2lsbf z85", longVal: "wrap", max: 1, operand: read,
	}}},
	{names: "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum b3sum cksum sum", onlyReads: true, why: "computes or checks checksums", forms: []form{{
		flags: "bctwzr", values: "la", long: "binary check tag text zero ignore-missing quiet status strict warn untagged base64", longVal: "length algorithm",
		max: many, operand: read,
	}}},
	{names: "date", why: "prints the time", forms: []form{{
		flags: "uR", values: "dr", attached: "I", kinds: "r=meta reference=meta", long: "utc universal rfc-email debug resolution", longVal: "date reference rfc-3339",
		longOpt: "iso-8601", max: 1, operand: text, check: operandPrefix("+"),
	}}},
	{names: "seq", why: "prints numbers", forms: []form{{flags: "w", values: "fs", long: "equal-width", longVal: "format separator", min: 1, max: 3, operand: number}}},
	{names: "basename", onlyReads: true, why: "cuts a path", forms: []form{{flags: "az", values: "s", long: "multiple zero", longVal: "suffix", min: 1, max: many, operand: text}}},
	{names: "dirname", onlyReads: true, why: "cuts a path", forms: []form{{flags: "z", long: "zero", min: 1, max: many, operand: text}}},
	{names: "realpath", onlyReads: true, why: "resolves a path", forms: []form{{
		flags: "emLPqsz", long: "canonicalize canonicalize-existing canonicalize-missing logical physical quiet strip no-symlinks zero", longVal: "relative-to relative-base",
		min: 1, max: many, operand: meta,
	}}},
	{names: "readlink", onlyReads: true, why: "resolves a symbolic link", forms: []form{{
		flags: "femnqsvz", long: "canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero", min: 1, max: many, operand: meta,
	}}},
	{names: "printenv", why: "prints harmless variables by name", forms: []form{{flags: "0", long: "null", min: 1, max: many, operand: text, check: harmlessNames}}},
	{names: "uname", why: "prints the kernel version", forms: []form{{
		flags: "asnrvmpio", long: "all kernel-name nodename kernel-release kernel-version machine processor hardware-platform operating-system",
	}}},
	{names: "arch hostid logname whoami", why: "prints a fact about the system", forms: []form{{}}},
	{names: "tty", why: "prints the terminal", forms: []form{{flags: "s", long: "silent quiet"}}},
	{names: "nproc", why: "counts processors", forms: []form{{long: "all", longVal: "ignore"}}},
	{names: "id", why: "prints user and group numbers", forms: []form{{flags: "agGnruzZ", long: "context group groups name real user zero", max: many, operand: name}}},
	{names: "groups", why: "prints groups", forms: []form{{max: many, operand: name}}},
	{names: "factor", why: "factors numbers", forms: []form{{flags: "h", max: many, operand: number}}},
	{names: "expr", why: "evaluates an expression", forms: []form{{loose: true}}},
	{names: "sleep", why: "waits", forms: []form{{min: 1, max: 1, operand: number, check: shortSleep}}},
	{names: "pathchk", why: "checks a path", forms: []form{{flags: "pP", long: "portability", min: 1, max: many, operand: text}}},
	{names: "getconf", why: "prints limits of the system", forms: []form{{flags: "a", max: 2, operand: name}}},
	{names: "locale", why: "prints the locale", forms: []form{{flags: "ackmv", long: "all-locales charmaps category-name keyword-name verbose", max: many, operand: name}}},
	{names: "cal ncal", why: "prints a calendar", forms: []form{{
		flags: "13jmsySYwbhJeo", values: "nABd", long: "one three sunday monday julian year twelve week iso span", longVal: "months color", max: 3, operand: name,
	}}},
	{names: "rev", onlyReads: true, why: "reverses lines", forms: []form{{max: many, operand: read}}},
	{names: "bc", why: "calculates its input", forms: []form{{flags: "lqsw", long: "mathlib quiet standard warn"}}},
	{names: "diff", why: "compares files", forms: []form{{
		flags: "abBcdeEilnNpqrstTuwyZ0123456789", values: "CUFIWxLS",
		long: "normal brief report-identical-files ed rcs side-by-side left-column suppress-common-lines show-c-function expand-tabs initial-tab recursive " +
			"no-dereference new-file unidirectional-new-file ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space " +
			"ignore-blank-lines strip-trailing-cr text minimal speed-large-files",
		longVal: "label width exclude ignore-matching-lines show-function-line tabsize horizon-lines starting-file", longOpt: "color context unified",
		min: 2, max: 2, operand: tree,
	}}},
	{names: "sdiff", why: "compares two files side by side; -o would write", forms: []form{{
		flags: "abBdEHilstWZ", values: "wI", long: "ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines " +
			"strip-trailing-cr text left-column suppress-common-lines expand-tabs minimal speed-large-files", longVal: "width ignore-matching-lines tabsize", min: 2, max: 2, operand: read,
	}}},
	{names: "diff3", why: "compares three files", forms: []form{{
		flags: "aAeEimTxX3", values: "L", long: "show-all ed show-overlap easy-only merge text strip-trailing-cr initial-tab", longVal: "label", min: 3, max: 3, operand: read,
	}}},
	{names: "pr", why: "puts text into pages", forms: []form{{flags: "adfFmrtTJ0123456789", values: "hlowWN", max: many, operand: read}}},
	{names: "col", why: "drops reverse line feeds of its input", forms: []form{{flags: "bfhpx", values: "l"}}},
	{names: "colrm", why: "drops columns of its input", forms: []form{{max: 2, operand: number}}},
	{names: "pinky", why: "shows who is logged in", forms: []form{{flags: "bfhipqsw", max: many, operand: name}}},
	{names: "cmp", onlyReads: true, why: "compares two files", forms: []form{{
		flags: "bls", values: "in", long: "print-bytes verbose quiet silent", longVal: "ignore-initial bytes", min: 2, max: 2, operand: read,
	}}},
}

// shellBuiltins are builtins for output and control flow.
var shellBuiltins = []program{
	{names: "echo : true false", why: "prints its arguments or nothing", noVersion: true, forms: []form{{loose: true}}},
	{names: "printf", why: "prints its arguments", noVersion: true, forms: []form{{posix: true, min: 1, max: many, operand: text, check: literalFormat}}},
	{names: "test", why: "tests files and strings", noVersion: true, forms: []form{{loose: false, prepare: asOperands, max: many, operand: text, posix: true, check: testOperands}}},
	{names: "[", why: "tests files and strings", noVersion: true, forms: []form{{prepare: asOperands, min: 1, max: many, operand: text, posix: true, check: bracketOperands}}},
	{names: "pwd", why: "prints the working directory", forms: []form{{flags: "LP"}}},
	{names: "cd", why: "changes the working directory of this command", forms: []form{{flags: "LP", max: 1, operand: text}}},
	{names: "type", why: "tells what a name is", forms: []form{{flags: "afptP", min: 1, max: many, operand: text}}},
	{names: "which", script: true, why: "finds a program", forms: []form{{hands: "test", flags: "a", long: "all skip-alias skip-functions", min: 1, max: many, operand: text}}},
	{names: "whereis", why: "finds a program and its manual", forms: []form{{flags: "bmsul", min: 1, max: many, operand: text}}},
	{names: "alias", why: "prints the aliases of the shell", noVersion: true, forms: []form{{flags: "p"}}},
	{names: "compgen", why: "lists names the shell can complete", noVersion: true, forms: []form{{flags: "abcdfgjksu", max: 1, operand: plain}}},
	{names: "shopt", why: "prints options of the shell", noVersion: true, forms: []form{
		{flags: "pq", max: many, operand: plain},
		{flags: "s", need: "s", min: 1, max: 1, only: "nullglob", operand: choice, check: outermostNullglob},
	}},
	{names: "kill", why: "lists signals", noVersion: true, forms: []form{{flags: "lL", need: "l,L", max: 1, operand: plain}}},
	{names: "hash times jobs", why: "prints a table of the shell", forms: []form{{}}},
	{names: "ulimit", why: "prints limits", forms: []form{{flags: "aSHbcdefiklmnpqrstuvxPRT"}}},
	{names: "umask", why: "prints the mask of new files", forms: []form{{flags: "Sp"}}},
	{names: "read", why: "reads a line into local variables", noVersion: true, forms: []form{{flags: "rs", values: "dnNtp", max: many, operand: text, check: localNamesOnly}}},
	{names: "mapfile readarray", why: "reads lines into a local array", noVersion: true, forms: []form{{flags: "t", need: "t", min: 1, max: 1, operand: text, check: localNamesOnly}}},
	{names: "exit return break continue", why: "steers the shell", noVersion: true, forms: []form{{max: 1, operand: number}}},
	{names: "wait", why: "waits for children", noVersion: true, forms: []form{{}}},
	{names: "set", why: "makes the shell stricter", noVersion: true, forms: []form{{
		flags: "eufx", values: "o", kinds: "o=only:pipefail|errexit|nounset|noglob|xtrace", need: "e,u,f,x,o",
	}}},
}
