package family

// A row is a family: a program with its fixed words, the kinds of its operands, and the options that may be added.
//
// Words are matched in their order. One in capitals is the kind of an operand, and "…" means one or more of it: PATH is
// below the directory and need not exist, FILE is a regular file there, PERCENT, LEVEL and NAME are values. Options are
// permitted before the operands, as they are written here.
//
// A program that belongs here starts no other program and reads no text that controls it: no hook, filter,
// plugin, configuration of the workspace or archive. So git is missing as a whole: each of its commands that changes
// something runs hooks, filters or fsmonitor. It overwrites and deletes nothing with these words, and follows no link to
// what it creates. Interpreters, editors, rm, package managers, programs of a network and those that change units never
// belong here.
type row struct{ words, options string }

// table returns the families.
func table() []row {
	return []row{
		{"mkdir PATH…", "-p -v"},
		{"rmdir PATH…", "-v"},
		{"touch PATH…", "-a -c -m"},
		{"cp -n FILE… PATH", "-p -v"},
		{"mv -n FILE… PATH", "-v"},

		{"gzip -k FILE…", "-1 -6 -9 -v"},
		{"gunzip -k FILE…", "-v"},
		{"bzip2 -k FILE…", "-1 -9 -v"},
		{"bunzip2 -k FILE…", "-v"},
		{"xz -k FILE…", "-0 -6 -9 -v"},
		{"unxz -k FILE…", "-v"},

		{"brightnessctl set PERCENT", "-q"},
		{"brightnessctl s PERCENT", "-q"},
		{"light -S LEVEL", ""},
		{"xbacklight -set LEVEL", ""},

		{"pactl set-sink-volume NAME PERCENT", ""},
		{"pactl set-source-volume NAME PERCENT", ""},
		{"pactl set-sink-mute NAME SWITCH", ""},
		{"pactl set-source-mute NAME SWITCH", ""},
		{"wpctl set-volume NAME PERCENT", ""},
		{"wpctl set-mute NAME SWITCH", ""},
		{"pamixer --set-volume LEVEL", ""},
		{"amixer set NAME PERCENT", "-q"},
		{"amixer sset NAME PERCENT", "-q"},
		{"playerctl volume PERCENT", ""},
	}
}
