package safety

// hardware are the programs that describe devices.
var hardware = []program{
	{names: "lscpu", why: "shows the processor", forms: []form{{
		flags: "aBbcCeJpsxy", long: "all online offline json bytes hex physical output-all raw", longOpt: "caches extended parse hierarchic",
	}}},
	{names: "lspci", why: "lists PCI devices", forms: []form{{flags: "nkvtmDbP", values: "sd"}}},
	{names: "lsusb", why: "lists USB devices", forms: []form{{flags: "vt", values: "sdD", kinds: "D=meta", long: "verbose tree"}}},
	{names: "lsmod", why: "lists kernel modules", forms: []form{{}}},
	{names: "modinfo", why: "shows a kernel module", forms: []form{{
		flags: "0nadlp", values: "Fk", long: "author description license parameters filename null", longVal: "field set-version", min: 1, max: many, operand: name,
	}}},
	{names: "sensors", why: "shows temperatures", forms: []form{{flags: "AfjuU", long: "fahrenheit no-adapter", max: many, operand: name}}},
	{names: "acpi", why: "shows battery and temperature", forms: []form{{
		flags: "abcstiVfk", long: "battery ac-adapter thermal cooling everything details fahrenheit kelvin show-empty",
	}}},
	{names: "upower", why: "shows batteries", forms: []form{{flags: "edw", values: "i", long: "enumerate dump wakeups", longVal: "show-info", need: "e,d,i,enumerate,dump,show-info"}}},
	{names: "powerprofilesctl", why: "shows the power profile", forms: []form{{lines: ".\n get\n list\n list-holds\n version\n query-battery-aware"}}},
	{names: "tuned-adm", why: "shows the power profile", forms: []form{{lines: "active\n list\n list profiles|plugins\n recommend\n profile_info *"}}},
	{names: "tlp-stat", why: "shows power saving", forms: []form{{
		flags: "bcdefgmprstuvw", long: "battery config disk pcie graphics processor rfkill system temp usb verbose warn cdiff mode psup",
	}}},
	{names: "cpupower", why: "shows processor frequencies", forms: []form{{
		values: "c", flags: "", longVal: "cpu", lines: "frequency-info\n idle-info\n info\n powercap-info",
	}, {flags: "efwdplgosmcynr", lines: "frequency-info"}}},
	{names: "dmidecode", why: "shows firmware tables", forms: []form{{flags: "qu", values: "st", long: "quiet", longVal: "string type"}}},
	{names: "inxi", why: "summarises the hardware", forms: []form{{
		flags: "AabBCdDEfFGIjJlLmMnNoOpPrRsSuxzZ", attached: "ctvyV", long: "full basic cpu graphics audio network battery memory disk-full system machine sensors filter no-host",
		kinds: "c=number",
	}}},
	{names: "hwinfo", why: "lists hardware", forms: []form{{
		long: "short cpu memory disk gfxcard network netcard sound usb pci bios monitor keyboard mouse cdrom partition storage-ctrl wlan bluetooth arch framebuffer listmd",
	}}},
	{names: "lshw", why: "lists hardware", forms: []form{{
		single: "short businfo numeric sanitize html xml json quiet notime", singVal: "C c class",
	}}},
	{names: "glxinfo eglinfo es2_info", why: "shows OpenGL", forms: []form{{flags: "Bliv"}}},
	{names: "vulkaninfo", why: "shows Vulkan", forms: []form{{long: "summary", need: "summary"}, {}}},
	{names: "vainfo vdpauinfo", why: "shows video decoding", forms: []form{{flags: "a", long: "all"}}},
	{names: "clinfo", why: "shows OpenCL", forms: []form{{flags: "la", long: "list raw"}}},
	{names: "nvidia-smi", why: "shows NVIDIA cards", forms: []form{
		{flags: "qLaxu", values: "di", kinds: "d=name", longVal: "query-gpu query-compute-apps query-accounted-apps query-retired-pages format id display", long: "list-gpus query"},
		{flags: "", values: "isc", need: "c", lines: "pmon|dmon"},
		{lines: "topo\n pmon", flags: "mp", need: "m,p"},
	}},
	{names: "rocm-smi", why: "shows AMD cards", forms: []form{{flags: "aitucPf", long: "showtemp showuse showmeminfo showid showpower showclocks showallinfo json"}}},
	{names: "brightnessctl", why: "shows the brightness", forms: []form{{
		flags: "lmq", values: "cd", long: "list machine-readable", longVal: "class device", lines: ".\n g|get\n m|max\n i|info",
	}}},
	{names: "ddcutil", why: "shows monitors", forms: []form{{flags: "tv", values: "d", long: "brief terse verbose", longVal: "display bus", lines: "detect\n getvcp *\n capabilities\n environment"}}},
	{names: "efibootmgr", why: "lists boot entries", forms: []form{{flags: "vu", long: "verbose unicode"}}},
	{names: "mokutil", why: "shows secure boot", forms: []form{{long: "sb-state list-enrolled list-new list-sbat-revocations db dbx pk kek"}}},
	{names: "sbctl", why: "shows secure boot", forms: []form{{long: "json", lines: "status\n verify\n list-files\n list-bundles"}}},
	{names: "fwupdmgr", why: "shows firmware", forms: []form{{
		long: "json no-unreported-check show-all", lines: "get-devices\n get-updates\n get-history\n get-remotes\n get-topology\n security\n get-plugins\n get-upgrades",
	}}},
	{names: "boltctl", why: "lists Thunderbolt devices", forms: []form{{flags: "a", long: "all", lines: ".\n list\n info *\n domains"}}},
	{names: "hwclock", why: "shows the hardware clock", forms: []form{{flags: "rvul", long: "show verbose utc localtime get"}}},
	{names: "dkms", why: "shows kernel modules built here", forms: []form{{values: "mvk", lines: "status\n status *"}}},
	{names: "lsinitcpio", why: "lists an initial RAM disk", forms: []form{{flags: "alnv", long: "analyze list config", max: 1, operand: meta}}},
	{names: "mkinitcpio", why: "lists hooks", forms: []form{{flags: "LM", values: "H", long: "listhooks automods", longVal: "hookhelp", need: "L,M,H,listhooks,automods,hookhelp"}}},
	{names: "sysctl", why: "shows kernel settings", forms: []form{{
		flags: "anNeqr", long: "all values names ignore deprecated", longVal: "pattern", max: many, operand: name, check: noOperandWith("=/"),
	}}},
	{names: "dmesg", why: "shows kernel messages", forms: []form{{
		flags: "dHkLPrSTtuxeJ", values: "fls", attached: "L", long: "human kernel ctime notime nopager decode raw reltime show-delta userspace json force-prefix",
		longVal: "level facility time-format since until buffer-size", longOpt: "color",
	}}},
	{names: "rfkill", why: "shows radio switches", forms: []form{{
		flags: "noJr", values: "", long: "json noheadings raw output-all", longVal: "output", lines: ".\n list\n list *\n list * *",
	}}},
	{names: "ras-mc-ctl", why: "shows memory errors", forms: []form{{long: "summary errors error-count status layout mainboard"}}},
	{names: "i2cdetect", why: "lists buses", forms: []form{{flags: "l", need: "l"}}},
	{names: "cpuid", why: "shows the processor", forms: []form{{flags: "1r"}}},
	{names: "getent", why: "looks up a system database", forms: []form{{
		flags: "i", lines: "passwd|group|hosts|ahosts|ahostsv4|ahostsv6|services|protocols|networks|rpc|ethers|aliases|netgroup|initgroups **",
	}}},
}

