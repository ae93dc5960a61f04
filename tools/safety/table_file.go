package safety

// grepForm is grep PATTERN FILE…; the operands of a recursive search are its directories.
var grepForm = form{
	flags: "abcEFGhHiIlLnoPqrRsTUvVwxyzZ0123456789", values: "ABCefmD", kinds: "f=read file=read exclude-from=read D=only:skip",
	long: "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case word-regexp line-regexp null-data no-messages invert-match byte-offset " +
		"line-number line-buffered with-filename no-filename only-matching quiet silent text recursive dereference-recursive files-without-match files-with-matches " +
		"count initial-tab null",
	longVal: "regexp file max-count label binary-files include exclude exclude-dir exclude-from after-context before-context context", longOpt: "color colour",
	max: many, operand: text, check: grepOperands,
}

// filters are programs that search and transform text.
var filters = []program{
	{names: "grep", onlyReads: true, why: "searches text", forms: []form{grepForm}},
	{names: "egrep fgrep", script: true, onlyReads: true, why: "searches text", forms: []form{passesTo("grep", grepForm)}},
	{names: "zgrep zegrep zfgrep bzgrep xzgrep zstdgrep", script: true, why: "searches compressed text", forms: []form{passesTo("grep", literalOnly(grepForm))}},
	{names: "rg", why: "searches text", forms: []form{{
		flags: "acFhHiIlLnNopPqsSuUvwx0.", values: "ABCefgmMtTEjdr", kinds: "f=read",
		long: "count count-matches case-sensitive ignore-case smart-case files files-with-matches files-without-match fixed-strings heading no-heading hidden no-hidden no-ignore " +
			"invert-match line-number no-line-number no-messages multiline null only-matching quiet stats text trim type-list vimgrep word-regexp line-regexp with-filename " +
			"no-filename json no-config pcre2 one-file-system follow column passthru",
		longVal: "after-context before-context context regexp glob iglob max-count max-depth max-columns type type-not encoding threads sort sortr color colors replace max-filesize",
		max:     many, operand: text, check: ripgrepOperands,
	}}},
	{names: "awk gawk mawk nawk", why: "reshapes text with a proven program", forms: []form{{
		values: "Fv", long: "csv", longVal: "field-separator assign", min: 1, max: many, operand: text, posix: true, check: awkProgram,
	}}},
	{names: "sed gsed", why: "edits text with a proven script", forms: []form{{
		flags: "nErsuz", values: "e", long: "quiet silent regexp-extended separate unbuffered null-data posix sandbox debug", longVal: "expression",
		max: many, operand: text, check: sedScript,
	}}},
	{names: "jq gojq jaq", why: "reshapes JSON with a proven filter", forms: []form{{
		prepare: jqVariables, flags: "cnrRsSaeCMj", long: "compact-output null-input raw-output raw-input slurp sort-keys ascii-output exit-status color-output monochrome-output tab join-output unbuffered seq raw-output0",
		longVal: "indent", kinds: "indent=number", max: many, operand: text, check: jqFilter,
	}}},
	{names: "yq tomlq xq", script: true, why: "reshapes YAML with a simple path", forms: []form{{
		hands: "jq",
		flags: "rcneCMjPN", long: "raw-output compact-output no-colors colors prettyPrint no-doc", longVal: "output-format input-format indent", max: many, operand: text, check: simplePath,
		values: "op",
	}}},
	{names: "column", onlyReads: true, why: "lines up columns", forms: []form{{
		flags: "tJxdeL", values: "csonNHORTWEl", long: "table json fillrows table-noheadings keep-empty-lines table-noextreme",
		longVal: "separator output-separator columns output-width table-name table-columns table-right table-hide table-order table-truncate table-wrap table-columns-limit",
		max:     many, operand: read,
	}}},
	{names: "xxd", why: "dumps a file in hexadecimal; a second operand would be written", forms: []form{{flags: "abeEipuCd", values: "cgolsnR", kinds: "R=name", max: 1, operand: read}, {
		flags: "bpu", values: "cgl", kinds: "l=amount", need: "l", min: 1, max: 1, operand: choice, only: endless,
	}}},
	{names: "hexdump hd", onlyReads: true, why: "dumps files", forms: []form{{
		flags: "bcCdovxX", values: "ensL", long: "canonical one-byte-octal two-bytes-decimal no-squeezing", longVal: "length skip format", max: many, operand: read,
	}}},
	{names: "strings", why: "prints text in a file", response: true, forms: []form{{
		flags: "afdw", values: "nteTs", long: "all print-file-name data", longVal: "bytes radix encoding", max: many, operand: read,
	}}},
	{names: "nm readelf size", why: "describes a program file", response: true, forms: []form{{
		flags: "aACDghlnprSsuvVWdeIt", long: "demangle dynamic defined-only undefined-only extern-only file-header headers segments sections symbols relocs notes wide all dyn-syms " +
			"program-headers section-headers section-details version-info arch-specific histogram print-size size-sort numeric-sort no-sort reverse-sort", min: 1, max: many, operand: read,
	}}},
	{names: "objdump", why: "describes or disassembles a program file, without the sources it names", response: true, forms: []form{{
		flags: "aCdDefFghilprRstTwxz", values: "jmM", long: "archive-headers file-headers private-headers all-headers section-headers headers disassemble disassemble-all full-contents " +
			"demangle dynamic-syms dynamic-reloc reloc syms info wide no-show-raw-insn line-numbers", longVal: "section architecture disassembler-options start-address stop-address",
		min: 1, max: many, operand: read,
	}, {flags: "iHv", long: "info help version", need: "i,H,v,info,help,version"}}},
	{names: "ar", why: "lists an archive of objects", response: true, forms: []form{
		{verb: "t tv tvO tO", min: 1, max: many, operand: meta},
		{flags: "tvO", need: "t", min: 1, max: many, operand: meta},
	}},
	{names: "addr2line", why: "names the source of an address", response: true, forms: []form{{
		flags: "afipsC", values: "ej", kinds: "e=read exe=read", long: "addresses functions inlines pretty-print basenames demangle", longVal: "exe section", max: many, operand: number,
	}, {flags: "afipsC", values: "ej", kinds: "e=read exe=read", long: "addresses functions inlines pretty-print basenames demangle", longVal: "exe section", max: many, operand: name}}},
	{names: "c++filt", why: "reads names of C++", response: true, forms: []form{{flags: "_nip", long: "no-verbose no-params types", max: many, operand: text}}},
	{names: "patchelf", why: "describes a program file", forms: []form{{
		long: "print-interpreter print-rpath print-needed print-soname print-os-abi print-execstack",
		need: "print-interpreter,print-rpath,print-needed,print-soname,print-os-abi,print-execstack", min: 1, max: many, operand: meta,
	}}},
	{names: "chrpath", why: "describes a program file", forms: []form{{flags: "l", long: "list", need: "l,list", min: 1, max: many, operand: meta}}},
	{names: "lddtree", script: true, why: "lists the libraries of a program without running it", forms: []form{{hands: "scanelf", flags: "al", long: "all list", min: 1, max: many, operand: meta}}},
	{names: "pdfinfo pdffonts", why: "describes a file", forms: []form{{values: "fl", min: 1, max: 1, operand: meta}}},
	{names: "pdfimages", why: "lists the pictures of a file", forms: []form{{single: "list", values: "fl", need: "list", min: 1, max: 1, operand: meta}}},
	{names: "pdftotext", why: "prints the text of a file, when the second operand is -", forms: []form{{
		single: "layout raw nopgbrk", values: "flrxyWH", min: 2, max: 2, operand: read, check: secondIsOutput,
	}}},
	{names: "mediainfo", why: "describes a file", forms: []form{{flags: "f", long: "Full", longVal: "Output", kinds: "Output=only:JSON|XML|HTML|Text", min: 1, max: many, operand: meta, check: localFile}}},
	{names: "ffmpeg", why: "lists what it is able to do", forms: []form{{
		single: "version encoders decoders codecs formats muxers demuxers filters hwaccels pix_fmts protocols bsfs devices layouts sample_fmts buildconf hide_banner",
		need:   "version,encoders,decoders,codecs,formats,muxers,demuxers,filters,hwaccels,pix_fmts,protocols,bsfs,devices,layouts,sample_fmts,buildconf",
	}}},
	{names: "xmllint", why: "checks and prints XML", forms: []form{{
		long: "format noout nonet html recover huge noblanks pretty", longVal: "xpath encode", kinds: "encode=plain", max: many, operand: read,
	}}},
	{names: "uchardet", why: "guesses an encoding", forms: []form{{min: 1, max: many, operand: meta}}},
	{names: "desktop-file-validate", why: "checks desktop entries", forms: []form{{long: "no-hints no-warn-deprecated warn-kde", min: 1, max: many, operand: read}}},
	{names: "edid-decode", why: "describes a screen; a second operand would be written", forms: []form{{long: "check short-timings long-timings", min: 1, max: 1, operand: read}}},
	{names: "infocmp toe", why: "describes terminals", forms: []form{{flags: "1CILxdcnash", max: 2, operand: plain}}},
	{names: "dircolors", why: "prints colours for ls", forms: []form{{flags: "bcp", long: "print-database print-ls-colors sh csh bourne-shell c-shell", max: 1, operand: read}}},
	{names: "fincore", why: "shows what of a file is in memory", forms: []form{{flags: "bJnr", values: "o", long: "bytes json noheadings raw", longVal: "output", min: 1, max: many, operand: meta}}},
	{names: "findfs", why: "finds a file system by its label", forms: []form{{min: 1, max: 1, operand: name}}},
	{names: "utmpdump", why: "prints logins", forms: []form{{max: 1, operand: read}}},
	{names: "look", why: "looks up words", forms: []form{{flags: "dfa", min: 1, max: 1, operand: text}}},
	{names: "iconv", why: "converts text", forms: []form{{flags: "cls", values: "ft", long: "list", longVal: "from-code to-code", max: many, operand: read}}},
	{names: "bat batcat", why: "prints files", forms: []form{{
		flags: "pnAPu", values: "lHr", long: "plain number show-all no-pager", longVal: "style paging color language line-range highlight-line theme tabs wrap terminal-width decorations",
		kinds: "paging=only:never|auto", min: 1, max: many, operand: read,
	}}},
}

