package machine

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools/safety"
)

// reader is a reader with recorded outputs that it must be able to read.
type reader struct {
	read  func([]byte) (any, error)
	files string
}

func of[T any](parse func([]byte) (T, error), files string) reader {
	return reader{func(text []byte) (any, error) { return parse(text) }, files}
}

var readers = map[string]reader{
	"ParseAddresses":         of(ParseAddresses, "addr.txt"),
	"ParseAdvisories":        of(ParseAdvisories, "arch-audit.txt arch-audit-quiet.txt"),
	"ParseAudio":             of(ParseAudio, "wpctl.txt"),
	"ParseBlame":             of(ParseBlame, "blame.txt"),
	"ParseBlockJSON":         of(ParseBlockJSON, "lsblk.json lsblk-desktop.json"),
	"ParseBlockPairs":        of(ParseBlockPairs, "lsblk-pairs.txt lsblk-drives.txt"),
	"ParseBlockTree":         of(ParseBlockTree, "lsblk.txt"),
	"ParseBluetoothDevices":  of(ParseBluetoothDevices, "bluetooth-devices.txt"),
	"ParseCertificateEnd":    of(ParseCertificateEnd, "certificate.txt"),
	"ParseChain":             of(ParseChain, "chain.txt"),
	"ParseClock":             of(ParseClock, "timedatectl.txt"),
	"ParseCrashSite":         of(ParseCrashSite, "coredump-info.txt"),
	"ParseCrashes":           of(ParseCrashes, "coredumps.txt"),
	"ParseDF":                of(ParseDF, "df.txt df-btrfs.txt df-container.txt df-full.txt df-korean.txt df-only-tmpfs.txt"),
	"ParseDiff3":             of(ParseDiff3, "diff3.txt"),
	"ParseFileOwners":        of(ParseFileOwners, "file-owners.txt"),
	"ParseLeftFilesLog":      of(ParseLeftFilesLog, "left-files-log.txt"),
	"ParseDKMS":              of(ParseDKMS, "dkms.txt"),
	"ParseNextStart":         of(ParseNextStart, "next-start.txt"),
	"ParsePreview":           of(ParsePreview, "preview.json"),
	"ParseDU":                of(ParseDU, "du.txt"),
	"ParseDownloads":         of(ParseDownloads, "downloads.txt"),
	"ParseFans":              of(ParseFans, "sensors.txt"),
	"ParseFcitxProfile":      of(ParseFcitxProfile, "fcitx5-profile.txt"),
	"ParseFields":            of(ParseFields, "lscpu.txt bluetooth-show.txt coredump-info.txt localectl.txt"),
	"ParseFindSizes":         of(ParseFindSizes, "find.txt boot-files.txt"),
	"ParseFree":              of(ParseFree, "free-fine.txt free-korean.txt free-old.txt free-tight.txt"),
	"ParseGroups":            of(ParseGroups, "groups.txt"),
	"ParseJournal":           of(ParseJournal, "journal.json journal-one.json logins.json"),
	"ParseKernels":           of(ParseKernels, "pkgbase.txt"),
	"ParseLinks":             of(ParseLinks, "link.txt"),
	"ParseLocalPackage":      of(ParseLocalPackage, "local-package.txt"),
	"ParseListedFiles":       of(ParseListedFiles, "listed-files.txt"),
	"ParseMeminfo":           of(ParseMeminfo, "meminfo.txt"),
	"ParseMetered":           of(ParseMetered, "metered.txt"),
	"ParseMissingPackages":   of(ParseMissingPackages, "packages-missing.txt"),
	"ParseModuleFiles":       of(ParseModuleFiles, "modules.txt"),
	"ParseModuleTrees":       of(ParseModuleTrees, "module-trees.txt"),
	"ParseMountInfo":         of(ParseMountInfo, "mountinfo.txt"),
	"ParseMounts":            of(ParseMounts, "mounts.txt"),
	"ParseNetworkDevices":    of(ParseNetworkDevices, "nmcli-devices.txt"),
	"ParseNetworkStatus":     of(ParseNetworkStatus, "nmcli-general.txt"),
	"ParsePCI":               of(ParsePCI, "lspci.txt"),
	"ParsePS":                of(ParsePS, "ps-mem.txt"),
	"ParseOrphans":           of(ParseOrphans, "orphans.txt"),
	"ParseOwners":            of(ParseOwners, "owners.txt"),
	"ParsePackageInfo":       of(ParsePackageInfo, "qi-firefox.txt si-vlc.txt"),
	"ParseKernelBoots":       of(func(text []byte) ([]KernelBoot, error) { return rows(ParseKernelBoots(text), text, "journalctl") }, "kernel-boots.txt"),
	"ParsePackageLog":        of(ParsePackageLog, "pacman-log.txt"),
	"ParsePgrep":             of(ParsePgrep, "pgrep.txt"),
	"ParsePressure":          of(ParsePressure, "pressure.txt pressure-all.txt"),
	"ParsePrinting":          of(ParsePrinting, "lpstat.txt"),
	"ParseRadios":            of(ParseRadios, "rfkill.txt"),
	"ParseRecordings":        of(ParseRecordings, "recordings.txt"),
	"ParseRoutes":            of(ParseRoutes, "route.txt"),
	"ParseRoutesJSON":        of(ParseRoutesJSON, "route.json"),
	"ParseSearch":            of(ParseSearch, "search-pdf.txt"),
	"ParseInputEnvironments": of(ParseInputEnvironments, "environment.txt"),
	"ParseSensors":           of(ParseSensors, "sensors.txt"),
	"ParseRoom":              of(ParseRoom, "room.txt"),
	"ParseDynamic":           of(ParseDynamic, "readelf.txt"),
	"ParseLibraries":         of(ParseLibraries, "ldconfig.txt"),
	"ParsePackageFile":       of(ParsePackageFile, "package-file.txt"),
	"ParseSensorsJSON":       of(ParseSensorsJSON, "sensors.json"),
	"ParseSessions":          of(ParseSessions, "sessions.txt"),
	"ParseSmartJSON":         of(ParseSmartJSON, "smart-ata.json smart-failing.json smart-nvme.json smart-rights.json smart-virtual.json"),
	"ParseSockets":           of(ParseSockets, "ss.txt"),
	"ParseLinkValues":        of(ParseLinkValues, "resolvectl-dns.txt"),
	"ParsePlasmaKeys":        of(ParsePlasmaKeys, "kglobalshortcuts.txt"),
	"ParseTraffic":           of(ParseTraffic, "net-dev.txt"),
	"ParseTriggerKeys":       of(ParseTriggerKeys, "fcitx5-keys.txt"),
	"ParseSoundCards":        of(ParseSoundCards, "asound.txt"),
	"ParseStartup":           of(ParseStartup, "boot-time.txt"),
	"ParseSupplies":          of(ParseSupplies, "uevent-battery.txt uevent-mouse.txt"),
	"ParseTop":               of(ParseTop, "top.txt"),
	"ParseTransaction":       of(ParseTransaction, "transaction.txt"),
	"ParseUPower":            of(ParseUPower, "upower.txt"),
	"ParseUSB":               of(ParseUSB, "lsusb.txt"),
	"ParseUnitProperties":    of(ParseUnitProperties, "unit-properties.txt"),
	"ParseUnitStatus":        of(ParseUnitStatus, "status-failed.txt status-inactive.txt status-running.txt"),
	"ParseUnits":             of(ParseUnits, "failed-units.txt units-failed.txt"),
	"ParseUnitsJSON":         of(ParseUnitsJSON, "units-failed.json"),
	"ParseUpdates":           of(ParseUpdates, "updates.txt updates-pending.txt updates-ignored.txt"),
	"ParseVariables":         of(ParseVariables, "variables.txt"),
	"ParseWifi":              of(ParseWifi, "wifi.txt"),
	"ParseUptime":            of(ParseUptime, "uptime.txt"),
	"ParsePing":              of(ParsePing, "ping-ok.txt"),
	"ParseVolume":            of(ParseVolume, "wpctl-volume.txt"),
	"ParsePulseVolume":       of(ParsePulseVolume, "pactl-volume.txt"),
	"ParseBrightness":        of(ParseBrightness, "brightnessctl.txt"),
	"ParseJournalSize":       of(ParseJournalSize, "journal-size.txt"),
	"ParseOldPackages":       of(ParseOldPackages, "paccache.txt"),
	"ParsePackages":          of(ParsePackages, "packages.txt"),
	"ParsePacmanConf":        of(ParsePacmanConf, "pacman-conf.txt"),
	"ParseID":                of(ParseID, "id.txt"),
	"ParseZones":             of(ParseZones, "zones.txt"),
	"ParseTimeZone":          of(ParseTimeZone, "time-zone.txt"),
	"ParseHostname":          of(ParseHostname, "hostname.txt"),
	"ParseYesNo":             of(ParseYesNo, "yes.txt"),
	"ParseSystemLocale":      of(ParseSystemLocale, "localectl.txt localectl-times.txt"),
	"ParseDesktopEntry":      of(ParseDesktopEntry, "desktop-entry.txt"),
	"ParseOwnership":         of(ParseOwnership, "ownership.txt"),
	"ParseEnabled":           of(ParseEnabled, "nmcli-enabled.txt"),
	"ParseActiveProfiles":    of(ParseActiveProfiles, "nmcli-active.txt"),
	"ParseProfileDNS":        of(ParseProfileDNS, "nmcli-dns.txt nmcli-dns6.txt"),
	"ParseSoundNode":         of(ParseSoundNode, "wpctl-inspect.txt"),
	"ParseCardProfiles":      of(ParseCardProfiles, "pactl-cards.txt"),
	"ParsePulseMute":         of(ParsePulseMute, "pactl-mute.txt"),
	"ParsePulseName":         of(ParsePulseName, "pactl-sink.txt"),
	"ParseUnit":              of(ParseUnit, "unit-show.txt"),
	"ParseUnitFiles":         of(ParseUnitFiles, "unit-cat.txt"),
	"ParseLog":               of(ParseLog, "unit-log.txt"),
	"ParseHolders":           of(ParseHolders, "ss-cgroup.txt"),
	"ParseMountOf":           of(ParseMountOf, "mount-of.txt"),
	"ParseConfigLines":       of(ParseConfigLines, "boot-entries.txt"),
	"ParseInhibitors":        of(ParseInhibitors, "inhibitors.txt"),
	"ParseJava":              of(ParseJava, "java.txt"),
	"ParseFlatpakPrograms":   of(ParseFlatpakPrograms, "flatpak-programs.txt"),
	"ParseBtrfs":             of(ParseBtrfs, "btrfs-usage.txt"),
	"ParseFoundMounts":       of(ParseFoundMounts, "findmnt.json"),

	"ParseNetworks":          of(ParseNetworks, "nmcli-wifi.txt"),
	"ParseProfiles":          of(ParseProfiles, "nmcli-profiles.txt"),
	"ParseMonitorBrightness": of(ParseMonitorBrightness, "ddcutil.txt"),
	"ParseTrueFalse":         of(ParseTrueFalse, "gsettings-true.txt"),
	"ParsePowerProfile":      of(ParsePowerProfile, "powerprofile.txt"),
	"ParseScheduledShutdown": of(ParseScheduledShutdown, "shutdown-scheduled.txt"),
	"ParseFoundFiles":        of(ParseFoundFiles, "found-files.txt"),
	"ParseAutostart":         of(ParseAutostart, "autostart.txt"),
	"ParseEntries":           of(ParseEntries, "entries.txt"),
	"ParseKScreens":          of(ParseKScreens, "kscreen.json"),
	"ParseSwayScreens":       of(ParseSwayScreens, "sway-outputs.json"),
	"ParseHyprlandScreens":   of(ParseHyprlandScreens, "hyprland-monitors.json"),
	"ParseXScreens":          of(ParseXScreens, "xrandr.txt"),
	"ParseListsFetched":      of(ParseListsFetched, "lists-fetched.txt"),
	"ParseListAge":           of(ParseListAge, "preview-stale.json"),
	"ParseSnapperRoot":       of(ParseSnapperRoot, "snapper-configs.csv"),
	"ParseSnapshotChanges":   of(ParseSnapshotChanges, "snapper-status.txt"),
	"ParseProcessStat":       of(ParseProcessStat, "proc-stat.txt"),
}

