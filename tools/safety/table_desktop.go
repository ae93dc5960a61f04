package safety

// desktop are the programs that show sound, screens, input and settings.
var desktop = []program{
	{names: "pactl", why: "shows sound", forms: []form{{
		values: "f", longVal: "format",
		lines: "list\n list short\n list *\n list short *\n list * short\n info\n stat\n get-default-sink|get-default-source\n get-sink-volume|get-sink-mute|get-source-volume|get-source-mute *",
	}}},
	{names: "wpctl", why: "shows sound", forms: []form{{flags: "kn", long: "nick name", lines: "status\n get-volume *\n inspect *\n settings"}}},
	{names: "pw-cli", why: "shows sound", forms: []form{{lines: "ls|list-objects\n ls|list-objects *\n info|i *"}}},
	{names: "pw-dump", why: "shows sound", forms: []form{{flags: "N", long: "no-colors", max: 1, operand: name}}},
	{names: "pw-top", why: "shows sound once", forms: []form{{flags: "b", values: "n", long: "batch-mode", longVal: "iterations", need: "b,batch-mode n,iterations"}}},
	{names: "pw-metadata", why: "shows sound settings", forms: []form{{flags: "l", values: "n", max: 1, operand: number}}},
	{names: "pw-link", why: "lists sound links", forms: []form{{flags: "ioltI", long: "input output links id", need: "i,o,l,input,output,links"}}},
	{names: "amixer", why: "shows the mixer", forms: []form{{values: "cD", flags: "MR", lines: "\n get|sget|cget *\n get|sget *\n scontents|contents|controls|scontrols|info"}}},
	{names: "aplay arecord", why: "lists sound devices", forms: []form{{flags: "lL", long: "list-devices list-pcms", need: "l,L,list-devices,list-pcms"}}},
	{names: "playerctl", why: "shows what plays", forms: []form{{
		flags: "al", values: "pfi", long: "all-players list-all", longVal: "player format", lines: "\n status\n metadata\n metadata *\n position\n volume\n loop\n shuffle",
	}}},
	{names: "xrandr", why: "shows screens", forms: []form{{
		flags: "qv", single: "query verbose prop", long: "query verbose prop properties listmonitors listactivemonitors listproviders current",
	}}},
	{names: "wlr-randr", why: "shows screens", forms: []form{{long: "json"}}},
	{names: "kscreen-doctor", why: "shows screens", forms: []form{{flags: "oj", long: "outputs json", need: "o,j,outputs,json"}}},
	{names: "hyprctl", why: "shows the desktop", forms: []form{{
		flags: "j", lines: "monitors|clients|workspaces|activewindow|activeworkspace|version|devices|binds|layers|systeminfo|cursorpos|instances|splash|animations|decorations|configerrors\n monitors all\n getoption *",
	}}},
	{names: "swaymsg i3-msg", why: "shows the desktop", forms: []form{{
		flags: "rp", values: "t", long: "raw pretty", longVal: "type", need: "t,type",
		kinds: "t=only:get_outputs|get_workspaces|get_tree|get_inputs|get_seats|get_version|get_bar_config|get_marks type=only:get_outputs|get_workspaces|get_tree|get_inputs|get_seats|get_version",
	}}},
	{names: "wmctrl", why: "lists windows", forms: []form{{flags: "lmdpGx", need: "l,m,d"}}},
	{names: "xset", why: "shows X settings", forms: []form{{lines: "q"}, {flags: "q", need: "q"}}},
	{names: "xdpyinfo xlsclients xwininfo xprop", why: "shows X", forms: []form{{single: "root tree stats children all", need: "root"}, {flags: "al", only: "none"}}},
	{names: "setxkbmap", why: "shows the keyboard layout", forms: []form{{single: "query print", need: "query,print"}}},
	{names: "xinput", why: "lists input devices", forms: []form{{long: "list short list-props id-only name-only", lines: "\n list\n list *\n list-props *\n *"}}},
	{names: "xmodmap", why: "shows the keyboard map", forms: []form{{single: "pke pm pk pp", need: "pke,pm,pk,pp"}}},
	{names: "xrdb", why: "shows X resources", forms: []form{{single: "query", need: "query"}}},
	{names: "libinput", why: "lists input devices", forms: []form{{lines: "list-devices\n list-kernel-devices"}}},
	{names: "gsettings", why: "shows settings", forms: []form{{
		lines: "get|range|describe|writable * *\n list-schemas\n list-relocatable-schemas\n list-keys|list-children|list-recursively *\n list-recursively",
	}}},
	{names: "dconf", why: "shows settings", forms: []form{{lines: "read|list|dump *"}}},
	{names: "xfconf-query", why: "shows settings", forms: []form{{flags: "lvR", values: "cp", long: "list verbose", longVal: "channel property"}}},
	{names: "kreadconfig5 kreadconfig6", why: "shows a setting", forms: []form{{longVal: "file group key default type", kinds: "file=plain"}}},
	{names: "fcitx5-diagnose", why: "diagnoses the input method", forms: []form{{}}},
	{names: "fcitx5-remote", why: "shows the input method", forms: []form{{flags: "nq"}}},
	{names: "ibus", why: "shows the input method", forms: []form{{long: "name-only", lines: "list-engine\n engine\n version\n read-config"}}},
	{names: "im-config", why: "shows the input method", forms: []form{{flags: "lm", need: "l,m"}}},
	{names: "fc-list", why: "lists fonts", forms: []form{{flags: "vqb", values: "f", long: "verbose brief quiet", longVal: "format", max: many, operand: text}}},
	{names: "fc-match fc-pattern", why: "matches fonts", forms: []form{{flags: "savb", values: "f", long: "sort all verbose brief", longVal: "format", max: many, operand: text}}},
	{names: "fc-query fc-scan", why: "describes a font", forms: []form{{flags: "b", values: "f", longVal: "format", min: 1, max: many, operand: meta}}},
	{names: "fc-conflist", why: "lists font settings", forms: []form{{}}},
	{names: "xdg-mime", why: "shows file associations", forms: []form{{lines: "query default *\n query filetype @"}}},
	{names: "xdg-settings", why: "shows file associations", forms: []form{{long: "list", lines: "\n get *\n get * *\n check * *\n check * * *"}}},
	{names: "gio", why: "shows files and volumes", forms: []form{{flags: "alhd", values: "n", long: "hidden long list", lines: "info @\n list @\n list\n mime *\n tree @"}, {flags: "li", long: "list", need: "l,list", lines: "mount"}}},
	{names: "gnome-extensions", why: "lists extensions", forms: []form{{long: "enabled disabled user system details active inactive", lines: "list\n info|show *\n version"}}},
	{names: "kinfo kf6-config kf5-config balooctl balooctl6", why: "shows the desktop", forms: []form{{long: "version", lines: "\n status\n indexSize"}}},
	{names: "scanimage", why: "lists scanners", forms: []form{{flags: "L", long: "list-devices", need: "L,list-devices"}}},
	{names: "v4l2-ctl", why: "shows cameras", forms: []form{{
		flags: "lLDd", values: "", longVal: "device", long: "list-devices list-formats list-formats-ext list-ctrls list-ctrls-menus info all", kinds: "device=name",
	}}},
	{names: "colormgr", why: "shows colour profiles", forms: []form{{lines: "get-devices|get-profiles|get-sensors"}}},
}
