package safety

// hardware are the programs that describe devices.
var hardware = []program{
	{names: "lscpu", why: "shows the processor", forms: []form{{
		flags: "aBbcJxyr", attached: "eCp", long: "all online offline json bytes hex physical output-all raw", longOpt: "caches extended parse hierarchic",
	}}},
	{names: "lspci", why: "lists PCI devices", forms: []form{{flags: "nkvtmDbP", values: "sd"}}},
	{names: "lsusb", why: "lists USB devices", forms: []form{{flags: "vt", values: "sdD", kinds: "D=meta", long: "verbose tree"}}},
	{names: "lsmod", why: "lists kernel modules", forms: []form{{}}},
	{names: "modprobe", why: "shows what it would load", forms: []form{{
		flags: "nvDcRqa", long: "dry-run show verbose show-depends showconfig show-config resolve-alias quiet all",
		need: "n,D,c,R,dry-run,show,show-depends,showconfig,show-config,resolve-alias", max: many, operand: name,
	}}},
	{names: "ldconfig", why: "lists known libraries", forms: []form{{flags: "p", long: "print-cache", need: "p,print-cache"}}},
	{names: "modinfo", why: "shows a kernel module", forms: []form{{
		flags: "0nadlp", values: "Fk", long: "author description license parameters filename null", longVal: "field set-version", min: 1, max: many, operand: name,
	}}},
	{names: "sensors", why: "shows temperatures", forms: []form{{flags: "AfjuU", long: "fahrenheit no-adapter", max: many, operand: name}}},
	{names: "acpi", why: "shows battery and temperature", forms: []form{{
		flags: "abcstiVfk", long: "battery ac-adapter thermal cooling everything details fahrenheit kelvin show-empty",
	}}},
	{names: "upower", why: "shows batteries", forms: []form{{flags: "edw", values: "i", long: "enumerate dump wakeups", longVal: "show-info", need: "e,d,i,enumerate,dump,show-info"}}},
	{names: "powerprofilesctl", script: true, why: "shows the power profile", forms: []form{{lines: ".\n get\n list\n list-holds\n version\n query-battery-aware"}}},
	{names: "tuned-adm", script: true, why: "shows the power profile", forms: []form{{lines: "active\n list\n list profiles|plugins\n recommend\n profile_info *"}}},
	{names: "tlp-stat", script: true, why: "shows power saving", forms: []form{{
		flags: "bcdefgmprstuvw", long: "battery config disk pcie graphics processor rfkill system temp usb verbose warn cdiff mode psup",
	}}},
	{names: "cpupower", why: "shows processor frequencies", forms: []form{{
		values: "c", flags: "", longVal: "cpu", lines: "frequency-info\n idle-info\n info\n powercap-info",
	}, {
		flags: "efwdplgosmcynr", long: "debug freq hwfreq hwlimits driver policy governors related-cpus affected-cpus stats latency proc human no-rounding perf boost",
		lines: "frequency-info",
	}, {flags: "l", need: "l", lines: "monitor"}}},
	{names: "cpufreq-info", why: "shows processor frequencies", forms: []form{{flags: "efwdplgosmyn", values: "c"}}},
	{names: "dmidecode", why: "shows firmware tables", forms: []form{{flags: "qu", values: "st", long: "quiet", longVal: "string type"}}},
	{names: "inxi", script: true, why: "summarises the hardware", forms: []form{{
		flags: "AabBCdDEfFGIjJlLmMnNoOpPrRsSuxzZ", attached: "ctvyV", long: "full basic cpu graphics audio network battery memory disk-full system machine sensors filter no-host",
		kinds: "c=number",
	}, {
		flags: "AabBCdDEfFGIjJlLmMnNoOpPrRsSuxzZ", values: "tyc", kinds: "t=plain y=number c=number",
	}}},
	{names: "hwinfo", why: "lists hardware", forms: []form{{
		long: "short cpu memory disk gfxcard network netcard sound usb pci bios monitor keyboard mouse cdrom partition storage-ctrl wlan bluetooth arch framebuffer listmd",
	}}},
	{names: "lshw", why: "lists hardware", forms: []form{{
		single: "short businfo numeric sanitize html xml json quiet notime", singVal: "C c class",
	}}},
	{names: "glxinfo eglinfo es2_info", why: "shows OpenGL", forms: []form{{flags: "Bliv", singVal: "display", kinds: "display=screen"}}},
	{names: "vulkaninfo", why: "shows Vulkan", forms: []form{{long: "summary", need: "summary"}, {}}},
	{names: "vainfo vdpauinfo", why: "shows video decoding", forms: []form{{flags: "a", long: "all", longVal: "display device", kinds: "display=plain device=meta"}}},
	{names: "radeontop", why: "shows the load of AMD cards, on its output", forms: []form{{values: "dlib", kinds: "d=only:- l=number i=number b=number", need: "d l"}}},
	{names: "intel_gpu_top", why: "lists Intel cards", forms: []form{{flags: "L", need: "L"}}},
	{names: "lsgpu usb-devices biosdecode xhost xvinfo xdriinfo cpufetch", script: true, why: "lists devices", forms: []form{{}}},
	{names: "lstopo-no-graphics hwloc-ls", why: "draws processors and memory", forms: []form{{flags: "pl", long: "no-io merge logical physical"}}},
	{names: "lstopo", why: "draws processors and memory", forms: []form{{flags: "pl", long: "no-io merge logical physical", longVal: "of", kinds: "of=only:console|txt", need: "of"}}},
	{names: "light", why: "shows the brightness", forms: []form{{flags: "GLr", values: "s", need: "G,L"}}},
	{names: "xbacklight", why: "shows the brightness", forms: []form{{single: "get list getf", need: "get,list,getf"}}},
	{names: "liquidctl", script: true, why: "shows coolers", forms: []form{{long: "json verbose", lines: "list\n status"}}},
	{names: "ratbagctl", script: true, why: "shows mice", forms: []form{{lines: "list\n * info|name"}}},
	{names: "supergfxctl", why: "shows which card is used", forms: []form{{flags: "gsSpPv", need: "g,s,S,p,P,v"}}},
	{names: "envycontrol", script: true, why: "shows which card is used", forms: []form{{flags: "q", long: "query", need: "q,query"}}},
	{names: "optimus-manager", script: true, why: "shows which card is used", forms: []form{{long: "status print-mode print-next-mode print-startup", need: "status,print-mode,print-next-mode,print-startup"}}},
	{names: "fprintd-list", why: "lists enrolled fingers", forms: []form{{min: 1, max: many, operand: name}}},
	{names: "clinfo", why: "shows OpenCL", forms: []form{{flags: "la", long: "list raw"}}},
	{names: "nvidia-smi", why: "shows NVIDIA cards", forms: []form{
		{flags: "qLxu", values: "di", kinds: "d=name", longVal: "query-gpu query-compute-apps query-accounted-apps query-retired-pages query-supported-clocks format id display", long: "list-gpus query"},
		{verb: "pmon dmon", values: "iscod", need: "c", kinds: "c=number"},
		{verb: "topo", flags: "mp", long: "matrix", need: "m,p,matrix"},
	}},
	{names: "rocm-smi", script: true, why: "shows AMD cards", forms: []form{{flags: "aitucPf", long: "showtemp showuse showmeminfo showid showpower showclocks showallinfo json"}}},
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
	{names: "kernel-install", script: true, why: "shows kernels", forms: []form{{values: "", long: "verbose no-pager no-legend", longVal: "json", lines: "list\n inspect\n inspect *"}}},
	{names: "efivar", why: "lists firmware variables", forms: []form{{flags: "lL", long: "list list-guids", need: "l,L,list,list-guids"}}},
	{names: "grub-editenv", why: "shows what the boot loader remembers", forms: []form{{lines: "list\n - list"}}},
	{names: "grub-probe", why: "describes where a file lies", forms: []form{{flags: "dv", values: "t", long: "device verbose", longVal: "target", min: 1, max: 1, operand: meta}}},
	{names: "dkms", script: true, why: "shows kernel modules built here; reads each module's dkms.conf as a script", forms: []form{{values: "mvk", lines: "status\n status *"}}},
	{names: "lsinitcpio", script: true, why: "lists an initial RAM disk", forms: []form{{flags: "alnv", long: "analyze list config", max: 1, operand: image}}},
	{names: "mkinitcpio", script: true, why: "lists hooks", forms: []form{{flags: "LM", values: "H", long: "listhooks automods", longVal: "hookhelp", need: "L,M,H,listhooks,automods,hookhelp"}}},
	{names: "sysctl", why: "shows kernel settings", forms: []form{{
		flags: "anNeqr", long: "all values names ignore deprecated", longVal: "pattern", max: many, operand: name, check: noOperandWith("=/"),
	}}},
	{names: "dmesg", why: "shows kernel messages", forms: []form{{
		flags: "dHkLPrSTtuxeJ", values: "fls", attached: "L", long: "human kernel ctime notime nopager decode raw reltime show-delta userspace json force-prefix",
		longVal: "level facility time-format since until buffer-size", longOpt: "color",
	}}},
	{names: "rfkill", why: "shows radio switches", forms: []form{{
		flags: "nJr", values: "o", long: "json noheadings raw output-all", longVal: "output", lines: ".\n list\n list *\n list * *",
	}}},
	{names: "ras-mc-ctl", script: true, why: "shows memory errors", forms: []form{{long: "summary errors error-count status layout mainboard"}}},
	{names: "i2cdetect", why: "lists buses", forms: []form{{flags: "l", need: "l"}}},
	{names: "cpuid", why: "shows the processor", forms: []form{{flags: "1r"}}},
	{names: "getent", why: "looks up a system database", forms: []form{{
		flags: "i", lines: "passwd|group|services|protocols|rpc|ethers|aliases|netgroup|initgroups **\n hosts|ahosts|ahostsv4|ahostsv6|networks",
	}, {
		flags: "i", reaches: named, lines: "hosts|ahosts|ahostsv4|ahostsv6|networks &&",
	}}},
}