// unreadable contains no information, whichever program printed it.
var unreadable = []string{"\xff\xfe ???\n", "lorem ipsum dolor sit amet\n", "Input/output error\n", "bash: permission denied\n", "{\"a\":1}\n", "null\n"}

func recorded(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return text
}

func TestReadersReadWhatWasRecorded(t *testing.T) {
	for name, r := range readers {
		for file := range strings.FieldsSeq(r.files) {
			v, err := r.read(recorded(t, file))
			require.NoError(t, err, "%s of %s", name, file)
			if k := reflect.ValueOf(v); k.Kind() == reflect.Slice || k.Kind() == reflect.Map {
				require.True(t, k.Len() > 0 || file == "uevent-mouse.txt", "%s of %s", name, file)
			} else {
				require.False(t, k.IsZero(), "%s of %s", name, file)
			}
		}
	}
}

func TestWhatCannotBeReadIsAnError(t *testing.T) {
	for name, r := range readers {
		for _, text := range unreadable {
			if name == "ParseFields" && strings.Contains(text, ":") || name == "ParseAddresses" || name == "ParseLinks" || name == "ParseRoutes" || name == "ParseMounts" || name == "ParseFlatpakPrograms" ||
				name == "ParsePackages" && strings.Count(text, " ") == 1 ||
				text == "null\n" && slices.Contains([]string{"ParseTimeZone", "ParseHostname", "ParsePulseName"}, name) {
				continue // any words are a row
			}
			_, err := r.read([]byte(text))
			require.ErrorContains(t, err, "cannot read the output of ", "%s of %q", name, text)
		}
	}
}

