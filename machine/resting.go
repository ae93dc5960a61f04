package machine

import (
	"strconv"
	"strings"
)

var (
	// KillsProbe shows which processes the kernel killed in the last week because memory ran out.
	KillsProbe = Probe{"journalctl", "-k", "--no-pager", "-q", "-o", "short-iso", "--since", "-7d", "-n", "100", "-g", "Killed process|oom-kill:"}
	// OOMDProbe shows what systemd-oomd killed in the last week.
	OOMDProbe = Probe{"journalctl", "--no-pager", "-q", "-o", "short-iso", "--since", "-7d", "-n", "50", "SYSLOG_IDENTIFIER=systemd-oomd"}
	// ZramConfigurationProbe shows the settings of zram-generator.
	ZramConfigurationProbe = Probe{"cat", "/etc/systemd/zram-generator.conf"}
	// InhibitorsProbe lists the programs that keep the computer from sleeping.
	InhibitorsProbe = Probe{"systemd-inhibit", "--list", "--no-pager", "--no-legend"}
	// SleepTargetsProbe shows whether sleeping is masked.
	SleepTargetsProbe = Probe{"systemctl", "show", "-p", "Id,LoadState,UnitFileState,ActiveState", "--", "sleep.target", "suspend.target", "hibernate.target", "hybrid-sleep.target"}
	// LidProbe shows what closing the lid does: logind.conf(5). [ParseConfigLines] reads it.
	LidProbe = Probe{"find", "/etc/systemd/logind.conf", "/etc/systemd/logind.conf.d", "-type", "f", "-exec", "grep", "-H", "-E", "^[[:space:]]*HandleLid", "{}", "+"}
	// SleepLogProbe shows what was logged about sleeping since the system started.
	SleepLogProbe = Probe{"journalctl", "-b", "--no-pager", "-q", "-o", "cat", "-n", "200", "SYSLOG_IDENTIFIER=systemd-sleep", "+", "SYSLOG_IDENTIFIER=systemd-logind"}
	// SleepStateProbe shows how the machine sleeps: "s2idle [deep]" (Linux, Documentation/admin-guide/pm/sleep-states.rst).
	SleepStateProbe = Probe{"cat", "/sys/power/mem_sleep"}
	// CommandLineProbe shows the command line of the kernel.
	CommandLineProbe = Probe{"cat", "/proc/cmdline"}
	// NvidiaSleepProbe shows the services that keep the memory of NVIDIA's driver while sleeping.
	NvidiaSleepProbe = Probe{"systemctl", "show", "-p", "Id,LoadState,UnitFileState,ActiveState", "--", "nvidia-suspend.service", "nvidia-resume.service"}
	// ThresholdsProbe shows at which charge charging ends. [ParseConfigLines] reads it.
	ThresholdsProbe = Probe{"find", "-L", "/sys/class/power_supply", "-mindepth", "2", "-maxdepth", "2", "-name", "charge_control_end_threshold", "-exec", "grep", "-H", ".", "{}", "+"}
	// UeventsProbe shows the power supplies as the kernel does, without a shell.
	UeventsProbe = Probe{"find", "-L", "/sys/class/power_supply", "-mindepth", "2", "-maxdepth", "2", "-name", "uevent", "-exec", "cat", "{}", "+"}
	// PowerProfileProbe shows the power profile in use: powerprofilesctl(1).
	PowerProfileProbe = Probe{"powerprofilesctl", "get"}
	// GovernorProbe shows how the processor's speed is chosen, and by which driver.
	GovernorProbe = Probe{"cat", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"}
	// BtrfsOperationsProbe shows which btrfs is being balanced or the like. [ParseConfigLines] reads it.
	BtrfsOperationsProbe = Probe{"find", "/sys/fs/btrfs", "-mindepth", "2", "-maxdepth", "2", "-name", "exclusive_operation", "-exec", "grep", "-H", ".", "{}", "+"}
)

// Kill is a process that the kernel killed for its memory.
type Kill struct {
	At, PID, Program string
	Bytes            float64
	Group            string // the control group whose limit was reached, "" if the machine had no memory left
}

var (
	killForm    = pattern(`^(\S+) \S+ kernel: (Memory cgroup out|Out) of memory: Killed process (\d+) \(([^)]*)\).*anon-rss:(\d+)kB`)
	memoryGroup = pattern(`oom-kill:constraint=CONSTRAINT_MEMCG\S*oom_memcg=([^,]+),`)
)

// ParseKills parses [KillsProbe] (Linux, mm/oom_kill.c): the kills, the latest last.
func ParseKills(text []byte) (all []Kill) {
	group := ""
	for line := range strings.Lines(string(text)) {
		if m := memoryGroup().FindStringSubmatch(line); m != nil {
			group = CleanLine(m[1])
		}
		if m := killForm().FindStringSubmatch(line); m != nil {
			k := Kill{At: m[1], PID: m[3], Program: CleanLine(m[4])}
			kib, _ := strconv.ParseFloat(m[5], 64)
			k.Bytes = kib * 1024
			if m[2] != "Out" {
				k.Group = group
			}
			all = append(all, k)
		}
	}
	return all
}

// Inhibitor is a program that keeps the computer from sleeping or idling.
type Inhibitor struct{ Who, User, PID, Program, What, Why, Mode string }

var inhibitorForm = pattern(`^(.+?)\s+\d+\s+(\S+)\s+(\d+)\s+(\S+)\s+((?:shutdown|sleep|idle|handle-[a-z-]+)(?::[a-z-]+)*)\s+(.*?)\s+(block|delay|block-weak)$`)

// ParseInhibitors parses systemd-inhibit --list (systemd-inhibit(1)): WHO UID USER PID COMM WHAT WHY MODE.
func ParseInhibitors(text []byte) ([]Inhibitor, error) {
	return matchingRows(text, "systemd-inhibit", inhibitorForm, func(m []string) Inhibitor {
		return Inhibitor{m[1], m[2], m[3], m[4], m[5], m[6], m[7]}
	})
}