// files are programs that find and describe files.
var files = []program{
	{names: "find", why: "finds files, without acting on them", forms: []form{{prepare: asOperands, max: many, operand: text, check: findExpression}}},
	{names: "fd fdfind", why: "finds files, without acting on them", forms: []form{{
		flags: "HIuisagLplF1", values: "edtESco", long: "hidden no-ignore unrestricted ignore-case case-sensitive glob absolute-path follow full-path list-details fixed-strings print0 one-file-system no-follow",
		longVal: "extension max-depth min-depth exact-depth type exclude size color owner changed-within changed-before max-results threads", max: many, operand: meta,
	}}},
	{names: "file", why: "tells the type of files", forms: []form{{
		flags: "bhikLNrE0", values: "F", long: "brief dereference no-dereference mime mime-type mime-encoding keep-going no-pad raw extension", longVal: "separator", min: 1, max: many, operand: meta,
	}}},
	{names: "tree", why: "draws directories", forms: []form{{
		flags: "adfilpqsughDFvtcUrNnCASXJQx", values: "LPIT", long: "du si prune dirsfirst filesfirst noreport inodes device matchdirs ignore-case metafirst gitignore nolinks",
		longVal: "filelimit timefmt sort charset", max: many, operand: meta,
	}}},
	{names: "eza exa lsd", onlyReads: true, why: "lists file names", forms: []form{{
		flags: "aAlhrRtTsFG1dgimnSuUx@bB", values: "L", long: "all long tree header git git-ignore group-directories-first only-dirs only-files reverse recurse bytes binary group inode links no-permissions no-user no-time total-size",
		longVal: "level depth sort time time-style color icons ignore-glob", max: many, operand: meta,
	}}},
	{names: "locate plocate mlocate", why: "finds files by name", forms: []form{{
		flags: "AbceiNrw0", values: "ln", long: "all basename count existing ignore-case literal null wholename regex ignore-spaces", longVal: "limit regexp", min: 1, max: many, operand: text,
	}}},
	{names: "xdg-user-dir", script: true, why: "prints a directory; its script evaluates the operand", forms: []form{{max: 1, only: "DESKTOP DOWNLOAD TEMPLATES PUBLICSHARE DOCUMENTS MUSIC PICTURES VIDEOS", operand: choice}}},
}

