package safety

// filters are programs that search and reshape text.
var filters = []program{
	{names: "grep egrep fgrep zgrep zegrep zfgrep bzgrep xzgrep zstdgrep", why: "searches text", forms: []form{{
		flags: "abcEFGhHiIlLnoPqrRsTUvVwxyzZ0123456789", values: "ABCefmD", kinds: "f=read file=read exclude-from=read D=only:skip",
		long: "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case word-regexp line-regexp null-data no-messages invert-match byte-offset " +
			"line-number line-buffered with-filename no-filename only-matching quiet silent text recursive dereference-recursive files-without-match files-with-matches " +
			"count initial-tab null",
		longVal: "regexp file max-count label binary-files include exclude exclude-dir exclude-from after-context before-context context", longOpt: "color colour",
		max: many, operand: text, check: grepOperands,
	}}},
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
		max: many, operand: text, prepare: sedExpressions, check: sedScript,
	}}},
	{names: "jq gojq jaq", why: "reshapes JSON with a proven filter", forms: []form{{
		flags: "cnrRsSaeCMj", long: "compact-output null-input raw-output raw-input slurp sort-keys ascii-output exit-status color-output monochrome-output tab join-output unbuffered seq raw-output0",
		longVal: "indent", kinds: "indent=number", max: many, operand: text, check: jqFilter,
	}}},
	{names: "yq tomlq xq", why: "reshapes YAML with a simple path", forms: []form{{
		flags: "rcnesCMjPN", long: "raw-output compact-output no-colors colors prettyPrint no-doc", longVal: "output-format input-format indent", max: many, operand: text, check: simplePath,
		values: "op",
	}}},
	{names: "column", why: "lines up columns", forms: []form{{
		flags: "tJxdeL", values: "csonNHORTWEl", long: "table json fillrows table-noheadings keep-empty-lines table-noextreme",
		longVal: "separator output-separator columns output-width table-name table-columns table-right table-hide table-order table-truncate table-wrap table-columns-limit",
		max:     many, operand: read,
	}}},
	{names: "xxd", why: "dumps a file in hexadecimal; a second operand would be written", forms: []form{{flags: "abeEipuCd", values: "cgolsnR", kinds: "R=name", max: 1, operand: read}}},
	{names: "hexdump hd", why: "dumps files", forms: []form{{
		flags: "bcCdovxX", values: "ensL", long: "canonical one-byte-octal two-bytes-decimal no-squeezing", longVal: "length skip format", max: many, operand: read,
	}}},
	{names: "strings", why: "prints text in a file", forms: []form{{
		flags: "afdw", values: "nteTs", long: "all print-file-name data", longVal: "bytes radix encoding", max: many, operand: read, check: noResponseFile,
	}}},
	{names: "nm readelf size", why: "describes a program file", forms: []form{{
		flags: "aACDghlnprSsuvVWdeIt", long: "demangle dynamic defined-only undefined-only extern-only file-header headers segments sections symbols relocs notes wide all", min: 1, max: many,
		operand: meta, check: noResponseFile,
	}}},
	{names: "pdfinfo mediainfo", why: "describes a file", forms: []form{{flags: "f", long: "Full", min: 1, max: many, operand: meta}}},
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
		flags: "bhikLNprE0", values: "F", long: "brief dereference no-dereference mime mime-type mime-encoding keep-going no-pad raw extension", longVal: "separator", min: 1, max: many, operand: meta,
	}}},
	{names: "tree", why: "draws directories", forms: []form{{
		flags: "adfilpqsughDFvtcUrNnCASXJQx", values: "LPIT", long: "du si prune dirsfirst filesfirst noreport inodes device matchdirs ignore-case metafirst gitignore nolinks",
		longVal: "filelimit timefmt sort charset", max: many, operand: meta,
	}}},
	{names: "eza exa lsd", why: "lists file names", forms: []form{{
		flags: "aAlhrRtTsFG1dgimnSuUx@bB", values: "L", long: "all long tree header git git-ignore group-directories-first only-dirs only-files reverse recurse bytes binary group inode links no-permissions no-user no-time total-size",
		longVal: "level sort time time-style color icons ignore-glob", max: many, operand: meta,
	}}},
	{names: "locate plocate mlocate", why: "finds files by name", forms: []form{{
		flags: "AbceiNrw0", values: "ln", long: "all basename count existing ignore-case literal null wholename regex ignore-spaces", longVal: "limit regexp", min: 1, max: many, operand: text,
	}}},
	{names: "xdg-user-dir", why: "prints a directory", forms: []form{{max: 1, operand: name}}},
}

