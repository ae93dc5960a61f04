package aur

// Code names a kind of fact. Its sentence is a row of the catalogue.
type Code string

// The facts about what is fetched.
const (
	Host          Code = "host"           // a host that sources come from
	NoTLS         Code = "no-tls"         // a source without encryption
	NoChecksum    Code = "no-checksum"    // a source without a checksum
	Skipped       Code = "skipped"        // a source whose checksum is not compared
	WeakChecksum  Code = "weak-checksum"  // only MD5, SHA-1 or CRC
	Unpinned      Code = "unpinned"       // a repository without a commit or tag
	NumericHost   Code = "numeric-host"   // an IP address instead of a name
	ShortLink     Code = "short-link"     // a link whose target is hidden
	PasteHost     Code = "paste-host"     // a host where everybody leaves texts
	HiddenHost    Code = "hidden-host"    // Tor, names with foreign letters, names that move
	StrangeSource Code = "strange-source" // a second repository of a stranger whose program the build runs
)

// The facts about what commands do.
const (
	Fetches          Code = "fetches"           // a command reads from the network
	FetchesLocked    Code = "fetches-locked"    // the same, of versions that the source names
	FetchesPackage   Code = "fetches-package"   // a package of another registry, by name
	UnrelatedPackage Code = "unrelated-package" // the same, and nothing in the recipe says why
	KnownBad         Code = "known-bad"         // a name of a known attack
	RunsFetched      Code = "runs-fetched"      // what was fetched is run
	RunsDecoded      Code = "runs-decoded"      // what was encoded is run
	Decodes          Code = "decodes"           // encoded text is decoded
	RunsInput        Code = "runs-input"        // an interpreter runs what a command prints
	RunsText         Code = "runs-text"         // eval of a text that is not known
	TopFetches       Code = "top-fetches"       // fetches when the PKGBUILD is only read
	TopCommand       Code = "top-command"       // a command that runs when the PKGBUILD is only read
	Sends            Code = "sends"             // sends data to the network
	Connects         Code = "connects"          // opens a connection to a shell
	Mines            Code = "mines"             // mines coins
	Secrets          Code = "secrets"           // reads keys, passwords or histories
	HomeFiles        Code = "home-files"        // writes below the home
	Outside          Code = "outside"           // writes outside the build
	AsRoot           Code = "as-root"           // asks for root rights
	Services         Code = "services"          // starts or enables services
	Setuid           Code = "setuid"            // gives a program the rights of another
	Background       Code = "background"        // goes on in the background
	Persists         Code = "persists"          // leaves something that starts by itself
	Destroys         Code = "destroys"          // overwrites a disk
	CopiesItself     Code = "copies-itself"     // copies or publishes the scriptlet
	Disguised        Code = "disguised"         // the name of a program is split or encoded
	ComputedName     Code = "computed-name"     // the program is only known when it runs
	HidesProgram     Code = "hides-program"     // a function has the name of a program
	Environment      Code = "environment"       // changes how programs are found or loaded
	RootCommand      Code = "root-command"      // a command of a scriptlet
	RootFetches      Code = "root-fetches"      // a scriptlet reads from the network
	RootUnknown      Code = "root-unknown"      // a scriptlet runs a program that scriptlets do not use
	Hook             Code = "hook"              // the package gets a pacman hook, which runs as root at later transactions
)

// The facts about the files.
const (
	Reordered      Code = "reordered"       // characters that show text in another order
	ControlBytes   Code = "control-bytes"   // characters that control a terminal
	InvisibleText  Code = "invisible-text"  // characters without a width
	PushedAside    Code = "pushed-aside"    // text behind many blanks
	LookAlike      Code = "look-alike"      // letters of two alphabets in one word
	Blob           Code = "blob"            // a long encoded text
	TooLarge       Code = "too-large"       // larger than the AUR takes
	Unreadable     Code = "unreadable"      // not bash
	Binary         Code = "binary"          // a compiled program in the recipe
	Obfuscated     Code = "obfuscated"      // a script that hides what it does
	MissingInstall Code = "missing-install" // the scriptlet is not there
	DiffersSrcinfo Code = "differs-srcinfo" // .SRCINFO names other sources
	LinkedFile     Code = "linked-file"     // a link instead of a file
	Imitates       Code = "imitates"        // a name that is taken for another
)

// The facts about the package in the AUR and what is remembered of it.
const (
	Orphan        Code = "orphan"         // nobody maintains it
	NewMaintainer Code = "new-maintainer" // another maintainer than before
	Adopted       Code = "adopted"        // the same, and new commands
	Fresh         Code = "fresh"          // published within the cooling-off time
	Young         Code = "young"          // new in the AUR
	FewVotes      Code = "few-votes"
	OutOfDate     Code = "out-of-date" // flagged
	Changed       Code = "changed"     // files differ from those that were built last
	LineAdded     Code = "line-added"  // a line that the version built last does not have
	LineRemoved   Code = "line-removed"
)
