package machine

import (
	"strconv"
	"strings"
	"time"
)

// HealthLines bounds the lines that [HealthProbe] prints: the latest ones.
const HealthLines = 400

// HealthProbe lists the boots that finished and the units that failed in the last days: the messages of systemd with the
// ids SD_MESSAGE_STARTUP_FINISHED and SD_MESSAGE_UNIT_FAILURE_RESULT (systemd, src/systemd/sd-messages.h).
func HealthProbe(days int) Probe {
	return Probe{
		"journalctl", "--no-pager", "-q", "-o", "short-unix", "--since=-" + strconv.Itoa(days) + "d", "-n", strconv.Itoa(HealthLines),
		"MESSAGE_ID=b07a249cd024414a82dd00cd181378ff", "MESSAGE_ID=d9b373ed55a64feb8242e02dbe79a49c",
	}
}

// Boot is a boot that finished.
type Boot struct {
	At   time.Time
	Took float64 // seconds, with firmware and boot loader if systemd knows them
}

// UnitFailure is a unit that failed.
type UnitFailure struct {
	At   time.Time
	Unit string
}

// ParseHealth parses the output of [HealthProbe]: "1732612000.123456 host systemd[1]: TEXT" (journalctl(1), -o short-unix).
// Lines are those that it could read. Other texts with these ids, such as those of a user's manager, are no boots.
func ParseHealth(text []byte) (boots []Boot, failures []UnitFailure, lines int) {
	for _, line := range LogLines(text) {
		stamp, rest, _ := strings.Cut(line, " ")
		seconds, err := strconv.ParseFloat(stamp, 64)
		_, said, ok := strings.Cut(rest, ": ")
		if err != nil || !ok || seconds <= 0 || seconds > 1e11 {
			continue
		}
		lines++
		at := time.UnixMicro(int64(seconds * 1e6))
		if unit, _, ok := strings.Cut(said, ": Failed with result '"); ok && !strings.ContainsAny(unit, " \t") {
			failures = append(failures, UnitFailure{at, unit})
			continue
		}
		// The user's manager reports "Startup finished in 80ms." without parts.
		if s, err := ParseStartup([]byte(strings.TrimSuffix(said, "."))); err == nil && len(s.Parts) > 1 {
			boots = append(boots, Boot{at, s.Total})
		}
	}
	return boots, failures, lines
}

// KernelBootsProbe lists the kernels that were booted in the last days: the first message of each (linux, init/version.c).
func KernelBootsProbe(days int) Probe {
	return Probe{
		"journalctl", "--no-pager", "-q", "-o", "short-unix", "--since=-" + strconv.Itoa(days) + "d", "-n", "60", "-t", "kernel", "-g", "^Linux version ",
	}
}

// KernelBoot is a boot with its kernel.
type KernelBoot struct {
	At     time.Time
	Kernel string // as uname -r prints it
}

// ParseKernelBoots parses the output of [KernelBootsProbe]. It skips other lines.
func ParseKernelBoots(text []byte) []KernelBoot {
	return lineRows(text, func(line string) (b KernelBoot, ok bool) {
		stamp, rest, _ := strings.Cut(line, " ")
		seconds, err := strconv.ParseFloat(stamp, 64)
		_, version, ok := strings.Cut(rest, "kernel: Linux version ")
		b.Kernel, _, _ = strings.Cut(version, " ")
		b.At = time.UnixMicro(int64(seconds * 1e6))
		return b, ok && err == nil && seconds > 0 && seconds < 1e11 && b.Kernel != ""
	})
}