// declarations returns the exported functions and the probes of this package.
func declarations(t *testing.T) (functions []string, probes map[string]Probe) {
	t.Helper()
	probes = map[string]Probe{}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && strings.HasPrefix(n.Name.Name, "Parse") {
					functions = append(functions, n.Name.Name)
				}
			case *ast.ValueSpec:
				if len(n.Values) != 1 || !strings.HasSuffix(n.Names[0].Name, "Probe") {
					break
				}
				for _, e := range n.Values[0].(*ast.CompositeLit).Elts {
					word, err := strconv.Unquote(e.(*ast.BasicLit).Value)
					require.NoError(t, err)
					probes[n.Names[0].Name] = append(probes[n.Names[0].Name], word)
				}
			}
			return true
		})
	}
	return functions, probes
}

func TestEveryReaderIsTested(t *testing.T) {
	functions, _ := declarations(t)
	for _, name := range functions {
		switch name {
		case "ParseAssignments", "ParseNameServers", "ParsePacmanPaths", "ParseFSTab", "ParseSwaps", "ParseJournalAccess": // a file of only comments is empty, not unreadable
		case "ParseProcess", "ParseFSTabError", "ParseKills": // any line is a name, and most texts have no error; tested in its own file
		case "ParseSize", "ParseNumber", "ParseFileTimes", "ParseUnitStates": // tested below
		case "ParseListeners": // two families; tested in its own file
		case "ParseScript": // other files are no scripts; tested in its own file
		case "ParseCache", "ParseRefusals", "ParseExisting", "ParseDamagedEntry": // other texts say nothing; tested in their own file
		case "ParseArchNews", "ParseLastFullUpgrade": // tested in their own file
		case "ParseProviders", "ParseLocalEntry", "ParseDamagedEntries", "ParseMissingFiles", "ParseFileChecks", "ParseLogTime": // other lines name no package; tested in their own file
		case "ParseBackupDirs": // most packages have none; tested in its own file
		case "ParseHealth": // no boot and no failure is no mistake; tested in its own file
		default:
			_, ok := readers[name]
			require.True(t, ok, "%s is in no test", name)
		}
	}
}