const systemdLong = "user system all full no-pager no-legend plain quiet no-ask-password recursive utc local"

// systemdPrograms are the read-only subcommands of the systemd tools, without options for another machine, an
// image or a file (-H -M --root --image --output).
var systemdPrograms = []program{
	{names: "systemctl", separates: true, why: "shows units", forms: []form{{
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
			statistics
			show-server-state
			show-cache
			dns|domain|default-route|llmnr|mdns|dnsovertls|dnssec|nta
			dns|domain|default-route|llmnr|mdns|dnsovertls|dnssec|nta *`,
	}, {
		flags: "46", values: "itp", long: systemdLong, longVal: "interface type protocol cache legend validate synthesize cname search network",
		kinds:   "i=plain interface=plain p=plain protocol=plain cache=plain legend=plain validate=plain synthesize=plain cname=plain search=plain network=plain t=" + questionTypes + " type=" + questionTypes,
		reaches: named, lines: "query &\n query & &",
	}}},
	{names: "networkctl", why: "shows links", forms: []form{{
		flags: "als", values: "n", long: systemdLong + " stats", longVal: "lines json", kinds: "n=number", lines: ".\n list **\n status **\n lldp **\n label",
	}}},
	{names: "bootctl", why: "shows the boot loader", forms: []form{{
		flags: "pxqR", long: systemdLong + " print-esp-path print-boot-path print-root-device print-loader-path print-stub-path", longVal: "json", lines: ".\n status\n list\n is-installed\n kernel-identify|kernel-inspect @",
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
			condition *
			image-policy *
			fdstore **
			architectures **
			compare-versions * *
			compare-versions * * *
			has-tpm2
			pcrs`, check: noPaths,
	}, {
		long: "no-pager user system", longVal: "man recursive-errors", lines: "verify **", check: unitFiles,
	}, {
		long: "no-pager user system tldr", lines: "cat-config **", check: systemdSettings,
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
		lines: ".\n list\n tree", check: noEnvironmentProperty,
	}, {
		flags: "lq", long: systemdLong + " list verbose", longVal: "json limit timeout", reaches: local,
		lines: "status *\n tree **\n introspect * *\n introspect * * *\n get-property * * * **", check: noEnvironmentProperty,
	}}},
	{names: "machinectl", why: "lists machines", forms: []form{{flags: "alq", values: "pno", long: systemdLong, lines: ".\n list\n list-images\n status|show|image-status *"}}},
	{names: "portablectl", why: "lists portable services", forms: []form{{flags: "q", long: "no-pager no-legend", lines: ".\n list\n inspect *\n is-attached *"}}},
	{names: "oomctl", why: "shows what is watched for lack of memory", forms: []form{{long: "no-pager", lines: ".\n dump"}}},
	{names: "userdbctl", why: "lists accounts", forms: []form{{long: "no-pager no-legend", lines: ".\n user|group|users-in-group|groups-of-user **\n groups\n services"}}},
	{names: "homectl", why: "lists homes", forms: []form{{long: "no-pager no-legend", lines: ".\n list\n inspect **"}}},
	{names: "systemd-sysext systemd-confext", why: "lists extensions", forms: []form{{long: "no-pager no-legend", longVal: "json", lines: ".\n status\n list"}}},
	{names: "systemd-hwdb", why: "looks up devices", forms: []form{{lines: "query *"}}},
	{names: "systemd-ac-power", why: "tells whether the machine is on the mains", forms: []form{{flags: "v", long: "verbose low"}}},
	{names: "systemd-notify", why: "tells whether the machine was booted by systemd", forms: []form{{long: "booted", need: "booted"}}},
	{names: "systemd-resolve", why: "shows name resolution", forms: []form{{long: "status statistics no-pager", need: "status,statistics"}, {flags: "46", values: "t", longVal: "type", kinds: "t=" + questionTypes + " type=" + questionTypes, min: 1, max: many, operand: host, reaches: named}}},
	{names: "systemd-cryptenroll", why: "lists devices that can hold keys", forms: []form{{
		longVal: "tpm2-device fido2-device pkcs11-token-uri", kinds: "tpm2-device=only:list fido2-device=only:list pkcs11-token-uri=only:list", need: "tpm2-device,fido2-device,pkcs11-token-uri",
	}}},
	{names: "udevadm", why: "shows devices", forms: []form{{
		flags: "axrtlV", values: "npqP", long: "attribute-walk export export-db root tree no-pager value", longVal: "query name path property json export-prefix device-id-of-file",
		kinds: "n=meta name=meta p=meta path=meta", lines: "info **\n verify",
	}}},
	{names: "systemd-detect-virt", why: "tells what machine this is", forms: []form{{flags: "cvrq", long: "container vm chroot private-users list quiet cvm list-cvm"}}},
	{names: "systemd-path systemd-escape", why: "prints a path or an escaped name", forms: []form{{flags: "pumi", long: "path unescape mangle", longVal: "suffix template", max: many, operand: name}}},
	{names: "systemd-id128", why: "prints identifiers", forms: []form{{flags: "pu", lines: "machine-id\n boot-id\n invocation-id\n show **"}}},
	{names: "systemd-delta", why: "shows overridden settings", forms: []form{{values: "t", long: "no-pager", longVal: "type diff", max: many, operand: name, check: noOperandWith("/")}}},
	{names: "systemd-tmpfiles systemd-sysusers", why: "prints settings", forms: []form{{long: "cat-config no-pager tldr", need: "cat-config,tldr"}}},
	{names: "systemd-mount", why: "lists block devices", forms: []form{{long: "list no-pager no-legend full", need: "list"}}},
}

