package safety

import "strings"

const (
	queryFlags = "Qceilmnoqstudgkv"
	queryLong  = "query changelog deps explicit groups info check list foreign native owns quiet search unrequired upgrades verbose"
	syncFlags  = "Ssilgqv"
	syncLong   = "sync search info list groups quiet verbose"
)

// The servers of package tools, which the user's own configuration names.
const (
	packageServers = "archlinux.org"
	aurServer      = "aur.archlinux.org"
)

// helperForms are the query forms that all AUR helpers share with pacman: installed packages and packages of
// the AUR.
var helperForms = []form{
	{flags: strings.ReplaceAll(queryFlags, "u", ""), long: strings.ReplaceAll(queryLong, "upgrades ", ""), longVal: "color", need: "Q,query", max: many, operand: text},
	{flags: queryFlags + "a", long: queryLong + " aur repo", longVal: "color", need: "Q,query", max: many, operand: text, reaches: aurServer},
	{flags: syncFlags + "aN", long: syncLong + " aur repo topdown bottomup", longVal: "color sortby searchby limit", need: "S,sync s,i,l,g,search,info,list,groups", max: many, operand: text, reaches: aurServer},
	{flags: "Flxqv", long: "files list regex quiet", longVal: "color", need: "F,files", max: many, operand: text},
	{flags: "Tq", long: "deptest", need: "T,deptest", max: many, operand: text},
	{flags: "Vh", need: "V,h"},
}