func TestEveryProbeIsSafe(t *testing.T) {
	checker := safety.New(safety.Options{Home: "/home/kim", User: "kim", Dir: "/home/kim", EvalSymlinks: filepath.EvalSymlinks, Glob: filepath.Glob})
	_, probes := declarations(t)
	require.Greater(t, len(probes), 50)
	for name, p := range probes {
		v := checker.Judge(p.String())
		require.Equal(t, safety.Safe, v.Class, "%s: %s: %v", name, p, v.Reasons)
		v = checker.JudgeArgv("", p)
		require.Equal(t, safety.Safe, v.Class, "%s: %q: %v", name, p, v.Reasons)
	}
	const cached = "/var/cache/pacman/pkg/bash-5.2-1-x86_64.pkg.tar.zst"
	for _, p := range []Probe{
		MemberSumProbe(cached, "/etc/bash.bashrc"), DistanceProbe(cached, "/etc/bash.bashrc"),
		MergeProbe("/etc/bash.bashrc", cached, "/etc/bash.bashrc.pacnew"), LeftFilesLogProbe("gtk+", "bash"),
	} {
		require.Equal(t, safety.Safe, checker.Judge(p.String()).Class, p.String()) // needs a shell
	}
	const kept = "/home/kim/.config/blunux-ai/receipts/files/0a1b"
	for _, p := range []Probe{DistanceProbe(kept, "/etc/bash.bashrc"), MergeProbe("/etc/bash.bashrc", kept, "/etc/bash.bashrc.pacnew")} {
		require.Equal(t, safety.Safe, checker.Judge(p.String()).Class, p.String())
	}
	require.Equal(t, safety.Safe, checker.Judge(LibrariesProbe("libc.so.6", "libstdc++.so.6").String()).Class) // needs a shell
	require.Equal(t, "pacman -Sup --print-format '%n %v %s'", DownloadsProbe.String())
	for _, p := range []Probe{
		FileProbe("/usr/bin/ls"), LinkProbe("/usr/bin/ls"), ScriptProbe("/usr/bin/ls"), DynamicProbe("/usr/bin/ls"), PackageFileProbe("/usr/bin/ls"), PackageFilesProbe("bash"), ProvidersProbe("/usr/bin/ls"), CoreDumpProbe("/usr/bin/ls"), ServersProbe("core"), MirrorLinesProbe("mirror.example.org"), HostProbe("mirror.example.org"), FileHeadProbe("/var/lib/pacman/sync/core.db"), RoomProbe("/var/cache/pacman/pkg"),
		InstalledProbe("gcc-libs", "glibc"), NeededProbe("htop"), HoldLinesProbe, PreviewProbe(false), PreviewProbe(true), InstallFilesProbe("/var/cache/pacman/pkg/mesa-1:24.2.7-1-x86_64.pkg.tar.zst"), GroupsProbe("base-devel"), UnitsProbe(false, "nginx", "a@1.service"), UnitsProbe(true, `dev-sda\x2d1.swap`),
		LingerProbe("kim"), DefaultApplicationProbe("x-scheme-handler/https"), OwnershipProbe("/var/lib/my sql"),
		ProfileDNSProbe("Home: WiFi 집", "ipv4"), ProfileDNSProbe("a", "ipv6"), AutoconnectProbe("Home"),
		UnitProbe(false, "nginx.service"), UnitProbe(true, "a@1.service"), UnitFilesProbe(false, "nginx.service"), UnitFilesProbe(true, "a.service"), UnitNamesProbe(false, "service"), UnitNamesProbe(true, "timer"),
		UnitLogProbe(false, "nginx.service"), UnitLogProbe(true, "a.service"), MountOfProbe("/usr/bin/sudo"), UserProbe("kim"), AccountProbe("kim"), GroupProbe("uucp"), AttributesProbe("/etc/resolv.conf"), CertificateEndProbe("/etc/nginx/a.crt"),
		PrinterProbe("HP_LaserJet"), KernelLogProbe("firmware"), FlatpakOverridesProbe("org.gimp.GIMP"), LocaleGenProbe("ko_KR.UTF-8"), FontsProbe("ko"), BluetoothDeviceProbe("AA:BB:CC:DD:EE:FF"), TimesProbe("/var/lib/pacman/local"), MountPointProbe("/mnt/my disk"), MountedDeviceProbe("/dev/sdb1"), HealthProbe(30),
		SpaceProbe(""), SpaceProbe("/srv"), FileCountProbe("/srv"), LargeDirectoriesProbe("/srv", 9), ManyFilesProbe("/srv", 9), LargeFilesProbe("/srv", 9),
		SmartProbe("/dev/sda", ""), SmartProbe("/dev/sda", "sat"), KeymapProbe("kr104"), ConsoleFontProbe("ter-v16n"), OwnersOfProbe("/usr/lib/python3.12"), WrapperProbe("/usr/bin/a"), FirmwareProbe("iwlwifi-a.ucode"), CacheProbe(2), CachedFilesProbe("/var/cache/pacman/pkg"),
		DirectorySizeProbe("/srv"), OwnSizeProbe("/srv"), SubvolumesProbe("/srv"), ReadOnlyProbe("/srv/a"), BtrfsProbe("/srv"), ProcessProbe("/proc/12"), UsersProbe("/srv"),
		FileOwnersProbe("/etc/pacman.conf", "/etc/a.pacnew"), CachedVersionsProbe("bash", "5.2-1", "1:5.3+r1-2"),
		LeftBesideProbe("/boot", "/usr/lib/a b"),
		EntryProbe("/usr/share/applications/firefox.desktop"),
	} {
		v := checker.JudgeArgv("", p)
		require.Equal(t, safety.Safe, v.Class, "%q: %v", p, v.Reasons)
	}
}