// archives are programs that list archives or print compressed text.
var archives = []program{
	{names: "tar", why: "lists an archive", forms: []form{{
		prepare: tarOptions, flags: "tvzjJaZ", values: "fC", kinds: "f=read file=read C=meta directory=meta",
		long: "list verbose gzip bzip2 xz zstd lzip auto-compress full-time utc wildcards numeric-owner totals force-local", longVal: "file directory exclude strip-components occurrence",
		need: "t,list", max: many, operand: text, check: localArchive,
	}}},
	{names: "bsdtar", why: "lists an archive, or prints a file of a cached package", forms: []form{{
		prepare: tarOptions, flags: "tvzjJaZ", values: "fC", kinds: "f=read file=read C=meta directory=meta",
		long: "list verbose gzip bzip2 xz zstd lzip auto-compress full-time utc wildcards numeric-owner totals force-local", longVal: "file directory exclude strip-components occurrence",
		need: "t,list", max: many, operand: text, check: localArchive,
	}, {
		flags: "xOq", values: "f", kinds: "f=read", need: "x O f", min: 1, max: 1, operand: text, check: cachedMember,
	}}},
	{names: "unzip", why: "lists an archive or prints a member of it", forms: []form{
		{flags: "lvqtZ1zh", need: "l,v,t,Z,z", min: 1, max: many, operand: text, first: read},
		{flags: "pcq", need: "p,c", min: 2, max: many, operand: text, first: read, check: plainMembers},
	}},
	{names: "zipinfo", why: "lists an archive", forms: []form{{flags: "12lmsvhMtTzZ", min: 1, max: many, operand: text, first: read}}},
	{names: "7z 7za 7zr", script: true, why: "lists an archive", response: true, forms: []form{{hands: "7zip", single: "slt ba", lines: "l|t|i @\n i"}}},
	{names: "unrar rar", why: "lists an archive", response: true, forms: []form{{lines: "l|v|t|lt|lb|vt|vb @"}}},
	{names: "lsar", why: "lists an archive", forms: []form{{flags: "lLj", min: 1, max: many, operand: read}}},
	{names: "zcat bzcat xzcat lzcat zstdcat lz4cat", script: true, why: "prints compressed files", forms: []form{{hands: "gzip", flags: "fqv", max: many, operand: read}}},
	{names: "gzip gunzip", script: true, why: "lists compressed files, or prints what is in them", forms: []form{
		{hands: "gzip", flags: "ltvN", long: "list test verbose", need: "l,t,list,test", min: 1, max: many, operand: read},
		{hands: "gzip", flags: "cdkqvn123456789", long: "stdout to-stdout decompress uncompress keep quiet verbose no-name", need: "c,stdout,to-stdout", max: many, operand: read},
	}},
	{names: "xz unxz bzip2 bunzip2", why: "lists or tests compressed files, or prints what is in them", forms: []form{
		{flags: "ltvq", long: "list test verbose robot", need: "l,t,list,test", min: 1, max: many, operand: read},
		{flags: "cdkqv", long: "stdout to-stdout decompress keep quiet verbose", need: "c,stdout,to-stdout", max: many, operand: read},
	}},
	{names: "zstd unzstd", why: "lists or tests compressed files, or prints what is in them", forms: []form{
		{flags: "ltvq", long: "list test verbose quiet", need: "l,t,list,test", min: 1, max: many, operand: read},
		{flags: "cdkqv", long: "stdout decompress uncompress keep quiet verbose", need: "c,stdout", max: many, operand: read},
	}},
	{names: "cpio", why: "lists an archive from its input", forms: []form{{flags: "itv", long: "list verbose extract", need: "t,list", max: many, operand: text}}},
	{names: "zdiff zcmp xzdiff bzdiff", script: true, why: "compares compressed files", forms: []form{literalOnly(form{hands: "diff", flags: "uwbiBqs", min: 2, max: 2, operand: read})}},
}

