package sandbox

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/tools/sandbox/cell"
)

// Needs are the openings of a command's cell. The zero value is a cell without any.
type Needs struct {
	Net cell.Net `json:"net,omitempty"`
	// Bus is the read-only D-Bus, system and session.
	Bus bool `json:"bus,omitempty"`
	// Sockets names services that have no read-only mode, as in [services].
	Sockets []string `json:"sockets,omitempty"`
	// Devices lets the command query the graphics, sound and file system devices.
	Devices bool `json:"devices,omitempty"`
	// Queues gives the command its own System V queues, which fakeroot needs.
	Queues bool `json:"queues,omitempty"`
	// Mounts shows the command the mounts as the system has them, without the namespace in which they are all
	// read-only. Landlock and a stricter filter confine it instead.
	Mounts bool `json:"mounts,omitempty"`
	// Unconfined marks programs that do not work in a cell; the person is asked about them.
	Unconfined bool `json:"outside,omitempty"`
	// Inspect lets the command see the files, sockets and memory of other processes. Neither a user namespace
	// nor Landlock permits that, so its cell is only a stricter filter that lets no file be opened for writing.
	Inspect bool `json:"inspect,omitempty"`
}

// cellKind is a kind of cell: the needs that determine its walls.
type cellKind struct {
	net                                   cell.Net
	bus, sockets, queues, mounts, inspect bool
}

func (n Needs) kind() cellKind {
	return cellKind{n.Net, n.Bus, len(n.Sockets) > 0, n.Queues, n.Mounts, n.Inspect}
}

// usesServices reports whether the command needs services of this machine.
func (n Needs) usesServices() bool { return n.Bus || len(n.Sockets) > 0 }

// needsHostView reports whether the cell must not be in its own namespaces.
func (n Needs) needsHostView() bool { return n.Mounts || n.Inspect }

// program is a row of the table of programs.
type program struct {
	names string
	needs Needs
	why   string
}