func TestKeysOfTwoProgramsHaveOneForm(t *testing.T) {
	keys := read(ParseTriggerKeys, string(recorded(t, "fcitx5-keys.txt")))
	require.Equal(t, []string{"ctrl+space", "zenkaku_hankaku", "hangul"}, keys)
	require.Equal(t, []Shortcut{
		{"_launch", []string{"alt+space", "alt+f2", "search"}}, {"switch", []string{"ctrl+space"}},
	}, read(ParsePlasmaKeys, string(recorded(t, "kglobalshortcuts.txt"))))
	require.Equal(t, "ctrl+meta+space", foldKey("Super+Control+space"))
}

func TestInterfacesWithTheirFigures(t *testing.T) {
	require.Equal(t, Traffic{"wg0", 0, 8880}, read(ParseTraffic, string(recorded(t, "net-dev.txt")))[1])
	require.Equal(t, LinkValues{"wg0", []string{"10.2.0.1"}}, read(ParseLinkValues, string(recorded(t, "resolvectl-dns.txt")))[1])
}

func TestPackagesAndGroups(t *testing.T) {
	missing, err := ParseMissingPackages(recorded(t, "packages-missing.txt"))
	require.NoError(t, err)
	require.Equal(t, []string{"nosuch", "base"}, missing)
	_, err = ParseMissingPackages([]byte("error: failed to initialize alpm library:\n"))
	require.Error(t, err)
	groups, err := ParseGroups(recorded(t, "groups.txt"))
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"base": {"blunux-base", "htop"}}, groups)
	groups, err = ParseGroups(nil)
	require.NoError(t, err)
	require.Empty(t, groups)
}

