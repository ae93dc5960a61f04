package safety

// desktop are the programs that show sound, screens, input and settings.
var desktop = []program{
	{names: "pactl", why: "shows sound", forms: []form{{
		values: "f", longVal: "format",
		lines: "list\n list short\n list *\n list short *\n list * short\n info\n stat\n get-default-sink|get-default-source\n get-sink-volume|get-sink-mute|get-source-volume|get-source-mute *",
	}}},
	{names: "wpctl", why: "shows sound", forms: []form{{flags: "kn", long: "nick name", lines: ".\n status\n get-volume *\n inspect *\n settings"}}},
	{names: "pw-cli", why: "shows sound", forms: []form{{lines: "ls|list-objects\n ls|list-objects *\n info|i *"}}},
	{names: "pw-dump", why: "shows sound", forms: []form{{flags: "N", long: "no-colors", max: 1, operand: name}}},
	{names: "pw-top", why: "shows sound once", forms: []form{{flags: "b", values: "n", long: "batch-mode", longVal: "iterations", need: "b,batch-mode n,iterations"}}},
	{names: "pw-metadata", why: "shows sound settings", forms: []form{{flags: "l", values: "n", max: 1, operand: number}}},
	{names: "pw-config", why: "shows sound settings", forms: []form{{flags: "nrL", lines: ".\n list\n list *\n paths\n merge *"}}},
	{names: "pamixer", why: "shows sound", forms: []form{{
		long: "get-volume get-volume-human get-mute list-sinks list-sources get-default-sink default-source", longVal: "sink source",
		need: "get-volume,get-volume-human,get-mute,list-sinks,list-sources,get-default-sink",
	}}},
	{names: "pulsemixer", script: true, why: "shows sound", forms: []form{{
		flags: "l", long: "list list-sources list-sinks get-volume get-mute", longVal: "id", need: "l,list,list-sources,list-sinks,get-volume,get-mute",
	}}},
	{names: "pacmd", why: "shows sound", forms: []form{{lines: "info|stat|list|list-sinks|list-sources|list-cards|list-modules|list-clients|list-sink-inputs|list-source-outputs"}}},
	{names: "mpc", why: "shows what plays", forms: []form{{lines: ".\n status|current|queued|playlist|outputs|stats|version|volume"}}},
	{names: "aconnect aplaymidi arecordmidi", why: "lists MIDI ports", forms: []form{{flags: "iol", long: "input output list", need: "i,o,l,input,output,list"}}},
	{names: "pw-link", why: "lists sound links", forms: []form{{flags: "ioltI", long: "input output links id", need: "i,o,l,input,output,links"}}},
	{names: "amixer", why: "shows the mixer", forms: []form{{values: "cD", kinds: "c=plain D=plain", flags: "MR", lines: ".\n get|sget|cget *\n get|sget *\n scontents|contents|controls|scontrols|info"}}},
	{names: "aplay arecord", why: "lists sound devices", forms: []form{{flags: "lL", long: "list-devices list-pcms", need: "l,L,list-devices,list-pcms"}}},
	{names: "playerctl", why: "shows what plays", forms: []form{{
		flags: "al", values: "pfi", long: "all-players list-all", longVal: "player format", lines: ".\n status\n metadata\n metadata *\n position\n volume\n loop\n shuffle",
	}}},
	{names: "xrandr", why: "shows screens", forms: []form{{
		flags: "qv", single: "query verbose prop", singVal: "display d", longVal: "display", kinds: "display=screen d=screen", long: "query verbose prop properties listmonitors listactivemonitors listproviders current",
	}}},
	{names: "wlr-randr", why: "shows screens", forms: []form{{long: "json"}}},
	{names: "kscreen-doctor", why: "shows screens", forms: []form{{flags: "oj", long: "outputs json", need: "o,j,outputs,json"}}},
	{names: "kscreen-console", why: "shows screens", forms: []form{{lines: "outputs\n json\n config\n bug"}}},
	{names: "wayland-info weston-info", why: "shows Wayland", forms: []form{{}}},
	{names: "cosmic-randr", why: "shows screens", forms: []form{{long: "kdl", lines: "list"}}},
	{names: "gdctl", script: true, why: "shows screens", forms: []form{{flags: "mpv", long: "modes properties verbose", lines: "show"}}},
	{names: "niri", why: "shows the desktop", forms: []form{{
		flags: "j", long: "json", lines: "msg outputs|windows|workspaces|focused-window|focused-output|layers|keyboard-layouts|version",
	}, {flags: "V", need: "V"}}},
	{names: "swww awww", why: "shows wallpapers", forms: []form{{lines: "query"}}},
	{names: "plasma-apply-colorscheme plasma-apply-desktoptheme plasma-apply-cursortheme plasma-apply-lookandfeel lookandfeeltool kcmshell6 kcmshell5", why: "lists themes or settings", forms: []form{{
		flags: "l", long: "list list-schemes list-themes", need: "l,list,list-schemes,list-themes",
	}}},
	{names: "kpackagetool6 kpackagetool5", why: "lists parts of the desktop", forms: []form{{flags: "lg", values: "t", long: "list list-types global", longVal: "type", need: "l,list,list-types"}}},
	{names: "gnome-session-inhibit gnome-control-center", why: "lists inhibitors or panels", forms: []form{{flags: "l", long: "list", need: "l,list"}}},
	{names: "hyprctl", why: "shows the desktop", forms: []form{{
		flags: "j", lines: "monitors|clients|workspaces|activewindow|activeworkspace|version|devices|binds|layers|systeminfo|cursorpos|instances|splash|animations|decorations|configerrors|globalshortcuts|workspacerules|layouts|descriptions\n monitors all\n getoption *",
	}}},
	{names: "swaymsg i3-msg", why: "shows the desktop", forms: []form{{
		flags: "rp", values: "t", long: "raw pretty", longVal: "type", need: "t,type",
		kinds: "t=only:get_outputs|get_workspaces|get_tree|get_inputs|get_seats|get_version|get_bar_config|get_marks type=only:get_outputs|get_workspaces|get_tree|get_inputs|get_seats|get_version",
	}}},
	{names: "wmctrl", why: "lists windows", forms: []form{{flags: "lmdpGx", need: "l,m,d"}}},
	{names: "xset", why: "shows X settings", forms: []form{{lines: "q"}, {flags: "q", need: "q"}}},
	{names: "xdpyinfo xlsclients", why: "shows X", forms: []form{{flags: "al", single: "queryExtensions", singVal: "ext display", kinds: "display=screen"}}},
	{names: "xlsatoms xlsfonts", why: "shows X", forms: []form{{flags: "l", singVal: "fn range name"}}},
	{names: "xwininfo", why: "shows a window", forms: []form{{
		single: "root tree stats children all bits events size wm shape int metric english", singVal: "id name display", kinds: "display=screen", need: "root,id,name",
	}}},
	{names: "xprop", why: "shows properties of a window", forms: []form{{single: "root notype", singVal: "id name len display", kinds: "display=screen", need: "root,id,name", max: many, operand: plain}}},
	{names: "xdotool", why: "shows windows and the pointer", forms: []form{
		{lines: "getactivewindow|getwindowfocus|getmouselocation|getdisplaygeometry|get_desktop|get_num_desktops\n getactivewindow getwindowname|getwindowpid|getwindowgeometry|getwindowclassname\n getwindowname|getwindowpid|getwindowgeometry|getwindowclassname *"},
		{verb: "search", long: "name class classname onlyvisible any all", min: 1, max: 1, operand: text},
	}},
	{names: "xkbcli", why: "lists keyboard layouts", forms: []form{{flags: "v", long: "verbose", lines: "list"}}},
	{names: "setxkbmap", why: "shows the keyboard layout", forms: []form{{single: "query print", need: "query,print"}, {single: "query print", singVal: "verbose v", need: "query,print"}}},
	{names: "xinput", why: "lists input devices", forms: []form{
		{long: "list short list-props id-only name-only", lines: ".\n list\n list *\n list-props *"},
		{long: "list short list-props id-only name-only", need: "list,list-props", max: 1, operand: name},
	}},
	{names: "xmodmap", why: "shows the keyboard map", forms: []form{{single: "pke pm pk pp", need: "pke,pm,pk,pp"}}},
	{names: "xrdb", why: "shows X resources", forms: []form{{single: "query", need: "query"}}},
	{names: "libinput", why: "lists input devices", forms: []form{{lines: "list-devices\n list-kernel-devices"}}},
	{names: "gsettings", why: "shows settings", forms: []form{{
		lines: "get|range|describe|writable * *\n list-schemas\n list-relocatable-schemas\n list-keys|list-children|list-recursively *\n list-recursively",
	}}},
	{names: "dconf", why: "shows settings", forms: []form{{lines: "read|list|dump *"}}},
	{names: "xfconf-query", why: "shows settings", forms: []form{{flags: "lvR", values: "cp", long: "list verbose", longVal: "channel property"}}},
	{names: "kreadconfig5 kreadconfig6", why: "shows a setting", forms: []form{{longVal: "file group key default type", kinds: "file=plain"}}},
	// Not fcitx5-diagnose: it creates ~/.config/fcitx5.
	{names: "fcitx5-remote", why: "shows the input method", forms: []form{{flags: "nq", long: "check"}}},
	{names: "kime-check", why: "checks the input method", forms: []form{{}}},
	{names: "ibus", why: "shows the input method", forms: []form{{long: "name-only", lines: "list-engine\n engine\n version\n read-config\n read-cache"}}},
	{names: "im-config", script: true, why: "shows the input method", forms: []form{{flags: "lm", need: "l,m"}}},
	{names: "fc-list", why: "lists fonts", forms: []form{{flags: "vqb", values: "f", long: "verbose brief quiet", longVal: "format", max: many, operand: text}}},
	{names: "fc-match fc-pattern", why: "matches fonts", forms: []form{{flags: "savb", values: "f", long: "sort all verbose brief", longVal: "format", max: many, operand: text}}},
	{names: "fc-query fc-scan", why: "describes a font", forms: []form{{flags: "b", values: "f", longVal: "format", min: 1, max: many, operand: meta}}},
	{names: "fc-conflist", why: "lists font settings", forms: []form{{}}},
	{names: "xdg-mime", script: true, why: "shows file associations", forms: []form{
		{verb: "query", first: bare, min: 2, max: 2, operand: media, check: firstIs("default")},
		literalOnly(form{hands: "file, gio or kmimetypefinder", verb: "query", first: bare, min: 2, max: 2, operand: meta, check: firstIs("filetype")}),
	}},
	{names: "xdg-settings", script: true, why: "shows file associations", forms: []form{{long: "list", lines: ".\n get *\n get * *\n check * *\n check * * *"}}},
	{names: "gio", why: "shows files and volumes", forms: []form{
		{flags: "alhd", values: "n", long: "hidden long list", lines: "info @\n list @\n list\n mime *\n tree @", check: localFile},
		{flags: "li", long: "list detail", need: "l,list", lines: "mount"},
		{long: "list", need: "list", lines: "trash"},
	}},
	{names: "qdbus qdbus6 qdbus-qt5 qdbus-qt6", why: "lists the bus", forms: []form{{
		long: "system literal", lines: ".",
	}, {
		long: "system literal", reaches: local, lines: "*\n * *\n org.kde.KWin /KWin supportInformation|org.kde.KWin.supportInformation|org.freedesktop.DBus.Introspectable.Introspect",
	}}},
	{names: "gdbus", why: "lists the bus", forms: []form{{
		verb: "introspect", reaches: local, flags: "ey", values: "do", kinds: "d=name o=name dest=name object-path=name", long: "session system xml recurse only-properties", longVal: "dest object-path",
	}}},
	{names: "dbus-send", why: "lists the bus", forms: []form{{
		long: "system session", longVal: "dest type reply-timeout", longOpt: "print-reply", kinds: "dest=name type=only:method_call reply-timeout=number", min: 2, max: many, operand: name, check: busQuestion, reaches: local,
	}}},
	{names: "kdeconnect-cli", why: "lists devices", forms: []form{{flags: "la", long: "list-devices list-available id-only name-only id-name-only", need: "l,a,list-devices,list-available"}}},
	{names: "tracker3 localsearch akonadictl", why: "shows the state of a service", forms: []form{{lines: "status"}}},
	{names: "appstreamcli", why: "looks up applications", forms: []form{{long: "no-color details", lines: "search **\n get **\n status\n what-provides * *\n list-categories **"}}},
	{names: "dunstctl", script: true, why: "counts notifications", forms: []form{{lines: "count\n count displayed|history|waiting\n is-paused"}}},
	{names: "makoctl", script: true, why: "shows the mode of notifications", forms: []form{{lines: "mode"}}},
	{names: "swaync-client", why: "counts notifications", forms: []form{{flags: "cD", long: "count get-dnd get-inhibited", need: "c,D,count,get-dnd,get-inhibited"}}},
	{names: "gamemoded", why: "tells whether game mode is on", forms: []form{{attached: "s", need: "s"}}},
	{names: "archlinux-java", script: true, why: "shows which Java is used", forms: []form{{lines: "status\n get"}}},
	{names: "gnome-extensions", why: "lists extensions", forms: []form{{long: "enabled disabled user system details active inactive", lines: "list\n info|show *\n version"}}},
	{names: "kinfo kf6-config kf5-config", script: true, why: "shows the desktop", forms: []form{{long: "version", lines: "."}}},
	{names: "balooctl balooctl6", why: "shows the file index", forms: []form{{lines: "status\n indexSize\n failed\n config list *"}}},
	{names: "scanimage", why: "lists scanners", forms: []form{{flags: "L", long: "list-devices", need: "L,list-devices"}}},
	{names: "v4l2-ctl", why: "shows cameras", forms: []form{{
		flags: "lLD", values: "d", longVal: "device", long: "list-devices list-formats list-formats-ext list-ctrls list-ctrls-menus info all", kinds: "device=meta d=meta",
	}}},
	{names: "colormgr", why: "shows colour profiles", forms: []form{{lines: "get-devices|get-profiles|get-sensors"}}},
}
