package rules

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/automation/check"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/look"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/tools"
)

const (
	// firstInterval and waitInterval bound how often the running daemon looks at what it cannot watch: units, hosts and the
	// battery.
	firstInterval = 10 * time.Second
	waitInterval  = 10 * time.Minute
	// settleTime is how long a file must be unchanged to be complete.
	settleTime = 30 * time.Second
	// abandonedAfter is when an unfinished download that does not grow no longer counts.
	abandonedAfter = 24 * time.Hour
	// lookTimeout bounds one look at the machine, dialTimeout the connection to a host.
	lookTimeout = 20 * time.Second
	dialTimeout = 2 * time.Second
)

// wait is something that a reminder waits for.
type wait struct {
	rule, event string // the event as written in the rule
	automation.Event
}

// waits returns what the enabled reminders wait for.
func (a *Automations) waits() (all []wait) {
	for _, p := range a.All() {
		for _, text := range p.On {
			if e, err := automation.ParseEvent(text); err == nil && p.Enabled && e.Kind.Waits() {
				all = append(all, wait{p.Name, text, e.At(config.HomeDir(os.Getenv))})
			}
		}
	}
	sorting.By(all, func(x, y wait) int { return strings.Compare(x.rule+"\x00"+x.event, y.rule+"\x00"+y.event) })
	return all
}

// lookAtWaits makes followWaits look again, as after a change of rules or files.
func (a *Automations) lookAtWaits() {
	select {
	case a.waitsChanged <- struct{}{}:
	default:
	}
}

// followWaits starts the reminders whose event has happened, until the daemon stops.
func (a *Automations) followWaits() {
	for a.life.RunCtx.Err() == nil {
		a.followThese(a.waits())
	}
}

// followThese follows what reminders wait for, until that changes. While it waits for a process, the daemon does not exit:
// nothing else can start it when the process ends.
func (a *Automations) followThese(waits []wait) {
	ctx, cancel := context.WithCancel(a.life.RunCtx)
	var watchers sync.WaitGroup
	defer watchers.Wait()
	defer cancel()
	for _, w := range waits {
		if w.Kind == automation.EventProcess {
			leave := a.life.Idle.Begin(activityAutomation)
			watchers.Go(func() {
				defer leave()
				a.watchProcess(ctx, w)
			})
		}
	}
	began := time.Now()
	for {
		timer := a.checkWaits(ctx, waits, intervalAfter(time.Since(began)))
		select {
		case <-ctx.Done():
			return
		case <-timer:
		case <-a.waitsChanged:
			if !slices.Equal(waits, a.waits()) {
				return
			}
		}
	}
}

func (a *Automations) watchProcess(ctx context.Context, w wait) {
	err := awaitEnd(ctx, w.Process)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		a.log.Warn().Err(err).Str("automation", w.rule).Msg("cannot watch a process")
	default:
		a.lookAtWaits()
	}
}

// intervalAfter returns how long to wait before another look: at first a short time, then a quarter of the time so far.
func intervalAfter(waited time.Duration) time.Duration {
	return max(firstInterval, min(waited/4, waitInterval))
}

// checkWaits starts the reminders whose event has happened. interval is how often to look at what cannot be watched. The
// channel signals when to look again; it is nil if the rest is watched.
func (a *Automations) checkWaits(ctx context.Context, waits []wait, interval time.Duration) <-chan time.Time {
	next := time.Duration(0)
	for _, w := range waits {
		met, again := a.isMet(ctx, w, interval)
		switch {
		case met:
			a.runs.scheduler.HandleEvent(automation.Occurrence{Rule: w.rule, Event: w.event, Key: "met", Live: true})
		case again > 0 && (next == 0 || again < next):
			next = again
		}
	}
	if next == 0 {
		return nil
	}
	return time.After(next)
}