func TestProgramsInProbesHaveAPackageOrComeWithTheSystem(t *testing.T) {
	_, probes := declarations(t)
	for name, p := range probes {
		switch p[0] {
		case "top", "id", "bluetoothctl", "wpctl", "pactl", "coredumpctl", "lpstat", "timedatectl", "localectl", "hostnamectl", "xdg-settings":
		default:
			require.NotEmpty(t, PackageOf(p[0]), name)
		}
	}
}

func TestFilesWithoutErrors(t *testing.T) {
	require.Equal(t, "Blunux Linux", ParseAssignments(recorded(t, "os-release.txt"))["PRETTY_NAME"])
	require.Equal(t, map[string]string{"A": "b c", "LANG": "ko_KR.eucKR"}, ParseAssignments([]byte("# X=y\nA=\"b c\"\nA=d\nLANG=ko_KR.eucKR\nnonsense\n")))
	require.Equal(t, []string{"127.0.0.53"}, ParseNameServers(recorded(t, "resolv-conf.txt")))
	require.Equal(t, []string{"/dev/zram0", "/swap file"}, ParseSwaps(recorded(t, "swaps.txt")))
	fstab := ParseFSTab(recorded(t, "fstab.txt"))
	require.Len(t, fstab, 2)
	require.Equal(t, "/boot", fstab[1].Target)
	for _, text := range []string{"", "# nothing\n"} {
		require.Empty(t, ParseAssignments([]byte(text)))
		require.Empty(t, ParseNameServers([]byte(text)))
		require.Empty(t, ParseSwaps([]byte(text)))
		require.Empty(t, ParseFSTab([]byte(text)))
	}
}

func TestJournalAccess(t *testing.T) {
	hint := "Hint: You are currently not seeing messages from other users and the system.\n"
	for text, want := range map[string]JournalAccess{
		"":   {},
		hint: {OwnOnly: true},
		hint + "No journal files were opened due to insufficient permissions.\n": {OwnOnly: true, Denied: true},
		"No journal files were found.\n":                                         {Absent: true},
	} {
		require.Equal(t, want, ParseJournalAccess([]byte(text)), text)
	}
}