const systemdLong = "user system all full no-pager no-legend plain quiet no-ask-password recursive utc local"

// systemdPrograms are the read verbs of the systemd tools. Options that reach
// another machine, an image or a file (-H -M --root --image --output) are left out.
var systemdPrograms = []program{
	{names: "systemctl", why: "shows units", forms: []form{{
		flags: "alrq", values: "tpnoP", kinds: "n=number lines=number", long: systemdLong + " failed show-types value global reverse after before with-dependencies no-warn",
		longVal: "type state property output lines timestamp", longOpt: "legend", check: noEnvironment,
		lines: `
			.
			list-units|list-sockets|list-timers|list-paths|list-automounts|list-jobs|list-machines|list-dependencies|list-unit-files|is-active|is-failed|is-enabled|status|show|cat **
			is-system-running|get-default
			whoami **`,
	}}},
	{names: "journalctl", why: "shows the journal, without following it", forms: []form{{
		flags: "aekqlmrxNI0123456789", values: "uptgoSUcFT", attached: "bn", kinds: "n=number lines=number",
		long: systemdLong + " merge no-full no-hostname reverse catalog pager-end disk-usage list-boots list-catalog header fields list-namespaces " +
			"show-cursor truncate-newline dmesg verify list-invocations boot lines",
		longVal: "unit user-unit since until priority identifier grep output output-fields cursor after-cursor facility field exclude-identifier invocation",
		longOpt: "case-sensitive boot lines", max: many, operand: name, check: journalSecrets,
	}}},
	{names: "loginctl", why: "shows sessions", forms: []form{{
		flags: "alq", values: "pnoP", long: systemdLong + " value", longVal: "property lines output", kinds: "n=number", check: noEnvironment,
		lines: ".\n list-sessions\n session-status|show-session|user-status|show-user|seat-status|show-seat **\n list-users\n list-seats",
	}}},
	{names: "hostnamectl", why: "shows the host name", forms: []form{{
		long: systemdLong + " static transient pretty", longVal: "json", lines: ".\n status\n hostname\n icon-name\n chassis\n deployment\n location\n show",
	}}},
	{names: "timedatectl", why: "shows the clock", forms: []form{{
		flags: "a", values: "pP", long: systemdLong + " value all", longVal: "property", lines: ".\n status\n show\n show-timesync\n timesync-status\n list-timezones",
	}}},
	{names: "localectl", why: "shows locale and keyboard", forms: []form{{
		long: systemdLong, lines: ".\n status\n list-locales\n list-keymaps\n list-x11-keymap-models\n list-x11-keymap-layouts\n list-x11-keymap-variants *\n list-x11-keymap-variants\n list-x11-keymap-options",
	}}},
	{names: "resolvectl", why: "shows name resolution", forms: []form{{
		flags: "46", values: "itpc", long: systemdLong, longVal: "interface type protocol class json cache legend validate synthesize cname search network",
		lines: `
			.
			status **
			query *
			query * *
			statistics
			show-server-state
			show-cache
			dns|domain|default-route|llmnr|mdns|dnsovertls|dnssec|nta
			dns|domain|default-route|llmnr|mdns|dnsovertls|dnssec|nta *`,
	}}},
	{names: "networkctl", why: "shows links", forms: []form{{
		flags: "als", values: "n", long: systemdLong + " stats", longVal: "lines json", kinds: "n=number", lines: ".\n list **\n status **\n lldp **\n label",
	}}},
	{names: "bootctl", why: "shows the boot loader", forms: []form{{
		flags: "pxqR", long: systemdLong + " print-esp-path print-boot-path print-root-device", longVal: "json", lines: ".\n status\n list\n is-installed\n random-seed-status",
	}}},
	{names: "systemd-analyze", why: "shows start-up times", forms: []form{{
		flags: "q", longVal: "fuzz base-time iterations json", long: systemdLong + " order require tldr",
		lines: `
			time
			blame
			critical-chain **
			dot **
			plot
			unit-paths
			exit-status **
			capability **
			syscall-filter **
			filesystems **
			calendar **
			timestamp **
			timespan **
			security **
			unit-files
			log-level
			log-target
			has-tpm2
			pcrs`, check: noPaths,
	}, {}}},
	{names: "systemd-cgls", why: "lists control groups", forms: []form{{flags: "alkcx", values: "u", long: "all full no-pager", longVal: "unit user-unit", longOpt: "unit", max: many, operand: name}}},
	{names: "systemd-cgtop", why: "lists control groups once", forms: []form{{
		flags: "bptcmirPk", values: "nd", long: "batch raw", longVal: "iterations delay depth order", need: "b,batch,1 n,iterations", max: 1, operand: name,
	}, {flags: "1b", need: "1"}}},
	{names: "coredumpctl", why: "lists crashes", forms: []form{{
		flags: "1qrl", values: "nSU", kinds: "n=number", long: "no-pager no-legend reverse quiet all", longVal: "since until json", lines: ".\n list **\n info **",
	}}},
	{names: "busctl", why: "lists the bus", forms: []form{{
		flags: "lq", long: systemdLong + " list verbose unique acquired activatable show-machine", longVal: "json limit timeout",
		lines: ".\n list\n status *\n tree **\n introspect * *\n introspect * * *\n get-property * * * **",
	}}},
	{names: "machinectl", why: "lists machines", forms: []form{{flags: "alq", values: "pno", long: systemdLong, lines: ".\n list\n list-images\n status|show|image-status *"}}},
	{names: "portablectl oomctl userdbctl", why: "lists system objects", forms: []form{{long: "no-pager no-legend", lines: "list\n dump\n user *\n group *\n groups\n services"}}},
	{names: "udevadm", why: "shows devices", forms: []form{{
		flags: "axrtlV", values: "npqP", long: "attribute-walk export export-db root tree no-pager value", longVal: "query name path property json export-prefix device-id-of-file",
		kinds: "n=meta name=meta p=meta path=meta", lines: "info **\n verify\n test-builtin * @",
	}}},
	{names: "systemd-detect-virt", why: "tells what machine this is", forms: []form{{flags: "cvrq", long: "container vm chroot private-users list quiet cvm list-cvm"}}},
	{names: "systemd-path systemd-escape", why: "prints a path or an escaped name", forms: []form{{flags: "pumi", long: "path unescape mangle", longVal: "suffix template", max: many, operand: name}}},
	{names: "systemd-id128", why: "prints identifiers", forms: []form{{flags: "pu", lines: "machine-id\n boot-id\n invocation-id\n show **"}}},
	{names: "systemd-delta", why: "shows overridden settings", forms: []form{{values: "t", long: "no-pager", longVal: "type diff", max: many, operand: name, check: noOperandWith("/")}}},
	{names: "systemd-tmpfiles", why: "prints settings", forms: []form{{long: "cat-config no-pager tldr", need: "cat-config,tldr"}}},
	{names: "systemd-mount", why: "lists block devices", forms: []form{{long: "list no-pager no-legend full", need: "list"}}},
}