// programs lists programs that need more than files. All others need nothing. Arguments are not considered
// here: the checker only accepts reading subcommands.
var programs = []program{
	{"systemctl loginctl hostnamectl timedatectl localectl machinectl portablectl busctl", Needs{Bus: true}, "ask systemd's services"},
	{"networkctl resolvectl", Needs{Bus: true, Net: cell.View}, "ask systemd's services and netlink"},
	{"systemd-analyze systemd-cgls systemd-cgtop coredumpctl userdbctl oomctl bootctl", Needs{Bus: true}, "ask systemd's services"},
	{"nmcli", Needs{Bus: true, Net: cell.View}, "asks NetworkManager"},
	{"bluetoothctl upower powerprofilesctl udisksctl fwupdmgr boltctl tuned-adm firewall-cmd colormgr snapper iwctl balooctl balooctl6 avahi-browse avahi-resolve avahi-resolve-host-name avahi-resolve-address", Needs{Bus: true}, "ask a service of the same name"},
	{"gsettings dconf flatpak playerctl fcitx5-remote ibus kreadconfig5 kreadconfig6 gio gnome-extensions xfconf-query xdg-settings", Needs{Bus: true}, "ask the session's services"},

	{"hostname ip iw nft iptables ip6tables ufw wg", Needs{Net: cell.View}, "tell of the machine's own network"},
	{"ifconfig route arp iwconfig ethtool", Needs{Net: cell.Ioctl}, "tell of the machine's own network"},
	{"ping ping4 ping6 arping dig host nslookup drill tracepath tracepath6 traceroute traceroute6 mtr curl getent whois showmount rpcinfo smbclient", Needs{Net: cell.Reach}, "ask other hosts"},
	{"chronyc ntpq", Needs{Net: cell.Reach}, "ask a time server or the service on this machine"},
	{"checkupdates", Needs{Net: cell.Reach, Queues: true}, "asks the package servers, through fakeroot"},
	{"yay paru pikaur trizen arch-audit reflector rankmirrors pacman-mirrors checkupdates-with-aur", Needs{Net: cell.Reach}, "ask the package servers"},
	{"blunux-ai", Needs{Net: cell.Reach, Queues: true}, "asks the package servers, through fakeroot, and the AUR about build recipes"},
	{"ollama", Needs{Net: cell.Reach}, "asks its service, over the network of this machine"},

	{"df lsblk mount findmnt mountpoint duf", Needs{Mounts: true}, "tell of the mounts"},
	{"inxi hwinfo lshw fastfetch", Needs{Mounts: true, Net: cell.View}, "tell of the whole machine"},
	{"ss lsof fuser pmap pwdx ipcs lsipc lsfd lsns lslocks pidstat iotop", Needs{Inspect: true, Net: cell.View}, "look into processes"},
	{"netstat", Needs{Inspect: true, Net: cell.Ioctl}, "looks into processes and asks over a socket"},

	{"xrandr xprop xset xinput xdpyinfo xwininfo setxkbmap xlsclients xrdb xmodmap wmctrl", Needs{Sockets: []string{"x11"}}, "ask the X server"},
	{"glxinfo eglinfo", Needs{Sockets: []string{"x11", "wayland"}, Devices: true}, "ask the graphics driver"},
	{"vulkaninfo vainfo vdpauinfo clinfo nvidia-smi rocm-smi", Needs{Sockets: []string{"x11", "wayland"}, Devices: true}, "ask the graphics driver"},
	{"kscreen-doctor", Needs{Bus: true, Sockets: []string{"x11", "wayland"}}, "asks the compositor"},
	{"wlr-randr", Needs{Sockets: []string{"wayland"}}, "ask the compositor"},
	{"hyprctl", Needs{Sockets: []string{"hyprland"}}, "asks the compositor"},
	{"swaymsg", Needs{Sockets: []string{"sway"}}, "asks the compositor"},
	{"i3-msg", Needs{Sockets: []string{"i3"}}, "asks the window manager"},
	{"niri", Needs{Sockets: []string{"niri"}}, "asks the compositor"},
	{"wpctl pw-dump pw-cli pw-top pw-link pw-metadata", Needs{Sockets: []string{"pipewire"}}, "ask PipeWire"},
	{"pactl", Needs{Sockets: []string{"pulse", "pipewire"}}, "ask the sound server"},
	{"amixer aplay arecord", Needs{Sockets: []string{"pulse", "pipewire"}, Devices: true}, "ask the sound cards"},
	{"zfs zpool", Needs{Devices: true}, "ask the file system's device"},
	{"docker docker-compose", Needs{Sockets: []string{"docker"}}, "asks its service"},
	{"virsh", Needs{Sockets: []string{"libvirt"}}, "asks its service"},
	{"lpstat lpq lpinfo", Needs{Sockets: []string{"cups"}}, "ask the print service"},
	{"snap", Needs{Sockets: []string{"snapd"}}, "asks its service"},
	{"tailscale", Needs{Sockets: []string{"tailscale"}}, "asks its service"},
	{"lxc incus", Needs{Sockets: []string{"lxd"}}, "ask their service"},
	{"v4l2-ctl", Needs{Devices: true}, "asks the cameras"},

	{"podman podman-compose distrobox toolbox", Needs{Unconfined: true}, "need namespaces of their own even to look"},
	{"crontab atq passwd chage faillock", Needs{Unconfined: true}, "gain rights to read what is asked of them, which nothing confined does"},
}

// services are the sockets of named services, with %r for the runtime directory. These services can do more
// than read: only the checker ensures that a command reads.
var services = map[string][]string{
	"x11":       {"/tmp/.X11-unix"},
	"wayland":   {"%r/wayland-*"},
	"hyprland":  {"%r/hypr"},
	"sway":      {"%r/sway-ipc.*"},
	"pipewire":  {"%r/pipewire-0", "%r/pipewire-0-manager"},
	"pulse":     {"%r/pulse/native"},
	"docker":    {"/run/docker.sock", "%r/docker.sock"},
	"libvirt":   {"/run/libvirt/virtqemud-sock-ro", "/run/libvirt/libvirt-sock-ro"},
	"cups":      {"/run/cups/cups.sock"},
	"i3":        {"%r/i3"},
	"niri":      {"%r/niri*"},
	"snapd":     {"/run/snapd.socket"},
	"tailscale": {"/run/tailscale/tailscaled.sock"},
	"lxd":       {"/var/lib/incus/unix.socket", "/var/lib/lxd/unix.socket"},
}

// socketPaths returns the existing sockets of the named services.
func socketPaths(names []string, runtimeDir string) []string {
	var paths []string
	for _, name := range names {
		for _, pattern := range services[name] {
			if strings.HasPrefix(pattern, "%r") && runtimeDir == "" {
				continue
			}
			found, err := filepath.Glob(strings.Replace(pattern, "%r", runtimeDir, 1))
			if err == nil {
				paths = append(paths, found...)
			}
		}
	}
	return paths
}

// devices are the patterns of the devices that [Needs.Devices] opens.
var devices = []string{"/dev/dri", "/dev/snd", "/dev/nvidia*", "/dev/kfd", "/dev/zfs", "/dev/video*"}