func TestSettingsAreReadExactly(t *testing.T) {
	require.Equal(t, []string{"LANG=ko_KR.UTF-8", "LC_TIME=en_GB.UTF-8"}, read(ParseSystemLocale, string(recorded(t, "localectl-times.txt"))))
	locale, err := ParseSystemLocale(recorded(t, "localectl-unset.txt"))
	require.NoError(t, err)
	require.Empty(t, locale)
	_, err = ParseSystemLocale([]byte("System Locale: something else\n"))
	require.Error(t, err)
	require.Equal(t, ActiveProfile{"Home: WiFi 집", "f87862d4-ed75-4dad-889c-f9694b50c7b6", "activated"}, read(ParseActiveProfiles, string(recorded(t, "nmcli-active.txt")))[1])
	require.Equal(t, ProfileDNS{[]string{"1.1.1.1", "8.8.8.8"}, true}, read(ParseProfileDNS, string(recorded(t, "nmcli-dns.txt"))))
	require.Equal(t, ProfileDNS{[]string{"2606:4700::1111", "2001:db8::1"}, false}, read(ParseProfileDNS, string(recorded(t, "nmcli-dns6.txt"))))
	dns, err := ParseProfileDNS(recorded(t, "nmcli-dns-none.txt"))
	require.NoError(t, err)
	require.Empty(t, dns.Servers)
	require.False(t, dns.IgnoreAuto)
	require.Equal(t, SoundNode{"43", "speaker"}, read(ParseSoundNode, string(recorded(t, "wpctl-inspect.txt"))))
	require.Equal(t, Ownership{"root", "root", "0", "0", "4755", false}, read(ParseOwnership, string(recorded(t, "ownership.txt"))))
	require.Equal(t, Ownership{"1234", "5678", "1234", "5678", "644", true}, read(ParseOwnership, "UNKNOWN UNKNOWN 1234 5678 644 directory\n"))
	require.Equal(t, []Mount{{Source: "proc", Target: "/proc", Type: "proc"}}, read(ParseFoundMounts, string(recorded(t, "findmnt.json"))))
	require.True(t, IsAbsentUser([]byte("Failed to get user: User ID 65534 is not logged in or lingering\n")))
	require.False(t, IsAbsentUser([]byte("Failed to look up user nosuchuser: No such process\n")))
	for name, text := range map[string]string{
		"ParseTimeZone": "Asia/Seoul\nUTC\n", "ParseHostname": "a b\n", "ParseYesNo": "\n", "ParseEnabled": "enabled disabled\n",
		"ParseDesktopEntry": "\n", "ParsePulseMute": "Mute: \n", "ParsePulseName": "@DEFAULT_SINK@\n", "ParseProfileDNS": "1.1.1.1\n",
		"ParseActiveProfiles": "a:b:c\n",
	} {
		_, err := readers[name].read([]byte(text))
		require.Error(t, err, "%s of %q", name, text)
	}
}

func TestFileTimes(t *testing.T) {
	times, err := ParseFileTimes([]byte("1772900000.1234567890\n1772800000\n"))
	require.NoError(t, err)
	require.Equal(t, []int64{1772900000, 1772800000}, []int64{times[0].Unix(), times[1].Unix()})
	for _, text := range []string{"0.0\n", "-1.5\n", "1.x\n", "1772900000123456\n", "soon\n"} {
		times, err = ParseFileTimes([]byte(text))
		require.Error(t, err, text)
		require.Empty(t, times)
	}
}

func TestUnitStates(t *testing.T) {
	states, err := ParseUnitStates(recorded(t, "is-active.txt"), "a", "b", "c")
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a": "failed", "b": "inactive", "c": "inactive"}, states)
	_, err = ParseUnitStates(recorded(t, "is-active.txt"), "a")
	require.Error(t, err)
	_, err = ParseUnitStates([]byte("Failed to connect to bus\n"), "a")
	require.Error(t, err)
}