// packages are the query forms of the package managers, without options for another root, database or
// configuration.
var packages = []program{
	{names: "pacman", why: "queries packages", forms: []form{
		{flags: queryFlags, long: queryLong, longVal: "color", need: "Q,query", max: many, operand: text},
		{flags: "Qpilqkc", long: "query file info list quiet", need: "Q,query p,file", min: 1, max: many, operand: meta, check: noOperandWith(":")},
		{flags: syncFlags, long: syncLong, longVal: "color", need: "S,sync s,i,l,g,search,info,list,groups", max: many, operand: text},
		{flags: "Flxqv", long: "files list regex quiet machinereadable", longVal: "color", need: "F,files", max: many, operand: text},
		{flags: "Spuqv", long: "sync print sysupgrade quiet", longVal: "print-format", need: "S,sync p,print", max: many, operand: text},
		{flags: "Rpsncuv", long: "remove print recursive nosave cascade unneeded", longVal: "print-format", need: "R,remove p,print", max: many, operand: text},
		{flags: "Up", long: "upgrade print", longVal: "print-format", need: "U,upgrade p,print", min: 1, max: many, operand: meta, check: noAddresses},
		{flags: "QSFRTDUh", long: "query sync files remove deptest database upgrade help", need: "h,help"},
		{flags: "Tq", long: "deptest quiet", need: "T,deptest", max: many, operand: text},
		{flags: "Dkq", long: "database check quiet", need: "D,database k,check"},
		{flags: "Vh", need: "V,h"},
	}},
	{names: "yay", why: "queries packages", forms: append([]form{
		{reaches: aurServer + " " + packageServers, flags: "Pswug", long: "show stats news upgrades", need: "P,show s,w,u,g,stats,news,upgrades"},
		{reaches: aurServer, flags: "Gp", long: "getpkgbuild print", need: "G,getpkgbuild p,print", min: 1, max: many, operand: text},
	}, helperForms...)},
	{names: "paru", why: "queries packages", forms: append([]form{
		{reaches: aurServer + " " + packageServers, flags: "Psw", long: "show stats news", need: "P,show s,w,stats,news"},
		{reaches: aurServer, flags: "Gpc", long: "getpkgbuild print comments", need: "G,getpkgbuild p,c,print,comments", min: 1, max: many, operand: text},
	}, helperForms...)},
	{names: "blunux-ai", why: "checks build recipes, what the next start needs, or what an upgrade would do", forms: []form{
		{reaches: aurServer, long: "json", lines: "aur check **"},
		{long: "json", lines: "boot"},
		{reaches: packageServers, long: "json brief offline", longVal: "without released", lines: "preview"},
	}},
	{names: "pikaur trizen", script: true, why: "queries packages", forms: scriptForms(helperForms)},
	{names: "pamac", why: "queries packages", forms: []form{{
		flags: "ieomgrfqa", long: "installed explicitly-installed orphans foreign groups repos files quiet aur no-aur", lines: "list **\n search **\n info **\n checkupdates",
	}}},
	{names: "paclist", script: true, why: "lists packages of a repository", forms: []form{{min: 1, max: 1, operand: bare}}},
	{names: "pacsearch", script: true, why: "searches packages", forms: []form{{flags: "nc", long: "nocolor color", max: many, operand: bare}}},
	{names: "pactree", why: "draws dependencies", forms: []form{{
		flags: "acglorsux", values: "d", long: "ascii color graph linear optional reverse sync unique", longVal: "depth", longOpt: "optional", max: 1, operand: text,
	}}},
	{names: "checkupdates", script: true, why: "lists updates from its own copy of the databases", forms: []form{{flags: "nc", long: "nosync nocolor change", reaches: packageServers}}},
	{names: "checkupdates-with-aur", script: true, why: "lists updates", forms: []form{{reaches: packageServers + " " + aurServer}}},
	{names: "paccheck", why: "checks packages", forms: []form{{
		long: "backup db-files depends files file-properties list-broken list-missing md5sum sha256sum noextract noupgrade opt-depends quiet recursive require-mtree", max: many, operand: text,
	}}},
	{names: "pacreport", why: "reports about packages", forms: []form{{long: "backups missing-files unowned-files optional-deps"}}},
	{names: "pacdiff", script: true, why: "lists configuration files to merge", forms: []form{{flags: "ofplc", long: "output find pacmandb locate nocolor", need: "o,output"}}},
	{names: "paccache", script: true, why: "shows what it would remove", forms: []form{{
		flags: "duvqz", values: "ki", long: "dryrun uninstalled verbose quiet nocolor", longVal: "keep ignore", need: "d,dryrun", kinds: "k=number keep=number i=label ignore=label",
	}}},
	{names: "pacsort", why: "sorts versions", forms: []form{{flags: "frz", values: "kt", max: many, operand: read}}},
	{names: "vercmp", why: "compares versions", forms: []form{{min: 2, max: 2, operand: text}}},
	{names: "pacman-conf", why: "shows settings", forms: []form{{flags: "lv", long: "repo-list verbose", values: "r", longVal: "repo", max: many, operand: name}}},
	{names: "pacman-key", script: true, why: "lists keys", forms: []form{{flags: "lf", long: "list-keys list-sigs finger", need: "l,f,list-keys,list-sigs,finger", max: many, operand: bare}}},
	{names: "pacman-mirrors", script: true, why: "shows mirrors", forms: []form{{reaches: packageServers, flags: "lsV", long: "country-list status", need: "l,s,V,country-list,status"}}},
	{names: "expac", why: "prints fields of packages", forms: []form{{
		flags: "QSsgpv1", values: "ldtH", long: "query sync search group file verbose readone", longVal: "delim listdelim timefmt humansize", min: 1, max: many, operand: text,
	}}},
	{names: "pkgfile", why: "finds packages by file", forms: []form{{
		flags: "slirgvbwdq", values: "R", long: "search list ignorecase regex glob verbose binaries raw directories quiet", longVal: "repo", min: 1, max: many, operand: text,
	}}},
	{names: "reflector", script: true, why: "lists mirrors without saving them", response: true, forms: []form{{
		reaches: packageServers, values: "acflnipx", long: "list-countries ipv4 ipv6 isos verbose info", longVal: "age country fastest latest number include exclude protocol score sort completion-percent delay threads " +
			"connection-timeout download-timeout cache-timeout", kinds: "c=label country=label",
	}}},
	{names: "rankmirrors", script: true, why: "ranks mirrors", forms: []form{{reaches: packageServers, flags: "vtw", values: "nmr", max: 1, only: "/etc/pacman.d/mirrorlist", operand: choice}}},
	{names: "flatpak", why: "lists applications", forms: []form{{
		flags: "adurmcslv", long: "user system all show-details app runtime updates show-ref show-commit show-metadata show-permissions show-size show-location " +
			"show-origin show-runtime show-sdk show-disabled list cached verbose",
		longVal: "columns arch app-runtime installation",
		lines:   "list\n info **\n remotes\n remote-ls **\n remote-info **\n search *\n history\n ps\n permissions\n permissions **\n permission-show *\n document-list\n config",
	}, {long: "installations supported-arches default-arch gl-drivers", need: "installations,supported-arches,default-arch,gl-drivers"}}},
	{names: "snap", why: "lists applications", forms: []form{{
		long: "all unicode color verbose", lines: "list **\n version\n services **\n changes\n connections **\n refresh-list",
	}, {long: "list time", need: "list,time", lines: "refresh", reaches: "api.snapcraft.io"}, {
		long: "all unicode color verbose", lines: "info **\n find *", reaches: "api.snapcraft.io",
	}}},
	{names: "apt apt-cache dpkg-query", why: "queries packages", forms: []form{{
		long: "installed upgradable", lines: "list|search|show|policy|depends|rdepends|madison **",
	}, {flags: "lLsWS", longVal: "showformat", need: "l,L,s,W,S", max: many, operand: text}}},
	{names: "dpkg rpm", why: "queries packages", forms: []form{{flags: "lLsS", need: "l,L,s,S", max: many, operand: text}, {flags: "qailR", need: "q", max: many, operand: text}}},
}
