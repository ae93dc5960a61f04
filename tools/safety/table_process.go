package safety

import (
	"strings"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// processes are the programs of procps-ng, psmisc, sysstat and lsof.
var processes = []program{
	{names: "free", why: "shows memory", forms: []form{{
		flags: "bkmghltvwL", values: "sc", kinds: "s=number c=number", long: "bytes kilo mega giga tera kibi mebi gibi tebi human si lohi line total committed wide",
		longVal: "seconds count", check: requireBoth("s,seconds", "c,count"),
	}}},
	{names: "uptime", why: "shows how long the system runs", forms: []form{{flags: "psrc", long: "pretty since raw container"}}},
	{names: "ps", why: "lists processes, without their environments", forms: []form{{
		prepare: psOptions, flags: "AaeFfjlyMHLmTcdNrwV", values: "oOpCuUgGtsq",
		long: "forest headers no-headers no-heading deselect cumulative", longVal: "sort format pid ppid user User group Group tty sid cols columns width rows lines quick-pid signames",
		max: many, operand: name, check: psColumns,
	}}},
	{names: "top", why: "lists processes once, in batch mode", forms: []form{{
		flags: "bcHiSs1E", values: "ndpuUow", long: "batch-mode", longVal: "iterations delay pid filter-any-user filter-only-euser sort-override width",
		need: "b,batch-mode n,iterations",
	}}},
	{names: "iotop iotop-c iotop-py", script: true, why: "lists disk users once, in batch mode", forms: []form{{
		flags: "boPakqt", values: "ndpu", long: "batch only processes accumulated kilobytes quiet", longVal: "iter delay pid user", need: "b,batch n,iter",
	}}},
	{names: "pgrep", why: "finds processes", forms: []form{{
		flags: "acfilnovwxA", values: "dgGPstuUO", long: "list-name list-full full newest oldest inverse exact count ignore-case lightweight",
		longVal: "delimiter euid group parent session terminal uid pgroup runstates older", max: 1, operand: text,
	}}},
	{names: "pidof", why: "finds processes", forms: []form{{flags: "sxcqzw", values: "oSd", max: many, operand: text}}},
	{names: "pstree", why: "draws the tree of processes", forms: []form{{
		flags: "AcglnNpsStTuUZaCh", long: "arguments ascii compact-not long numeric-sort show-pids show-parents show-pgids thread-names hide-threads uid-changes unicode", values: "H",
		max: 1, operand: name,
	}}},
	{names: "pmap", why: "shows the memory map of a process", forms: []form{{flags: "xXdqp", values: "A", long: "extended device quiet show-path", longVal: "range", min: 1, max: many, operand: number}}},
	{names: "pwdx", why: "shows working directories", forms: []form{{min: 1, max: many, operand: number}}},
	{names: "vmstat", why: "shows memory and load", forms: []form{{
		flags: "afmnstwdDyz", values: "pS", long: "active forks slabs one-header stats disk disk-sum timestamp wide unit no-first", max: 2, operand: number, check: checkBounded,
	}}},
	{names: "iostat", why: "shows disk load", forms: []form{{
		flags: "cdhkmNstxyz", values: "gjp", long: "human pretty compact", longVal: "dec", max: many, operand: name, check: checkBounded,
	}}},
	{names: "mpstat", why: "shows processor load", forms: []form{{flags: "AnuT", values: "PINo", longVal: "dec", max: 2, operand: number, check: checkBounded}}},
	{names: "pidstat", why: "shows load of processes", forms: []form{{
		flags: "dDhHIlrRstuvVwU", values: "pGCT", long: "human", longVal: "dec", max: 2, operand: number, check: checkBounded,
	}}},
	{names: "sar", why: "shows recorded load", forms: []form{{
		flags: "ABbdFHhpqrSuVvWwyzR", values: "nPIsefm", kinds: "f=read", long: "human pretty iface", longVal: "dec dev", max: 2, operand: number, check: checkBounded,
	}}},
	{names: "lsof", why: "lists open files", forms: []form{{
		flags: "PnlthUVRabCKLNOowXz", values: "pucdgTSe", attached: "isF", max: many, operand: meta, check: numericAddresses,
	}}},
	{names: "fuser", why: "lists users of files", forms: []form{{
		flags: "aImMuv46", values: "n", long: "all mount verbose user ismountpoint", longVal: "namespace", min: 1, max: many, operand: name,
	}}},
	{names: "slabtop", why: "shows kernel memory once", forms: []form{{flags: "o", values: "s", long: "once", need: "o,once"}}},
	{names: "ipcs", why: "lists shared memory", forms: []form{{flags: "aqmslptcub", long: "all queues shmems semaphores limits time creator human bytes"}}},
	{names: "numastat", why: "shows memory nodes", forms: []form{{flags: "cmnsvz", values: "p", max: 1, operand: name}}},
	{names: "lsns", why: "lists name spaces", forms: []form{{
		flags: "JlnPruW", values: "opt", kinds: "p=number task=number", long: "json list noheadings output-all persistent raw notruncate nowrap",
		longVal: "output task type", max: 1, operand: number,
	}}},
	{names: "lslocks", why: "lists locks", forms: []form{{
		flags: "bJinru", values: "op", kinds: "p=number pid=number", long: "bytes json noinaccessible noheadings output-all raw notruncate", longVal: "output pid",
	}}},
	{names: "lsipc", why: "lists shared memory", forms: []form{{
		flags: "abceglJmnPqrstyzG", values: "io", long: "bytes creator export global json list shmems noheadings notruncate numeric-perms queues raw semaphores time shell", longVal: "id output time-format",
	}}},
	{names: "lsfd", why: "lists open files", forms: []form{{
		flags: "lJnru", values: "opQ", attached: "i", long: "threads json noheadings raw notruncate summary", longVal: "output pid filter", longOpt: "inet summary",
	}}},
	{names: "lsirq", why: "lists interrupts", forms: []form{{flags: "JnPS", values: "os", long: "json noheadings pairs softirq", longVal: "output sort"}}},
	{names: "lsmem", why: "lists memory", forms: []form{{
		flags: "abJnPr", values: "oSs", kinds: "s=meta", long: "all bytes json noheadings pairs raw output-all", longVal: "output split", longOpt: "summary",
	}}},
	{names: "lsclocks", why: "lists clocks", forms: []form{{flags: "Jnr", values: "ot", long: "json noheadings raw output-all", longVal: "output time"}}},
	{names: "smem", script: true, why: "shows memory with what is shared", forms: []form{{
		flags: "tkprumwn", values: "scPU", kinds: "c=label columns=label", long: "totals abbreviate percent reverse users mappings system numeric no-header", longVal: "sort columns processfilter userfilter",
	}}},
	{names: "prtstat", why: "shows a process", forms: []form{{flags: "r", long: "raw", min: 1, max: 1, operand: number}}},
	{names: "pslog", why: "shows the logs a process writes", forms: []form{{min: 1, max: 1, operand: number}}},
}

// psOptions parses BSD-style options, which have no dash: `ps aux`. The letter e in them would print
// environments, so it is not accepted.
func psOptions(args []field) []field {
	if len(args) == 0 {
		return args
	}
	first, ok := args[0].val.lit()
	if !ok {
		return args
	}
	letters := first
	if first == "-aux" || first == "-auxww" || first == "-auxf" || first == "-axu" {
		letters = first[1:]
	}
	if letters == "" || letters[0] == '-' {
		return args
	}
	values := 0
	for i := range len(letters) {
		switch c := letters[i]; {
		case c == 'o' || c == 'k' || c == 'p' || c == 'U' || c == 't' || c == 'O':
			values++
		case c >= '0' && c <= '9' || c == ',':
			return args
		case !isBSDLetter(c):
			return []field{{val: litValue("--environment")}}
		}
	}
	if values == 0 {
		return args[1:]
	}
	if values > 1 || len(args) < 2 {
		return []field{{val: litValue("--environment")}}
	}
	out := []field{{val: litValue("--format")}, args[1]}
	return append(out, args[2:]...)
}

// areBSDLetters recognises a further word of BSD options without values.
func areBSDLetters(word string) bool {
	return strings.Trim(word, "auxfjlvw") == ""
}

func isBSDLetter(c byte) bool {
	for _, l := range []byte("auxfjlmnsvwhrTHScL") {
		if c == l {
			return true
		}
	}
	return false
}

// psColumns refuses columns that print environments, and arguments that ps parses a second time.
//
// ps parses arguments that it does not understand as BSD options after a dash (procps, arg_parse), and then the
// letter e means the environment. With -e, which is the same as -A, only arguments that cannot fail are
// accepted.
func psColumns(in *invocation, p *parsed) *refusal {
	if r := noEnvironmentIn(p.values("o", "O", "format")); r != nil {
		return r
	}
	for _, f := range p.operands {
		if word, ok := f.val.lit(); ok && !isDigits(word) && !areBSDLetters(word) {
			return deny("operand", word, 1) // a second word of letters is also a set of options
		}
	}
	every, certain := false, true
	for i, f := range in.args {
		text := f.val.prefix()
		if len(text) > 1 && text[0] == '-' && text[1] != '-' && !(i > 0 && isPSLong(in.args[i-1].val.prefix())) {
			every = every || strings.Contains(text, "e")
			certain = certain && psCluster.MatchString(text)
		}
	}
	for _, g := range p.given {
		certain = certain && (len(g.option) > 1 || !g.val.val.mayBeOption())
	}
	if every && (!certain || p.has("r", "N", "deselect", "M", "O", "T")) {
		return deny("environment", "-e", 1)
	}
	return nil
}

// isPSLong reports whether an argument of ps is a long option that takes the next argument in both ways of
// parsing.
func isPSLong(text string) bool { return text == "--sort" || text == "--format" }

// psCluster matches a cluster of options without an attached name that could be wrong.
var psCluster = lazyregexp.New(`^-([AaeFfHjlyLmcdwV]*[CuUgGpstq]?|[AaeFfHjlyLmcdwV]*o.*)$`)

// lsofSwitches refuses the options of lsof that start with a plus, except the few that only select files.
func lsofSwitches(_ *invocation, p *parsed) *refusal {
	for _, f := range p.operands {
		if word := f.val.prefix(); strings.HasPrefix(word, "+") && word != "+D" && word != "+d" && word != "+L1" {
			return deny("unlisted-option", word, 1)
		}
	}
	return nil
}

// smartLogs are the logs that smartctl prints. Other values of the same option change settings.
const smartLogs = "only:error|selftest|selective|xerror|xselftest|devstat|background|sataphy|scttemp|scttempsts|scttemphist|scterc|ssd|directory|farm|nvmelog"

// disks are the programs that show disks, mounts and file systems.
var disks = []program{
	{names: "lsblk", why: "lists disks", forms: []form{{
		flags: "aAbDdfiJlmnOPpqrSstTvVzN", values: "ceEIMowxQ",
		long:    "all bytes discard nodeps fs ascii json list perms noheadings output-all pairs paths raw scsi inverse topology zoned merge noempty virtio nvme",
		longVal: "exclude include output sort dedup width", longOpt: "tree", max: many, operand: meta,
	}}},
	{names: "blkid", why: "shows identifiers of disks", forms: []form{{
		flags: "pilkdD", values: "stoLUnu", long: "probe info label uuid list-filesystems no-encoding", longVal: "match-tag match-token output usages", max: many, operand: meta,
	}}},
	{names: "findmnt", why: "lists mounts", forms: []form{{
		flags: "AaBbCcDefiJklmnPRrUuvyxsI", values: "dFMNOoStTw", kinds: "F=read tab-file=read", long: "fstab mtab kernel all ascii bytes canonicalize evaluate df first-only invert json list noheadings notruncate " +
			"output-all pairs raw real pseudo shadowed submounts uniq nofsroot verify verbose dfi inodes", longVal: "mountpoint options output source types target direction tab-file", max: 2, operand: meta,
	}}},
	{names: "mount", why: "lists mounts when no operand is given", forms: []form{{flags: "l", values: "t", long: "show-labels", longVal: "types"}}},
	{names: "mountpoint", why: "tells whether a directory is a mount", forms: []form{{flags: "qdx", long: "quiet fs-devno nofollow", min: 1, max: 1, operand: meta}}},
	{names: "swapon", why: "shows swap", forms: []form{{flags: "s", long: "summary show noheadings raw bytes", longOpt: "show", need: "s,summary,show"}}},
	{names: "zramctl", why: "shows compressed memory", forms: []form{{flags: "bn", values: "o", long: "bytes noheadings output-all raw", longVal: "output"}}},
	{names: "losetup", why: "lists loop devices", forms: []form{{flags: "alnJ", values: "O", long: "all list noheadings json raw", longVal: "output", need: "a,l,all,list"}}},
	{names: "fdisk", why: "lists partitions", forms: []form{{flags: "lx", values: "o", long: "list list-details bytes", longVal: "output", need: "l,x,list,list-details", max: many, operand: meta}}},
	{names: "sfdisk", why: "lists partitions", forms: []form{{
		flags: "lFdJTsgq", values: "o", long: "list list-free dump json list-types show-size bytes quiet", longVal: "output", need: "l,F,d,J,T,s,g,list,list-free,dump,json,list-types,show-size", max: many, operand: meta,
	}}},
	{names: "parted", why: "lists partitions", forms: []form{
		{flags: "lsm", long: "list script machine", need: "l,list"},
		{flags: "sm", long: "script machine", lines: "@ print\n @ print free|all|list|devices\n @ unit * print\n @ unit * print free|all|list\n @ align-check opt|optimal|min|minimal *"},
	}},
	{names: "blockdev", why: "shows attributes of disks", forms: []form{{
		long: "getsz getsize64 getss getpbsz getbsz getro getra getfra getiomin getioopt getalignoff getmaxsect getdiscardzeroes report", need: "getsz,getsize64,getss,getpbsz,getbsz,getro,getra,getfra,getiomin,getioopt,getalignoff,getmaxsect,getdiscardzeroes,report",
		max: many, operand: meta,
	}}},
	{names: "fstrim", why: "shows what it would trim", forms: []form{{flags: "nAav", long: "dry-run all fstab verbose", need: "n,dry-run", max: 1, operand: meta}}},
	{names: "e4defrag", why: "shows fragmentation", forms: []form{{flags: "cv", need: "c", min: 1, max: many, operand: meta}}},
	{names: "e2freefrag", why: "shows free space in one piece", forms: []form{{min: 1, max: 1, operand: meta}}},
	{names: "fatlabel dosfslabel ntfslabel exfatlabel", why: "shows a label; a second operand would set it", forms: []form{{min: 1, max: 1, operand: meta}}},
	{names: "lsscsi", why: "lists SCSI devices", forms: []form{{flags: "bcdgHiklLpPsStTuUvw", long: "brief classic device generic hosts kname list long protection size scsi_id transport unit verbose wwn"}}},
	{names: "dysk lfs", why: "shows free space", forms: []form{{flags: "a", values: "ucsf", long: "all json csv", longVal: "units cols sort filter", max: 1, operand: meta}}},
	{names: "dmsetup", why: "shows mapped devices, never their keys", forms: []form{{
		flags: "cCv", values: "o", long: "tree columns noheadings verbose", longVal: "options target", lines: "ls\n info **\n deps **\n table **\n targets\n version",
	}}},
	{names: "quota", why: "shows quotas", forms: []form{{flags: "svwp", max: many, operand: name}}},
	{names: "repquota", why: "shows quotas", forms: []form{{flags: "aisvug", max: many, operand: meta}}},
	{names: "gdisk", why: "lists partitions", forms: []form{{flags: "l", need: "l", min: 1, max: 1, operand: meta}}},
	{names: "sgdisk", why: "lists partitions", forms: []form{{flags: "p", long: "print", need: "p,print", min: 1, max: 1, operand: meta}}},
	{names: "partx", why: "lists partitions", forms: []form{{flags: "sbgr", values: "o", long: "show bytes noheadings raw", need: "s,show", min: 1, max: 1, operand: meta}}},
	{names: "smartctl", why: "shows the health of a disk", forms: []form{{
		flags: "aiHcAxj", values: "dln", long: "all info health capabilities attributes xall scan scan-open json", longVal: "device log nocheck", longOpt: "json",
		kinds: "l=" + smartLogs + " log=" + smartLogs, need: "a,i,H,c,A,x,l,all,info,health,capabilities,attributes,xall,scan,scan-open,log", max: 1, operand: meta,
	}}},
	{names: "nvme", why: "shows the health of an NVMe disk", forms: []form{{
		flags: "Hv", values: "on", long: "human-readable verbose", longVal: "output-format namespace-id",
		lines: "list\n list-subsys **\n smart-log @\n id-ctrl @\n id-ns @\n error-log @\n show-regs @\n list-ns @\n fw-log @\n self-test-log @\n endurance-log @\n effects-log @\n get-log @\n version",
	}, {flags: "H", values: "f", kinds: "f=number", lines: "get-feature @"}}},
	{names: "hdparm", why: "shows settings of a disk", forms: []form{{flags: "IiCgv", need: "I,i,C,g,v", min: 1, max: many, operand: meta}, {min: 1, max: 1, operand: meta}}},
	{names: "tune2fs", why: "shows a file system header", forms: []form{{flags: "l", need: "l", min: 1, max: 1, operand: meta}}},
	{names: "dumpe2fs", why: "shows a file system header", forms: []form{{flags: "h", need: "h", min: 1, max: 1, operand: meta}}},
	{names: "e2label", why: "shows a file system header", forms: []form{{min: 1, max: 1, operand: meta}}},
	{names: "xfs_info", script: true, why: "shows a file system header", forms: []form{literalOnly(form{hands: "xfs_spaceman", min: 1, max: 1, operand: meta})}},
	{names: "lvs pvs vgs", why: "lists logical volumes", forms: []form{{
		flags: "ahv", values: "oOS", long: "all noheadings segments nosuffix", longVal: "options sort select units separator", max: many, operand: name,
	}}},
	{names: "lvdisplay vgdisplay pvdisplay", why: "shows logical volumes", forms: []form{{
		flags: "acCmsv", values: "oOS", long: "all colon columns maps short segments noheadings nosuffix verbose", longVal: "options sort select units separator", max: many, operand: name,
	}}},
	{names: "lvscan lvmdiskscan", why: "lists logical volumes", forms: []form{{flags: "ablv", long: "all blockdevice verbose lvmpartition"}}},
	{names: "mdadm", why: "shows arrays", forms: []form{{
		flags: "DEQvsb", long: "detail examine query scan verbose brief", need: "D,E,Q,detail,examine,query", max: many, operand: meta,
	}}},
	{names: "cryptsetup", why: "shows encrypted volumes", forms: []form{{lines: "status *\n isLuks @\n luksUUID @\n luksDump @"}}},
	{names: "btrfs", why: "shows btrfs file systems", forms: []form{{
		flags: "bhHkmgtTsdr", values: "", long: "raw human-readable human-base1000 iec si kbytes mbytes gbytes tbytes summarize all-devices mounted", longVal: "sort",
		lines: `filesystem|fi|fil|files usage|us|df|show|sh|du|label @
			filesystem|fi|fil show|sh|df|usage
			subvolume|su|sub|subvol list|show|sh|l|li|lis|get-default @
			device|dev stats|st|usage|us @
			scrub|sc|scr status|st @
			balance|ba|bal status|st @
			replace status @
			quota status @
			qgroup|qg show|sh @
			property|prop get|list @
			property|prop get @ ro|label|compression
			inspect-internal|inspect dump-super|rootid|min-dev-size @
			version`,
	}, {flags: "apcgoutsdqh", lines: "subvolume|su|sub|subvol list|l|li|lis @"}}},
	{names: "compsize", why: "shows compression", forms: []form{{flags: "bx", min: 1, max: many, operand: meta}}},
	{names: "snapper", why: "lists snapshots", forms: []form{{
		flags: "a", values: "ct", long: "iso utc json", longVal: "config type columns machine-readable", lines: "list|ls\n list-configs\n get-config\n status *\n status * *",
	}}},
	{names: "timeshift", script: true, why: "lists snapshots", forms: []form{{long: "list list-snapshots list-devices", need: "list,list-snapshots,list-devices"}}},
	{names: "zfs", why: "shows ZFS data sets", forms: []form{{
		flags: "Hpr", values: "osStd", lines: "list **\n get * **\n mount\n version\n holds **", kinds: "t=name o=name",
	}}},
	{names: "zpool", why: "shows ZFS pools", forms: []form{
		{flags: "HpPvxLgst", values: "o", lines: "list **\n status **\n history *\n get * **\n version"},
		{flags: "vHpPLgylqwr", lines: "iostat **", check: checkBounded},
	}},
	{names: "swaplabel", why: "shows a swap header", forms: []form{{min: 1, max: 1, operand: meta}}},
	{names: "lsattr", why: "shows file attributes", forms: []form{{flags: "RVadlpv", max: many, operand: meta}}},
	{names: "getfacl", why: "shows access lists", forms: []form{{
		flags: "acdeEsRLPtpn", long: "access default omit-header all-effective no-effective skip-base recursive logical physical tabular absolute-names numeric",
		min: 1, max: many, operand: meta,
	}}},
	{names: "getfattr", why: "shows extended attributes", forms: []form{{flags: "dhR", values: "nme", long: "dump no-dereference", longVal: "name match encoding", min: 1, max: many, operand: meta}}},
	{names: "getcap", why: "shows capabilities of files", forms: []form{{flags: "rnv", min: 1, max: many, operand: meta}}},
	{names: "namei", why: "follows a path", forms: []form{{flags: "lmnovx", long: "long modes owners vertical mountpoints nosymlinks", min: 1, max: many, operand: attr}}},
	{names: "filefrag", why: "shows fragmentation", forms: []form{{flags: "bekvxX", min: 1, max: many, operand: meta}}},
	{names: "duf", why: "shows free space", forms: []form{{long: "all json inodes warnings", longVal: "only hide sort output style theme width", max: many, operand: meta}}},
	{names: "dust", why: "sums up file sizes", forms: []form{{flags: "rbscfiFDxHp", values: "dnwtevz", longVal: "depth number-of-lines", max: many, operand: meta}}},
	{names: "udisksctl", why: "shows disks", forms: []form{{values: "bd", longVal: "block-device drive", lines: "status\n info\n dump"}}},
}