func TestDFReadsBothTables(t *testing.T) {
	all := read(ParseDF, string(recorded(t, "df.txt")))
	require.Equal(t, Filesystem{Source: "//nas/사진 보관", Target: "/mnt/nas", Type: "cifs", Size: "5000000000000", Used: "1000000000000", Available: "4000000000000", Percent: -1}, all[8])
	require.Equal(t, "/run/media/kim/Backup Disk", all[7].Target)
	all, ok := tryRead(ParseDF, "Filesystem Size Used Avail Use% Mounted on\n/dev/mapper/a-very-long-name\n  20G 15G 4G 80% /my data\nnone 0 0 0 - /x\n")
	require.True(t, ok)
	require.Equal(t, []Filesystem{{Source: "/dev/mapper/a-very-long-name", Target: "/my data", Size: "20G", Used: "15G", Available: "4G", Percent: 80}, {Source: "none", Target: "/x", Size: "0", Used: "0", Available: "0", Percent: -1}}, all)
	all, ok = tryRead(ParseDF, "F T S U A M\nnone squashfs - - - /snap\nnone squashfs 1 1\n")
	require.False(t, ok, "a row that is cut off")
	require.Equal(t, []Filesystem{{Source: "none", Target: "/snap", Type: "squashfs", Size: "-", Used: "-", Available: "-", Percent: -1}}, all)
}

func TestListsThatMayBeEmpty(t *testing.T) {
	for name, text := range map[string]string{
		"ParseUnits": string(recorded(t, "failed-none.txt")), "ParseUnitsJSON": "[]\n", "ParseUpdates": "", "ParseSoundCards": "--- no soundcards ---\n", "ParseUSB": "",
		"ParseSockets": "Netid State Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n", "ParseWifi": "IN-USE  BSSID  SSID  MODE  CHAN  RATE  SIGNAL  BARS  SECURITY\n",
		"ParseRoutesJSON": "[]\n", "ParseJournal": "-- No entries --\n", "ParseBlockJSON": `{"blockdevices":[]}`, "ParsePrinting": "scheduler is running\nno system default destination\n",
	} {
		v, err := readers[name].read([]byte(text))
		require.NoError(t, err, name)
		if k := reflect.ValueOf(v); k.Kind() == reflect.Slice {
			require.Zero(t, k.Len(), name)
		}
	}
	for _, name := range []string{"ParseDF", "ParseFree", "ParsePS", "ParseTop", "ParseMeminfo", "ParsePressure", "ParseBlockTree", "ParseAddresses", "ParseClock", "ParseStartup", "ParseAudio"} {
		_, err := readers[name].read(nil)
		require.Error(t, err, "%s of nothing", name)
	}
}

func FuzzReaders(f *testing.F) {
	for _, r := range readers {
		for file := range strings.FieldsSeq(r.files) {
			f.Add(recorded(f, file))
		}
	}
	for _, text := range unreadable {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, r := range readers {
			_, _ = r.read(text)
		}
		ParseAssignments(text)
		ParseNameServers(text)
		ParseFSTab(text)
		ParseSwaps(text)
		for _, fs := range read(ParseDF, string(text)) {
			require.True(t, fs.Percent >= -1 && fs.Percent <= 100 && strings.HasPrefix(fs.Target, "/"), "%+v", fs)
		}
		if m, err := ParseFree(text); err == nil {
			require.True(t, m.Total > 0 && m.Available <= m.Total, "%+v", m)
		}
		for _, ap := range read(ParseWifi, string(text)) {
			require.True(t, ap.Signal >= 0 && ap.Signal <= 100, "%+v", ap)
		}
		for _, h := range append(append(read(ParseSensors, string(text)), read(ParseZones, string(text))...), read(ParseSensorsJSON, string(text))...) {
			require.True(t, h.Celsius >= -40 && h.Celsius <= 150, "%+v", h)
		}
		for _, p := range read(ParsePressure, string(text)) {
			require.True(t, p.Some.Avg60 >= 0 && p.Full.Avg60 <= 100, "%+v", p)
		}
		if snap, err := ParseTop(text); err == nil {
			require.True(t, snap.Busy >= 0 && snap.Busy <= 100 && len(snap.Busiest()) <= len(snap.Tasks), "%+v", snap)
		}
		for _, b := range append(read(ParseUPower, string(text)), Batteries(read(ParseSupplies, string(text)))...) {
			require.True(t, b.Health >= 0 && b.Health <= 150, "%+v", b)
		}
		for _, l := range read(ParseChain, string(text)) {
			require.GreaterOrEqual(t, l.Took, 0.0)
		}
		if rec, ok := read(ParseSmartJSON, string(text)).Record(); ok {
			require.True(t, rec.Heat < 150 && rec.Hours >= SmartUnknown && rec.Left <= 100, "%+v", rec)
		}
		for _, n := range read(ParseAudio, string(text)).Sinks {
			require.True(t, n.Volume >= 0 && n.Volume <= 1000, "%+v", n)
		}
	})
}