// journalSecrets refuses fields of the journal that contain environments.
func journalSecrets(in *invocation, p *parsed) *refusal {
	for _, f := range p.operands {
		if word, ok := f.val.lit(); ok && len(word) > 0 && word[0] == '/' && !in.s.canList(f) {
			return deny("secret-file", word, 1)
		}
	}
	return noEnvironment(in, &parsed{given: p.given})
}

// identities are the programs that show who uses the system.
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
	{names: "at", why: "lists timed commands", forms: []form{{flags: "l", need: "l"}}},
	{names: "groupmems", why: "lists members of a group", forms: []form{{flags: "l", values: "g", long: "list", longVal: "group", need: "l,list"}}},
	{names: "visudo", why: "checks sudo's settings", forms: []form{{flags: "cqs", long: "check quiet strict", need: "c,check"}}},
	{names: "useradd", why: "shows defaults", forms: []form{{flags: "D", long: "defaults", need: "D,defaults"}}},
	{names: "pwck grpck", why: "checks accounts without mending them", forms: []form{{flags: "rq", long: "read-only quiet", need: "r,read-only"}}},
	{names: "getsebool", why: "shows access control", forms: []form{{flags: "a", max: 1, operand: name}}},
	{names: "auditctl", why: "shows the audit system", forms: []form{{flags: "sl", need: "s,l"}}},
	{names: "stty", why: "shows the terminal", forms: []form{{flags: "ag", long: "all save", need: "a,g,all,save"}, {lines: ".\n size\n speed"}}},
	{names: "tput", why: "prints what the terminal is able to do", forms: []form{{
		values: "T", kinds: "T=plain", lines: "cols|lines|colors|longname|bold|sgr0|smul|rmul|rev|dim|smso|rmso|sitm|ritm\n setaf|setab *",
	}}},
	{names: "mesg", why: "tells whether messages are accepted; an operand would set it", forms: []form{{}}},
	{names: "crontab", why: "lists timed commands", forms: []form{{flags: "l", need: "l"}}},
	{names: "atq", why: "lists timed commands", forms: []form{{flags: "V", values: "q"}}},
	{names: "ssh-add", why: "lists keys of the agent by fingerprint", forms: []form{{flags: "l", need: "l"}}},
	// MANOPT, which is set for every command, selects only the system's pages and no configuration file:
	// another page or setting could start a program.
	{names: "man", why: "finds and shows the system's manual pages, without a pager", forms: []form{
		{flags: "a", long: "all", min: 1, max: 3, operand: plain},
		{flags: "kfwaK", long: "apropos whatis where path all", need: "k,f,w,apropos,whatis,where,path", max: many, operand: text, check: noOperandWith("/")},
	}},
	{names: "whatis apropos", why: "finds manual pages", forms: []form{{flags: "ewlaor", long: "exact wildcard long and regex", values: "s", min: 1, max: many, operand: text}}},
	{names: "lsb_release", script: true, why: "shows the distribution", forms: []form{{flags: "aidrcsv", long: "all id description release codename short version"}}},
	{names: "fastfetch", why: "summarises the system", forms: []form{{
		values: "ls", longVal: "logo structure format color", kinds: "l=only:none|arch|small|arch_small logo=only:none|arch|small|arch_small format=only:json|default", long: "pipe",
	}}},
	{names: "sestatus aa-status", script: true, why: "shows access control", forms: []form{{flags: "v"}}},
	{names: "arch-audit", why: "lists known vulnerabilities", forms: []form{{reaches: "security.archlinux.org", flags: "urq", long: "upgradable recursive quiet"}}},
}