// isMet reports whether what a reminder waits for has happened, or after what time to look again; 0 if its end is watched.
func (a *Automations) isMet(ctx context.Context, w wait, interval time.Duration) (met bool, again time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	switch w.Kind {
	case automation.EventProcess:
		return hasEnded(w.Process), 0
	case automation.EventDownload:
		return len(unfinished(w.Path, time.Now())) == 0, waitInterval
	case automation.EventReady:
		return isComplete(w.Path, time.Now())
	case automation.EventUnit:
		active, known := a.isUnitActive(ctx, w)
		return known && !active, interval
	case automation.EventHost:
		return a.answers(ctx, w), interval
	}
	percent, known := a.charge(ctx, w)
	return known && w.isCharge(percent), interval
}

// answers reports whether a host answers. A connection is tried first: ping may not be installed, the sandbox cannot start one
// that has capabilities, and many hosts do not answer it.
func (a *Automations) answers(ctx context.Context, w wait) bool {
	if acceptsOrRefuses(ctx, w.Host) {
		return true
	}
	out, err := a.lookFor(ctx, w, machine.PingProbe(w.Host))
	return err == nil && out.Exit == 0
}

// hostPorts are ports that computers have open although they answer no ping: SSH, HTTP, HTTPS and SMB.
var hostPorts = []string{"22", "80", "443", "445"}

// acceptsOrRefuses reports whether a host accepts or refuses a connection: it runs in both cases. Nothing is sent.
func acceptsOrRefuses(ctx context.Context, host string) bool {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	answers := make(chan bool, len(hostPorts))
	for _, port := range hostPorts {
		go func() {
			conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(host, port))
			if err == nil {
				_ = conn.Close()
			}
			answers <- err == nil || errors.Is(err, syscall.ECONNREFUSED)
		}()
	}
	for range hostPorts {
		if <-answers {
			return true
		}
	}
	return false
}

// lookFor runs a command that only reads.
func (a *Automations) lookFor(ctx context.Context, w wait, p machine.Probe) (check.Output, error) {
	rt, err := a.settings.EnabledRuntime()
	if err != nil {
		return check.Output{}, err
	}
	r := &look.Runner{
		Runtime: rt, Key: post.KeyOf(post.AutomationChannel, w.rule), Name: "wait",
		Origin: tools.Origin{Channel: post.AutomationChannel, Automation: w.rule},
	}
	return r.RunLine(ctx, p.String())
}

// isUnitActive reports whether a unit of the user or of the system runs. known is false if neither manager answers.
func (a *Automations) isUnitActive(ctx context.Context, w wait) (active, known bool) {
	for _, user := range []bool{false, true} {
		out, err := a.lookFor(ctx, w, machine.UnitProbe(user, w.Unit))
		if err != nil {
			continue
		}
		unit, err := machine.ParseUnit([]byte(out.Stdout))
		if err != nil {
			continue
		}
		known = true
		state := unit.Values["ActiveState"]
		active = active || state != "inactive" && state != "failed"
	}
	return active, known
}

// isCharge reports whether a charge in percent is what is waited for.
func (w wait) isCharge(percent float64) bool {
	if w.Kind == automation.EventLow {
		return percent <= float64(w.Percent)
	}
	return percent >= float64(w.Percent)
}

// charge returns the lowest charge of the machine's batteries in percent.
func (a *Automations) charge(ctx context.Context, w wait) (percent float64, known bool) {
	out, err := a.lookFor(ctx, w, machine.SuppliesProbe)
	supplies, errRead := machine.ParseSupplies([]byte(out.Stdout))
	if err != nil || errRead != nil {
		return 0, false
	}
	batteries := machine.Batteries(supplies)
	percent = 100
	for _, b := range batteries {
		if b.State == "fully-charged" {
			b.Percent = 100
		}
		percent = min(percent, b.Percent)
	}
	return percent, len(batteries) > 0
}

// unfinishedNames end the names of files that browsers and download programs have not finished: Firefox, Chromium, Opera,
// GNOME Web, aria2, wget2, KIO and others.
var unfinishedNames = []string{".part", ".crdownload", ".opdownload", ".download", ".aria2", ".partial", ".unfinished", ".tmp.download", ".!qb", ".filepart"}