// containers are the read-only subcommands of container and machine tools.
var containers = []program{
	{names: "docker podman", why: "shows containers and images", forms: []form{{
		flags: "aqsnlv", values: "f", long: "all quiet no-trunc size digests latest no-stream tree noheading verbose",
		longVal: "format filter last since until sort", check: noEnvironmentFormat,
		lines: `
			ps
			images
			images *
			version
			info
			container|pod ls|list|ps
			image ls|list
			network|volume|context|node|service|stack ls|list
			network inspect *
			port|top|diff *
			port * *
			system df
			system info
			compose ls|ps|images|version
			container port|top|diff *
			buildx|plugin ls
			buildx version`,
	}, {
		flags: "sl", values: "f", long: "size latest no-trunc", longVal: "format", check: listedFields,
		lines: "inspect **\n container|image|volume inspect **\n history *\n image history *",
	}, {
		long: "no-trunc", longVal: "format filter limit", check: noEnvironmentFormat, lines: "search *", reaches: "index.docker.io",
	}, {
		flags: "a", long: "all no-stream no-trunc", longVal: "format", need: "no-stream", lines: "stats **\n container stats **", check: noEnvironmentFormat,
	}, {
		flags: "t", values: "n", long: "timestamps details names", longVal: "tail since until", lines: "logs *\n container logs *\n compose logs **",
	}}},
	{names: "docker-compose podman-compose", script: true, why: "shows containers", forms: []form{{flags: "aq", long: "all quiet", lines: "ps **\n images **\n ls\n version\n top **"}}},
	{names: "distrobox toolbox", script: true, why: "lists containers", forms: []form{{flags: "c", long: "no-color", lines: "list|ls"}}},
	{names: "distrobox-list", script: true, why: "lists containers", forms: []form{{long: "no-color"}}},
	{names: "buildah", why: "shows containers", forms: []form{{flags: "aq", long: "all quiet json noheading", lines: "images|containers|info|version"}}},
	{names: "kubectl", why: "shows a cluster, never its secrets", forms: []form{
		{
			flags: "A", values: "nol", long: "all-namespaces no-headers show-labels client short", longVal: "namespace output selector field-selector sort-by context", check: noClusterEnvironment,
			lines: "get|describe|explain **\n top pod|pods|node|nodes **\n version\n cluster-info\n api-resources\n api-versions\n config current-context|get-contexts|get-clusters\n rollout history|status **",
		},
		{values: "nc", long: "timestamps all-containers previous prefix", longVal: "namespace tail since container context", lines: "logs *\n logs * *"},
	}},
	{names: "helm", why: "lists releases", forms: []form{{flags: "Aa", values: "n", long: "all-namespaces all", longVal: "namespace", lines: "list|ls\n history *\n version\n repo list"}}},
	{names: "waydroid", script: true, why: "shows a container", forms: []form{{lines: "status\n app list"}}},
	{names: "virt-host-validate", why: "checks what virtual machines need", forms: []form{{lines: ".\n qemu|lxc"}}},
	{names: "qemu-img", why: "describes a disk image", forms: []form{{flags: "U", long: "force-share", longVal: "output", lines: "info @", check: localFile}}},
	{names: "tmux", why: "lists sessions", forms: []form{{flags: "aV", values: "t", lines: "ls|list-sessions|lsw|list-windows|lsp|list-panes|lsc|list-clients"}, {flags: "V", need: "V"}}},
	{names: "zellij", why: "lists sessions", forms: []form{{flags: "ns", long: "no-formatting short", lines: "ls|list-sessions"}, {flags: "V", need: "V"}}},
	{names: "screen", why: "lists sessions", forms: []form{{single: "ls list v", need: "ls,list,v"}}},
	{names: "lxc incus", why: "lists containers", forms: []form{{lines: "list|ls **\n info **\n version\n image list **\n storage list\n network list"}}},
	{names: "virsh", why: "lists machines", forms: []form{{
		flags: "qr", values: "c", kinds: "c=only:qemu:///system|qemu:///session", long: "all readonly inactive name title details",
		lines: "list\n dominfo|domstate|domblklist|domiflist|domifaddr|vcpuinfo|dommemstat|domstats|dumpxml *\n net-list\n net-info|net-dumpxml|net-dhcp-leases *\n pool-list\n pool-info|pool-dumpxml *\n capabilities\n vol-list *\n nodeinfo\n version\n hostname\n snapshot-list *",
	}}},
	{names: "VBoxManage vboxmanage", script: true, why: "lists machines", forms: []form{{long: "long sorted", lines: "list *\n showvminfo *"}}},
	{names: "ollama", why: "lists models", forms: []form{{reaches: local, lines: "list|ls\n ps\n show *"}}},
}

