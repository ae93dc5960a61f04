package machine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMenuEntriesKeepTheFirstCommand(t *testing.T) {
	all, err := ParseEntries(recorded(t, "entries.txt"))
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, "/usr/lib/firefox/firefox", all[0].Exec)
	require.Equal(t, []string{"Firefox", "파이어폭스", "Web Browser", "New Window"}, all[0].Names)
	require.Equal(t, "firefox-wayland.desktop", all[1].ID())
	require.True(t, all[1].Hidden)
	require.Equal(t, "firefox", all[1].Exec)
}

func TestNetworksAreListedOnceByName(t *testing.T) {
	all, err := ParseNetworks(recorded(t, "nmcli-wifi.txt"))
	require.NoError(t, err)
	require.Equal(t, []Network{
		{Name: "우리집 와이파이", Signal: 71, InUse: true, Secured: true}, {Name: "iptime Guest", Signal: 55}, {Name: "Cafe: 2F", Signal: 40, Secured: true},
	}, all)
}

func TestScreensOfEachDesktop(t *testing.T) {
	for name, want := range map[string]Screen{
		"kscreen.json": {Name: "eDP-1", Width: 1920, Height: 1080, Scale: 1.25}, "sway-outputs.json": {Name: "eDP-1", Width: 2560, Height: 1600, Scale: 1.5},
		"hyprland-monitors.json": {Name: "DP-1", Width: 3840, Height: 2160, Scale: 2}, "xrandr.txt": {Name: "eDP-1", Width: 1920, Height: 1080, Scale: 1},
	} {
		parse := map[string]func([]byte) ([]Screen, error){"kscreen.json": ParseKScreens, "sway-outputs.json": ParseSwayScreens, "hyprland-monitors.json": ParseHyprlandScreens, "xrandr.txt": ParseXScreens}[name]
		all, err := parse(recorded(t, name))
		require.NoError(t, err)
		require.Len(t, all, 1, name)
		_, has := all[0].Mode(want.Width, want.Height)
		require.True(t, has, name)
		all[0].Modes = nil
		require.Equal(t, want, all[0], name)
	}
}

func TestKeyboardLayouts(t *testing.T) {
	for text, want := range map[string]string{
		"rules:      evdev\nmodel:      pc105\nlayout:     us,kr\n": "us,kr", "str: kr\nset: true\n": "kr", "[('xkb', 'us'), ('ibus', 'hangul')]\n": "us,hangul", "": "",
	} {
		require.Equal(t, want, KeyboardLayout(text))
	}
}

func TestUserDirectories(t *testing.T) {
	text := "XDG_DOWNLOAD_DIR=\"$HOME/다운로드\"\nXDG_MUSIC_DIR=\"$HOME/\"\nXDG_VIDEOS_DIR=\"/srv/videos/\"\n"
	require.Equal(t, "~/다운로드", UserDir(text, "DOWNLOAD", "~/Downloads"))
	require.Equal(t, "~/Music", UserDir(text, "MUSIC", "~/Music"))
	require.Equal(t, "/srv/videos", UserDir(text, "VIDEOS", "~/Videos"))
}

// The person's file hides the system's, and what is not to be shown is left out.
func TestParseAutostart(t *testing.T) {
	all, err := ParseAutostart(recorded(t, "autostart.txt"))
	require.NoError(t, err)
	require.Equal(t, []Autostart{
		{File: "/home/kim/.config/autostart/steam.desktop", Names: []string{"steam", "Steam", "스팀"}},
		{File: "/home/kim/.config/autostart/discord.desktop", Names: []string{"discord", "Discord"}, Off: true},
		{File: "/etc/xdg/autostart/org.kde.kdeconnect.daemon.desktop", Names: []string{"org.kde.kdeconnect.daemon", "KDE Connect Daemon"}, Off: true},
		{File: "/etc/xdg/autostart/gsd.desktop", Names: []string{"gsd", "GNOME settings"}, Only: []string{"GNOME", "Unity"}},
	}, all)
}
