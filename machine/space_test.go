package machine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProcessesAndTheirServices(t *testing.T) {
	name, service := ParseProcess([]byte("nginx\n0::/system.slice/nginx.service\n"))
	require.Equal(t, []string{"nginx", "nginx.service"}, []string{name, service})
	name, service = ParseProcess([]byte("mpv\n0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-mpv.scope\n"))
	require.Equal(t, []string{"mpv", ""}, []string{name, service})
	name, _ = ParseProcess(nil)
	require.Empty(t, name)
	require.Equal(t, "/proc/12", ProcessOf("/proc/12/fd/3"))
	require.Empty(t, ProcessOf("/proc/self/fd/3"))
	require.Empty(t, ProcessOf("/srv/12/fd/3"))
}

func TestFSTabByLine(t *testing.T) {
	all := FSTabEntries("# a comment\n\nUUID=ab / ext4 rw 0 1\nLABEL=x /data xfs noexec,nofail\n")
	require.Equal(t, []int{3, 4}, []int{all[0].Line, all[1].Line})
	require.True(t, all[1].HasOption("nofail"))
	require.False(t, all[0].HasOption("nofail"))
	require.Equal(t, []string{"rw"}, all[0].Options, "the fields after the options are those of dump and fsck")
	require.Equal(t, 2, ParseFSTabError("findmnt: /etc/fstab: parse error at line 2 -- ignored\n"))
	require.Zero(t, ParseFSTabError("Success, no errors or warnings detected\n"))
	b := BlockDevice{Path: "/dev/sda1", UUID: "AB-12", Label: "x"}
	for word, want := range map[string][2]bool{"UUID=ab-12": {true, true}, "LABEL=y": {false, true}, "/dev/sda1": {true, true}, "tmpfs": {false, false}, "/dev/disk/by-uuid/AB-12": {true, true}} {
		is, known := b.Identifies(word)
		require.Equal(t, want, [2]bool{is, known}, word)
	}
}

func TestBootEntries(t *testing.T) {
	require.Equal(t, "linux-firmware-intel", FirmwarePackage("iwlwifi-a.ucode"))
	require.Empty(t, FirmwarePackage("x.bin"))
	require.Equal(t, []string{"ext4"}, LoadedModules("ext4 1000 1 - Live 0x0\n"))
}

func TestKills(t *testing.T) {
	all := ParseKills([]byte("2026-11-25T10:11:12+0900 box kernel: oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/system.slice/a.service,task=x\n" +
		"2026-11-25T10:11:12+0900 box kernel: Memory cgroup out of memory: Killed process 12 (x) total-vm:1kB, anon-rss:2kB, file-rss:0kB\n" +
		"2026-11-25T10:11:13+0900 box kernel: Out of memory: Killed process 13 (y z) total-vm:1kB, anon-rss:3kB, file-rss:0kB\n"))
	require.Equal(t, []Kill{{"2026-11-25T10:11:12+0900", "12", "x", 2048, "/system.slice/a.service"}, {"2026-11-25T10:11:13+0900", "13", "y z", 3072, ""}}, all)
	require.Empty(t, ParseKills([]byte("nothing\n")))
}