// versionOnly are programs of which only --version, --help and the short forms of --version are accepted.
var versionOnly = []program{
	{names: "python python3 wget rsync htop ncdu nmap psql mysql powertop", why: "tells its version", forms: []form{{flags: "V", need: "V"}}},
	{names: "pip pip3", script: true, why: "lists packages of Python", forms: []form{
		{flags: "V", need: "V"},
		{flags: "oueflv", long: "outdated uptodate editable local user not-required files all", longVal: "format exclude", lines: "list\n freeze\n check\n show **"},
	}},
	{names: "node nodejs deno bun npm ruby php perl lua luajit", script: true, why: "tells its version", forms: []form{{flags: "v", need: "v"}}},
	{names: "java javac", why: "tells its version", forms: []form{{single: "version", need: "version"}}},
	{names: "openssl", why: "tells its version, or what a certificate says of itself", forms: []form{
		{flags: "a", lines: "version"},
		{
			verb: "x509", single: "noout enddate startdate dates subject issuer serial fingerprint", singVal: "in checkend",
			kinds: "in=meta checkend=number", need: "noout in", check: certificateFile,
		},
	}},
	{names: "gcc g++ clang cc", why: "tells its version", forms: []form{{
		single: "dumpversion dumpfullversion dumpmachine v print-search-dirs", need: "dumpversion,dumpfullversion,dumpmachine,v,print-search-dirs",
	}}},
	{names: "nginx apachectl httpd", script: true, why: "tells its version", forms: []form{{flags: "vV", need: "v,V"}}},
	{names: "rclone restic gh", why: "tells its version", forms: []form{{lines: "version"}}},
	{names: "i3", why: "tells its version or its socket", forms: []form{{flags: "v", need: "v"}, {long: "get-socketpath", need: "get-socketpath"}}},
	{names: "fcitx5", why: "tells its version", forms: []form{{flags: "v", need: "v"}}},
	{names: "fc-cache atop", why: "tells its version", forms: []form{{flags: "V", need: "V"}}},
	{names: "make cmake ld gdb meson ninja", script: true, why: "tells its version", forms: []form{{long: "version", need: "version"}}},
	{names: "vim nvim nano emacs code codium kate gedit less more", script: true, why: "tells its version", forms: []form{{long: "version", need: "version"}}},
	{names: "chromium google-chrome google-chrome-stable brave microsoft-edge-stable vivaldi-stable", script: true, why: "tells its version", forms: []form{{long: "version", need: "version"}}},
	{names: "firefox thunderbird vlc mpv gimp krita blender inkscape obs", script: true, why: "tells its version", forms: []form{{long: "version", need: "version"}}},
	{names: "plasmashell kwin_wayland kwin_x11 gnome-shell mutter xfce4-session sway kwriteconfig6 pipewire wireplumber pulseaudio", script: true, why: "tells its version", forms: []form{{long: "version", need: "version"}}},
	{names: "wine lutris flameshot conky alacritty kitty foot konsole gnome-terminal dunst notify-send wl-paste", script: true, why: "tells its version", forms: []form{{long: "version", need: "version"}}},
	{names: "grub-install grub-mkconfig cupsd NetworkManager iwd bluetoothd mpd", script: true, why: "tells its version", forms: []form{{long: "version", need: "version"}}},
	{names: "btop nvtop turbostat makepkg namcap systemd-creds systemd-nspawn varlinkctl ldd gpg sqlite3 redis-cli syncthing borg yt-dlp aria2c nimf kime", script: true, why: "tells its version", forms: []form{{long: "version", need: "version"}}},
}