// archives are programs that list archives or print compressed text.
var archives = []program{
	{names: "tar bsdtar", why: "lists an archive", forms: []form{{
		prepare: tarOptions, flags: "tvzjJaZ", values: "fC", kinds: "f=read file=read C=meta directory=meta",
		long: "list verbose gzip bzip2 xz zstd lzip auto-compress full-time utc wildcards numeric-owner totals force-local", longVal: "file directory exclude strip-components occurrence",
		need: "t,list f,file", max: many, operand: text, check: localArchive,
	}}},
	{names: "unzip", why: "lists an archive", forms: []form{{flags: "lvqtZ1zh", need: "l,v,t,Z,z", min: 1, max: many, operand: text, first: read}}},
	{names: "zipinfo", why: "lists an archive", forms: []form{{flags: "12lmsvhMtTzZ", min: 1, max: many, operand: text, first: read}}},
	{names: "7z 7za 7zr", why: "lists an archive", forms: []form{{single: "slt ba", lines: "l|t|i @\n i"}}},
	{names: "unrar rar", why: "lists an archive", forms: []form{{lines: "l|v|t|lt|lb|vt|vb @"}}},
	{names: "lsar", why: "lists an archive", forms: []form{{flags: "lLj", min: 1, max: many, operand: read}}},
	{names: "zcat bzcat xzcat lzcat zstdcat lz4cat", why: "prints compressed files", forms: []form{{flags: "fqv", max: many, operand: read}}},
	{names: "gzip", why: "lists compressed files", forms: []form{{flags: "ltvN", long: "list test verbose", need: "l,t,list,test", min: 1, max: many, operand: read}}},
	{names: "xz zstd bzip2", why: "lists or tests compressed files", forms: []form{{flags: "ltvq", long: "list test verbose robot", need: "l,t,list,test", min: 1, max: many, operand: read}}},
	{names: "zdiff zcmp xzdiff bzdiff", why: "compares compressed files", forms: []form{{flags: "uwbiBqs", min: 2, max: 2, operand: read}}},
}

// containers are the read verbs of container and machine tools.
var containers = []program{
	{names: "docker podman", why: "shows containers and images", forms: []form{{
		flags: "aqsnl", values: "f", long: "all quiet no-trunc size digests latest no-stream tree noheading",
		longVal: "format filter last since until sort", check: noEnvironmentFormat,
		lines: `
			ps
			images
			images *
			version
			info
			container|pod ls|list|ps
			image ls|list
			image history|inspect *
			network|volume|context|node|service|stack ls|list
			network|volume inspect *
			inspect *
			history *
			port|top|diff *
			port * *
			system df
			system info
			search *
			compose ls|ps|images|version
			container inspect|port|top|diff *
			healthcheck`,
	}, {
		flags: "a", long: "all no-stream no-trunc", longVal: "format", need: "no-stream", lines: "stats **\n container stats **", check: noEnvironmentFormat,
	}, {
		flags: "t", values: "n", long: "timestamps details names", longVal: "tail since until", lines: "logs *\n container logs *\n compose logs **",
	}}},
	{names: "docker-compose podman-compose", why: "shows containers", forms: []form{{flags: "aq", long: "all quiet", lines: "ps **\n images **\n ls\n version\n top **"}}},
	{names: "distrobox toolbox", why: "lists containers", forms: []form{{flags: "c", lines: "list|ls"}}},
	{names: "lxc incus", why: "lists containers", forms: []form{{lines: "list|ls **\n info **\n version\n image list **\n storage list\n network list"}}},
	{names: "virsh", why: "lists machines", forms: []form{{
		flags: "qr", values: "c", kinds: "c=only:qemu:///system|qemu:///session", long: "all readonly inactive name title details",
		lines: "list\n dominfo|domstate|domblklist|domiflist|vcpuinfo|dommemstat *\n net-list\n net-info *\n pool-list\n pool-info *\n vol-list *\n nodeinfo\n version\n hostname\n snapshot-list *",
	}}},
	{names: "VBoxManage vboxmanage", why: "lists machines", forms: []form{{long: "long sorted", lines: "list *\n showvminfo *"}}},
	{names: "ollama", why: "lists models", forms: []form{{lines: "list|ls\n ps\n show *"}}},
}

// versionOnly are programs of which only --version, --help and the short forms
// of --version are accepted.
var versionOnly = []program{
	{names: "python python3 pip pip3", why: "tells its version", forms: []form{{flags: "V", need: "V"}}},
	{names: "node nodejs deno bun ruby php perl lua luajit", why: "tells its version", forms: []form{{flags: "v", need: "v"}}},
	{names: "java javac", why: "tells its version", forms: []form{{single: "version", need: "version"}}},
	{names: "go openssl", why: "tells its version", forms: []form{{flags: "a", lines: "version"}}},
	{names: "gcc g++ clang cc make cmake rustc cargo rustup ld gdb meson ninja", why: "tells its version", forms: []form{{flags: "V", need: "V"}}},
	{names: "curl wget rsync", why: "tells its version", forms: []form{{flags: "V", need: "V"}}},
	{names: "vim nvim nano emacs code codium kate gedit", why: "tells its version", forms: []form{{long: "version", need: "version"}}},
	{names: "firefox thunderbird vlc mpv ffmpeg gimp krita blender inkscape obs", why: "tells its version", forms: []form{{long: "version", need: "version"}}},
	{names: "plasmashell kwin_wayland kwin_x11 gnome-shell mutter xfce4-session sway niri kwriteconfig6 pipewire wireplumber pulseaudio", why: "tells its version", forms: []form{{long: "version", need: "version"}}},
	{names: "wine lutris flameshot conky dunst alacritty kitty foot konsole gnome-terminal screen", why: "tells its version", forms: []form{{long: "version", need: "version"}}},
	{names: "grub-install grub-mkconfig cupsd NetworkManager iwd bluetoothd", why: "tells its version", forms: []form{{long: "version", need: "version"}}},
}