// needsByProgram maps program names to their needs.
var needsByProgram = sync.OnceValue(indexPrograms)

func indexPrograms() map[string]Needs {
	table := map[string]Needs{}
	for _, p := range programs {
		for _, name := range strings.Fields(p.names) {
			table[name] = p.needs
		}
	}
	return table
}

// NeedsOf returns the combined needs of a simple command's programs, wrappers included. A command that mentions
// /proc means the machine's own, which a namespace would hide. A cell that is open to a service or to other
// hosts cannot inspect processes.
func NeedsOf(programs []string, command string) Needs {
	var n Needs
	for _, name := range programs {
		n = n.merge(needsByProgram()[filepath.Base(name)])
	}
	if strings.Contains(command, "/proc") {
		n = n.merge(Needs{Net: cell.View, Inspect: true})
	}
	if n.Bus || len(n.Sockets) > 0 || n.Net == cell.Reach || n.Devices || n.Queues {
		n.Inspect, n.Mounts = false, false
	}
	return n
}

func (n Needs) merge(m Needs) Needs {
	n.Net = max(n.Net, m.Net)
	n.Bus = n.Bus || m.Bus
	n.Devices = n.Devices || m.Devices
	n.Queues = n.Queues || m.Queues
	n.Unconfined = n.Unconfined || m.Unconfined
	n.Mounts = n.Mounts || m.Mounts
	n.Inspect = n.Inspect || m.Inspect
	for _, s := range m.Sockets {
		if !slices.Contains(n.Sockets, s) {
			n.Sockets = append(slices.Clip(n.Sockets), s)
		}
	}
	return n
}

// HasNetwork reports whether the cell gives its commands access to other hosts.
func (n Needs) HasNetwork() bool { return n.Net == cell.Reach }

// HasRiskyOpenings reports whether a command in the cell could do more than read.
func (n Needs) HasRiskyOpenings() bool {
	return n.HasNetwork() || len(n.Sockets) > 0 || n.Devices || n.Queues || n.Unconfined
}

// Equal reports whether two cells have the same openings.
func (n Needs) Equal(m Needs) bool {
	return n.kind() == m.kind() && n.Devices == m.Devices && n.Unconfined == m.Unconfined && slices.Equal(n.Sockets, m.Sockets)
}

// String lists the openings for logs, or returns "closed" if there are none.
func (n Needs) String() string {
	var parts []string
	if n.Net > cell.NoNet {
		parts = append(parts, [...]string{"", "network view", "network view", "network"}[n.Net])
	}
	if n.Bus {
		parts = append(parts, "reading bus")
	}
	if n.Devices {
		parts = append(parts, "graphics, sound and file system devices")
	}
	if n.Mounts {
		parts = append(parts, "mounts")
	}
	if n.Inspect {
		parts = append(parts, "other processes")
	}
	for _, s := range n.Sockets {
		parts = append(parts, fmt.Sprintf("socket of %s", s))
	}
	if parts == nil {
		return "closed"
	}
	return strings.Join(parts, ", ")
}

// readablePatterns are the parts of /run that reading programs use: the state files of systemd, udev and others, the
// journal, mounted removable media, and the Varlink sockets in answering.
var readablePatterns = []string{
	"/run/systemd/system", "/run/systemd/sessions", "/run/systemd/users", "/run/systemd/seats", "/run/systemd/machines",
	"/run/systemd/netif", "/run/systemd/inhibit", "/run/systemd/units", "/run/systemd/transient", "/run/systemd/generator",
	"/run/systemd/generator.early", "/run/systemd/generator.late", "/run/systemd/timesync", "/run/systemd/container",
	"/run/systemd/userdb", "/run/systemd/io.systemd.Hostname", "/run/systemd/resolve/io.systemd.Resolve",
	"/run/systemd/resolve/resolv.conf", "/run/systemd/resolve/stub-resolv.conf", "/run/log", "/run/udev/data", "/run/udev/tags",
	"/run/mount", "/run/media", "/run/utmp", "/run/machine-id", "/run/NetworkManager/resolv.conf", "/run/NetworkManager/devices",
	"/run/flatpak", "/run/motd.d", "/run/lock",
}

// queryServices are the Varlink sockets that only answer queries (systemd's interfaces io.systemd.UserDatabase,
// Resolve and Hostname).
var queryServices = []string{"/run/systemd/userdb", "/run/systemd/io.systemd.Hostname", "/run/systemd/resolve/io.systemd.Resolve"}

// Programs returns the program names in the table, sorted.
func Programs() []string { return slices.Sorted(maps.Keys(needsByProgram())) }
