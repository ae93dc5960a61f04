package upgrade

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Level is how much a finding of the guard weighs.
type Level string

// The levels. A person may overrule a hold by their answer to a question that shows it; without a person it stops the upgrade.
// No one can overrule a stop.
const (
	Pass Level = "pass"
	Warn Level = "warn"
	Hold Level = "hold"
	Stop Level = "stop"
)

// weight orders the levels.
func (l Level) weight() int { return slices.Index([]Level{Pass, Warn, Hold, Stop}, l) }

// Finding is what a rule of the guard found.
type Finding struct {
	Rule   string `json:"rule"`
	Level  Level  `json:"level"`
	Reason Reason `json:"reason,omitempty"`
	// Subject is what it is about: a percentage, devices, programs, a mount. Detail is a second part of it.
	Subject string `json:"subject,omitempty"`
	Detail  string `json:"detail,omitempty"`
}

// Reason says why a rule does not pass.
type Reason string

// The reasons.
const (
	BatteryLow   Reason = "battery_low"   // Subject: the charge
	Metered      Reason = "metered"       // Subject: the devices
	Recording    Reason = "recording"     // Subject: the programs
	CameraInUse  Reason = "camera"        // Subject: the program
	OtherSession Reason = "other_session" // Subject: the users
	PacmanRuns   Reason = "pacman_runs"   // Subject: the program
	LockLeft     Reason = "lock_left"
	NoRoomThere  Reason = "no_room"     // Subject: the mount, Detail: the bytes that are missing
	LittleRoom   Reason = "little_room" // Subject: the mount, Detail: the bytes that remain
	RebootDue    Reason = "reboot_due"  // Subject: the running kernel
	Unseen       Reason = "unseen"      // the looks show nothing: that is no reason to wait
)

// The bounds of the guard.
const (
	leastCharge = 40        // percent of a battery that is not charged
	lowCharge   = 15        // percent below which the computer soon turns itself off
	leastRoom   = 256 << 20 // bytes that a file system should keep
	imageShare  = 1.2       // a boot image is written beside the old one, and can be larger
	leastImage  = 4 << 20   // bytes without which no image can be written
)

// rule is a row of the guard.
type rule struct {
	name  string
	looks []machine.Probe
	judge func(f facts) Finding
}

// rules are what the guard looks at before an upgrade, in the order in which it is reported.
var rules = []rule{
	{"room", nil, judgeRoom},
	{"pacman", []machine.Probe{machine.LockProbe, machine.PackageProgramsProbe}, judgePacman},
	{"battery", []machine.Probe{machine.UPowerProbe}, judgeBattery},
	{"metered", []machine.Probe{machine.MeteredProbe}, judgeMetered},
	{"recording", []machine.Probe{machine.RecordingsProbe}, judgeRecording},
	{"camera", []machine.Probe{machine.CameraUsersProbe}, judgeCamera},
	{"sessions", []machine.Probe{machine.SessionsProbe, machine.IDProbe}, judgeSessions},
	{"reboot", []machine.Probe{machine.KernelProbe, machine.ModuleTreesProbe}, judgeReboot},
}

// facts are what the looks of the guard showed, by command.
type facts struct {
	preview Preview
	seen    map[string]diagnose.Output
}

// output returns what a look printed. ok is false if it could not run.
func (f facts) output(p machine.Probe) (out diagnose.Output, ok bool) {
	out, ok = f.seen[p.String()]
	return out, ok && !out.Unseen && !out.Cut
}

// GuardProbes returns the looks of the guard.
func GuardProbes() (all []machine.Probe) {
	for _, r := range rules {
		all = append(all, r.looks...)
	}
	return all
}

// parallelLooks bounds how many looks run at the same time.
const parallelLooks = 4

// Guard looks at what speaks against the upgrade now. It returns a finding for each rule; ctx ends the looks.
func Guard(ctx context.Context, p Preview, look func(ctx context.Context, command string) diagnose.Output) []Finding {
	f := facts{p, gather(ctx, GuardProbes(), look)}
	all := make([]Finding, len(rules))
	for i, r := range rules {
		all[i] = r.judge(f)
		all[i].Rule, all[i].Level = r.name, cmp.Or(all[i].Level, Pass)
	}
	return all
}

// gather runs looks, a few at a time.
func gather(ctx context.Context, probes []machine.Probe, look func(context.Context, string) diagnose.Output) map[string]diagnose.Output {
	seen := map[string]diagnose.Output{}
	var mu sync.Mutex
	var group sync.WaitGroup
	free := make(chan struct{}, parallelLooks)
	for _, p := range probes {
		group.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			out := look(ctx, p.String())
			mu.Lock()
			defer mu.Unlock()
			seen[p.String()] = out
		})
	}
	group.Wait()
	return seen
}

var unseen = Finding{Reason: Unseen}

func judgeRoom(f facts) (worst Finding) {
	for _, m := range f.preview.Mounts {
		if found := m.judge(); found.Level.weight() > worst.Level.weight() {
			worst = found
		}
	}
	return worst
}