// isUnfinishedName reports whether a name is of a download that is not done.
func isUnfinishedName(name string) bool {
	return slices.ContainsFunc(unfinishedNames, func(end string) bool { return strings.HasSuffix(strings.ToLower(name), end) })
}

// unfinished returns the downloads in a directory that are not done. A directory that cannot be read has none.
func unfinished(dir string, now time.Time) (names []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && isUnfinishedName(e.Name()) && now.Sub(changedAt(info)) < abandonedAfter {
			names = append(names, e.Name())
		}
	}
	return names
}

// changedAt returns when a file was last written or renamed. No program can set that time.
func changedAt(info os.FileInfo) time.Time {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(stat.Ctim.Unix())
	}
	return info.ModTime()
}

// isComplete reports whether a file exists and no longer changes, or when it will be known.
func isComplete(file string, now time.Time) (complete bool, again time.Duration) {
	info, err := os.Stat(file)
	if err != nil || info.IsDir() && len(unfinished(file, now)) > 0 {
		return false, waitInterval
	}
	for _, end := range unfinishedNames {
		if _, err := os.Lstat(file + end); err == nil {
			return false, waitInterval
		}
	}
	if age := now.Sub(changedAt(info)); age < settleTime && age >= 0 {
		return false, settleTime - age
	}
	return true, 0
}

// resolveWait returns the event that a person or a model waits for as it is stored, and what the reminder says. A process
// becomes the one that runs now. The error asks the person, in their language.
func (a *Automations) resolveWait(ctx context.Context, on string, lang i18n.Lang) (event, says string, err error) {
	kind, argument, _ := strings.Cut(strings.TrimSpace(on), ":")
	if k := automation.EventKind(kind); k == automation.EventDownload && argument == "" {
		argument = a.downloadDir()
	} else if k == automation.EventProcess && strings.Count(argument, ":") == 0 {
		id, err := a.resolveProcess(argument, lang)
		if err != nil {
			return "", "", err
		}
		argument = id.String()
	} else if k == automation.EventBattery && argument == "" {
		argument = "100"
	}
	e, err := automation.ParseEvent(kind + ":" + argument)
	if err != nil {
		return "", "", err
	}
	if !e.Kind.Waits() {
		return e.String(), "", nil
	}
	return e.String(), e.Said(lang), a.canWait(ctx, wait{event: e.String(), Event: e.At(config.HomeDir(os.Getenv))}, lang)
}

// canWait returns an error for what cannot happen, or has happened already.
func (a *Automations) canWait(ctx context.Context, w wait, lang i18n.Lang) error {
	says := func(text i18n.Text) error { return &waitError{text, lang} }
	switch w.Kind {
	case automation.EventDownload:
		if len(unfinished(w.Path, time.Now())) == 0 {
			return says(i18n.WaitNoDownload(w.Path))
		}
	case automation.EventUnit:
		if active, known := a.isUnitActive(ctx, w); known && !active {
			return says(i18n.WaitNoUnit(w.Unit))
		}
	case automation.EventBattery, automation.EventLow:
		percent, known := a.charge(ctx, w)
		if !known {
			return says(i18n.WaitNoBattery)
		}
		if w.isCharge(percent) {
			return says(i18n.WaitMet(strconv.Itoa(int(percent)) + "%"))
		}
	case automation.EventReady:
		if complete, _ := isComplete(w.Path, time.Now()); complete {
			return says(i18n.WaitMet(w.Path))
		}
		if _, err := os.Stat(filepath.Dir(w.Path)); err != nil {
			return fmt.Errorf("cannot wait for the file: %w", err)
		}
	}
	return nil
}

// downloadDir returns the person's directory for downloads.
func (a *Automations) downloadDir() string {
	if a.machine.Downloads != "" {
		return a.machine.Downloads
	}
	return filepath.Join(config.HomeDir(os.Getenv), "Downloads")
}