// journalSecrets keeps the field list away from recorded environments.
func journalSecrets(in *invocation, p *parsed) *refusal {
	for _, f := range p.operands {
		if word, ok := f.val.lit(); ok && len(word) > 0 && word[0] == '/' && !in.s.listable(f) {
			return deny("secret-file", word, 1)
		}
	}
	return noEnvironment(in, &parsed{values: p.values})
}

// identities are the programs that tell who uses the system.
var identities = []program{
	{names: "who", why: "shows who is logged in", forms: []form{{
		flags: "abdHlmpqrsTtuw", long: "all boot dead heading login lookup process count runlevel short time mesg users", max: 1, operand: read,
	}, {lines: "am i|I"}}},
	{names: "w", why: "shows who is logged in", forms: []form{{flags: "hsfoiup", long: "no-header no-current short from old-style ip-addr pids", max: 1, operand: name}}},
	{names: "users", why: "shows who is logged in", forms: []form{{}}},
	{names: "last lastb", why: "shows past logins", forms: []form{{
		flags: "adFiRwx0123456789", values: "nstpf", kinds: "f=read file=read", long: "hostlast dns fulltimes ip nohostname fullnames system", longVal: "limit since until present time-format file",
		max: many, operand: name,
	}}},
	{names: "lastlog lastlog2", why: "shows past logins", forms: []form{{flags: "as", values: "btu", longVal: "before time user"}}},
	{names: "lslogins", why: "shows accounts", forms: []form{{flags: "aefGLmnrsuzc", values: "logo", long: "acc-expiration failed supp-groups last system-accs user-accs output-all", longVal: "output logins groups", max: 1, operand: name}}},
	{names: "chage", why: "shows password ages", forms: []form{{flags: "li", long: "list iso8601", need: "l,list", min: 1, max: 1, operand: name}}},
	{names: "passwd", why: "shows the state of a password", forms: []form{{flags: "Sa", long: "status all", need: "S,status", max: 1, operand: name}}},
	{names: "faillock", why: "shows failed logins", forms: []form{{longVal: "user"}}},
	{names: "finger", why: "shows an account", forms: []form{{flags: "lmsp", max: many, operand: name, check: noOperandWith("@")}}},
	{names: "crontab", why: "lists timed commands", forms: []form{{flags: "l", need: "l"}}},
	{names: "atq", why: "lists timed commands", forms: []form{{flags: "V", values: "q"}}},
	{names: "ssh-add", why: "lists keys of the agent by fingerprint", forms: []form{{flags: "l", need: "l"}}},
	{names: "man", why: "finds manual pages, without a pager", forms: []form{
		{flags: "kfwaK", long: "apropos whatis where path all", need: "k,f,w,apropos,whatis,where,path", max: many, operand: text, check: noOperandWith("/")},
		{values: "P", longVal: "pager", kinds: "P=only:cat pager=only:cat", need: "P,pager", min: 1, max: 2, operand: name, check: noOperandWith("/")},
	}},
	{names: "whatis apropos", why: "finds manual pages", forms: []form{{flags: "ewlaor", long: "exact wildcard long and regex", values: "s", min: 1, max: many, operand: text}}},
	{names: "lsb_release", why: "shows the distribution", forms: []form{{flags: "aidrcsv", long: "all id description release codename short version"}}},
	{names: "fastfetch", why: "summarises the system", forms: []form{{}}},
	{names: "sestatus aa-status", why: "shows access control", forms: []form{{flags: "v"}}},
	{names: "arch-audit", why: "lists known vulnerabilities", forms: []form{{flags: "urq", long: "upgradable recursive quiet"}}},
}