// judge compares what an upgrade needs on a file system with what is free.
func (m Mount) judge() Finding {
	left := m.Free - max(m.Change, 0) - m.Fetch
	image := m.Free - int64(float64(m.Image)*imageShare)
	switch {
	case left < 0:
		return Finding{Level: Stop, Reason: NoRoomThere, Subject: m.Target, Detail: i18n.Size(-left)}
	case m.Image > 0 && m.Free < leastImage:
		return Finding{Level: Stop, Reason: NoRoomThere, Subject: m.Target, Detail: i18n.Size(leastImage - m.Free)}
	case m.Image > 0 && image < 0:
		return Finding{Level: Warn, Reason: LittleRoom, Subject: m.Target, Detail: i18n.Size(m.Free)}
	case m.Image == 0 && left < leastRoom:
		return Finding{Level: Warn, Reason: LittleRoom, Subject: m.Target, Detail: i18n.Size(left)}
	}
	return Finding{}
}

// judgePacman stops while another program changes packages, and while a lock is left: pacman refuses then.
func judgePacman(f facts) Finding {
	lock, ok := f.output(machine.LockProbe)
	if !ok {
		return unseen
	}
	if lock.Exit != 0 {
		return Finding{}
	}
	programs, _ := f.output(machine.PackageProgramsProbe)
	var names []string
	for _, line := range machine.Lines(programs.Stdout) {
		if _, name, found := strings.Cut(strings.TrimSpace(line), " "); found && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return Finding{Level: Stop, Reason: LockLeft}
	}
	return Finding{Level: Stop, Reason: PacmanRuns, Subject: strings.Join(names, ", ")}
}

func judgeBattery(f facts) Finding {
	out, ok := f.output(machine.UPowerProbe)
	if !ok {
		return unseen
	}
	return chargeBelow(out, leastCharge)
}

// IsBatteryLow reports whether what [machine.UPowerProbe] printed shows a battery that will soon be empty.
func IsBatteryLow(out diagnose.Output) bool {
	return !out.Unseen && !out.Cut && chargeBelow(out, lowCharge).Level == Hold
}

// chargeBelow finds a battery that is not charged and has less than a percentage.
func chargeBelow(out diagnose.Output, least float64) Finding {
	all, err := machine.ParseUPower([]byte(out.Stdout))
	if err != nil {
		return unseen
	}
	for _, b := range all {
		if b.Measured && b.Percent < least && !b.Plugged && b.State != "charging" && b.State != "fully-charged" {
			return Finding{Level: Hold, Reason: BatteryLow, Subject: fmt.Sprintf("%.0f%%", b.Percent)}
		}
	}
	return Finding{}
}

func judgeMetered(f facts) Finding {
	out, ok := f.output(machine.MeteredProbe)
	if !ok || out.Exit != 0 {
		return unseen
	}
	devices, err := machine.ParseMetered([]byte(out.Stdout))
	if err != nil {
		return unseen
	}
	if len(devices) > 0 && f.preview.Download > 0 {
		return Finding{Level: Hold, Reason: Metered, Subject: strings.Join(devices, ", ")}
	}
	return Finding{}
}

func judgeRecording(f facts) Finding {
	out, ok := f.output(machine.RecordingsProbe)
	if !ok || out.Exit != 0 {
		return unseen
	}
	programs, err := machine.ParseRecordings([]byte(out.Stdout))
	switch {
	case err != nil:
		return unseen
	case len(programs) > 0:
		return Finding{Level: Hold, Reason: Recording, Subject: strings.Join(programs, ", ")}
	}
	return Finding{}
}

func judgeCamera(f facts) Finding {
	out, ok := f.output(machine.CameraUsersProbe)
	if !ok {
		return unseen
	}
	for _, u := range machine.FileUsers(out.Stdout, out.Stderr) {
		if u.Program != "wireplumber" && u.Program != "pipewire" { // they only offer it
			return Finding{Level: Hold, Reason: CameraInUse, Subject: machine.CleanLine(u.Program)}
		}
	}
	return Finding{}
}

func judgeSessions(f facts) Finding {
	out, ok := f.output(machine.SessionsProbe)
	id, known := f.output(machine.IDProbe)
	me, err := machine.ParseID([]byte(id.Stdout))
	if !ok || out.Exit != 0 || !known || err != nil {
		return unseen
	}
	sessions, _ := machine.ParseSessions([]byte(out.Stdout)) // what it can read
	var others []string
	for _, s := range sessions {
		if s.User != me.User && s.UID != "0" && s.Seat != "" && !slices.Contains(others, s.User) {
			others = append(others, s.User)
		}
	}
	if len(others) > 0 {
		return Finding{Level: Warn, Reason: OtherSession, Subject: strings.Join(others, ", ")}
	}
	return Finding{}
}

// judgeReboot warns if the running kernel has no modules any more: an upgrade before has replaced it.
func judgeReboot(f facts) Finding {
	kernel, ok := f.output(machine.KernelProbe)
	trees, known := f.output(machine.ModuleTreesProbe)
	release, kernels := strings.TrimSpace(kernel.Stdout), strings.Fields(trees.Stdout)
	if !ok || !known || trees.Exit != 0 || release == "" || len(kernels) == 0 {
		return unseen
	}
	if !slices.Contains(kernels, release) {
		return Finding{Level: Warn, Reason: RebootDue, Subject: release}
	}
	return Finding{}
}
