package safety

import (
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// harmlessEnv are environment variables that are common in questions and whose value can be shown to a model.
var harmlessEnv = words(`HOME USER LOGNAME PWD OLDPWD HOSTNAME HOSTTYPE OSTYPE MACHTYPE SHELL TERM COLORTERM
	LANG LANGUAGE TZ PATH DISPLAY WAYLAND_DISPLAY DESKTOP_SESSION EDITOR VISUAL PAGER BROWSER COLUMNS LINES
	GTK_IM_MODULE QT_IM_MODULE XMODIFIERS SDL_IM_MODULE GLFW_IM_MODULE INPUT_METHOD GTK_THEME GDK_BACKEND
	GDK_SCALE QT_QPA_PLATFORM QT_QPA_PLATFORMTHEME QT_SCALE_FACTOR QT_STYLE_OVERRIDE MOZ_ENABLE_WAYLAND
	SHLVL BASH_VERSION EUID UID PPID RANDOM SECONDS LINENO EPOCHSECONDS IFS SESSION_MANAGER KDE_FULL_SESSION
	KDE_SESSION_VERSION HYPRLAND_CMD SWAYSOCK LIBVA_DRIVER_NAME VDPAU_DRIVER GBM_BACKEND __GLX_VENDOR_LIBRARY_NAME
	DRI_PRIME MAIL XCURSOR_THEME XCURSOR_SIZE`)

// tameEnv are variables of the session whose value is one plain word.
var tameEnv = words(`XDG_SESSION_ID XDG_SESSION_TYPE XDG_SESSION_CLASS XDG_SESSION_DESKTOP XDG_CURRENT_DESKTOP XDG_SEAT XDG_VTNR
	DESKTOP_SESSION LANG HOSTNAME DISPLAY WAYLAND_DISPLAY GTK_IM_MODULE QT_IM_MODULE`)

func harmlessVariable(name string) bool {
	return harmlessEnv.has(name) || strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "XDG_")
}

// localNames are upper-case names that one-liners use as plain variables. No program of the tables reads them
// from its environment.
var localNames = words(`A B C D F I J K M N P S T V X Y Z DIR DIRS FILE FILES IFACE DEV DEVICE DISK PART PID PIDS NAME
	UNIT UNITS SERVICE SERVICES SVC SVCS PKG PKGS PACKAGE COUNT NUM LIMIT TARGET VALUE RESULT OUT LINE ITEM KERNEL
	GATEWAY GW IP ADDR BAT CARD SINK PORT`)

// readByPrograms are lower-case names that programs do read.
var readByPrograms = words(`http_proxy https_proxy ftp_proxy all_proxy no_proxy rsync_proxy socks_proxy
	auto_resume histchars pipestatus path fpath manpath cdpath`)

var lowerName = lazyregexp.New(`^[a-z_][a-z0-9_]*$`)

// isLocalName reports whether assigning the name has no effect on programs.
func isLocalName(name string) bool {
	return localNames.has(name) || lowerName.MatchString(name) && !readByPrograms.has(name) && name != "_"
}

var localeValue = lazyregexp.New(`^[A-Za-z0-9_.@:+, -]*$`)

var zoneValue = lazyregexp.New(`^[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*$`)

// localDisplay matches an X server on this machine. Any other value would connect to another machine.
var localDisplay = lazyregexp.New(`^:[0-9]+(\.[0-9]+)?$`)

// videoDrivers are names of drivers in the system's libraries.
var videoDrivers = words("iHD i965 radeonsi r600 nvidia nouveau mesa va_gl")

// acceptsExport reports whether an assignment to a command's environment only changes the format of its output.
func acceptsExport(name, val string) bool {
	switch {
	case name == "LANG", name == "LANGUAGE", strings.HasPrefix(name, "LC_"):
		return localeValue.MatchString(val)
	case name == "TZ":
		return val == "" || zoneValue.MatchString(val)
	case name == "COLUMNS", name == "LINES":
		return isDigits(val) && len(val) < 6
	case name == "NO_COLOR", name == "SYSTEMD_COLORS", name == "CLICOLOR":
		return val == "" || isPlainWord(val)
	case name == "PAGER", name == "SYSTEMD_PAGER", name == "MANPAGER", name == "GIT_PAGER":
		return val == "" || val == "cat"
	case name == "DISPLAY":
		return localDisplay.MatchString(val)
	case name == "WAYLAND_DISPLAY", name == "DRI_PRIME":
		return isPlainWord(val)
	case name == "LIBVA_DRIVER_NAME", name == "VDPAU_DRIVER", name == "__GLX_VENDOR_LIBRARY_NAME":
		return videoDrivers.has(val)
	case name == "__NV_PRIME_RENDER_OFFLOAD":
		return isDigits(val)
	case name == "SYSTEMD_LOG_LEVEL":
		return isPlainWord(val)
	case name == "TERM":
		return val == "dumb" || val == "xterm" || val == "xterm-256color"
	}
	return false
}

// wordSet is a set of words. It is made on first use.
type wordSet struct {
	text string
	once sync.Once
	set  map[string]bool
}

// words returns the words of a text as a set.
func words(text string) *wordSet { return &wordSet{text: text} }

// all returns the words.
func (w *wordSet) all() map[string]bool {
	w.once.Do(w.fill)
	return w.set
}

func (w *wordSet) has(word string) bool { return w.all()[word] }

func (w *wordSet) fill() {
	w.set = map[string]bool{}
	for word := range strings.FieldsSeq(w.text) {
		w.set[word] = true
	}
}
