package report

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
)

var (
	kernelInUse   = command(machine.KernelProbe.String())
	kernelModules = command(machine.ModuleTreesProbe.String())
	downloadSizes = command(machine.DownloadsProbe.String())
)

// updates reports what is pending, its size, and whether a reboot is due.
func (q *inquiry) updates() Reply {
	rep := q.toolReply(q.first)
	r := q.resultOf(q.first)
	if r == nil || r.out == nil || r.out.Refusal != "" || rep.Text == "" {
		return rep
	}
	s := r.usableStep()
	list := read(machine.ParseUpdates, s.Stdout)
	upToDate := len(list) == 0 && rep.Offer == nil && (s.Exit == 2 && strings.Contains(s.Command, "checkupdates") || strings.Contains(s.Command, "pacman") && s.Exit == 1 && strings.TrimSpace(s.Stderr) == "")
	if len(list) == 0 && !upToDate {
		return rep // the update check failed: do not mention a reboot
	}
	if !q.collect(kernelInUse, kernelModules) || len(list) > 0 && !q.collect(downloadSizes, diskStep) {
		return Reply{}
	}
	reboot, due := q.reboot()
	if len(list) == 0 {
		return q.nothingPending(rep, reboot, due)
	}
	if !due {
		reboot = ""
	}
	return q.pendingReply(rep, list, s, reboot)
}

// nothingPending reports "up to date", and a reboot if one is due.
func (q *inquiry) nothingPending(rep Reply, reboot string, due bool) Reply {
	f := &finding{verdict: rep.Text, evidence: nonEmpty(reboot)}
	if due && !q.offerPower(f, false) {
		return Reply{}
	}
	return f.reply()
}

func (q *inquiry) pendingReply(rep Reply, list []machine.Update, s *providers.Step, reboot string) Reply {
	head, question := rep.Text, q.say(i18n.HelperPackagesAskUpdate)
	if i := strings.LastIndex(head, "\n\n"); i >= 0 {
		head = head[:i]
	}
	named := q.asksForOne(list)
	facts := q.updateFacts(list, named)
	if strings.HasPrefix(s.Command, "pacman") {
		facts = append(facts, q.say(i18n.HelperUpdatesStaleLists))
	}
	if named {
		facts = append([]string{q.say(i18n.HelperUpdatesOnlyWhole)}, facts...)
	}
	f := &finding{verdict: head, evidence: append(facts, nonEmpty(reboot)...), fix: rep.Offer, question: question}
	if fs := q.fullRoot(); fs != nil {
		look := diskStep
		f.meaning = q.say(i18n.HelperUpdatesUpdateRoom(fs.Target, fs.Available))
		f.fix, f.question = &look, q.say(i18n.HelperUpdatesAskCleanForRoom)
	}
	return f.reply()
}

var kernelPackages = []string{"linux", "linux-lts", "linux-zen", "linux-hardened", "linux-rt", "linux-cachyos"}

// asksForOne reports whether the answer is about one package among the updates.
func (q *inquiry) asksForOne(list []machine.Update) bool {
	n := q.resultOf(q.first).askedName()
	return n != nil && slices.ContainsFunc(list, func(u machine.Update) bool { return u.Name == n.Package && !u.Ignored })
}

// updateFacts returns additional facts about the list. Unless the question names one package, the answer
// already mentions a kernel update.
func (q *inquiry) updateFacts(list []machine.Update, named bool) []string {
	var kernels, held []string
	keyring := false
	for _, u := range list {
		switch {
		case u.Ignored:
			held = append(held, u.Name)
		case slices.Contains(kernelPackages, u.Name):
			kernels = append(kernels, u.Name+" "+u.From+" → "+u.To)
		}
		keyring = keyring || u.Name == "archlinux-keyring"
	}
	var out []string
	if size := q.downloadSize(list); size > 0 {
		out = append(out, q.say(i18n.HelperUpdatesDownload(formatSize(size))))
	}
	if len(kernels) > 0 && named {
		out = append(out, q.say(i18n.HelperUpdatesKernelIn(strings.Join(kernels, ", "))))
	}
	if keyring {
		out = append(out, q.say(i18n.HelperUpdatesKeyringIn))
	}
	if len(held) > 0 {
		out = append(out, q.say(i18n.HelperUpdatesHeldBack(len(held), strings.Join(held[:min(5, len(held))], ", "))))
	}
	return out
}

// downloadSize adds up what pacman would fetch. It returns 0 if its lists differ from those of the update
// check.
func (q *inquiry) downloadSize(list []machine.Update) float64 {
	sizes := read(machine.ParseDownloads, q.stdout(downloadSizes))
	total := 0.0
	for _, u := range list {
		n, known := sizes[u.Name+" "+u.To]
		if !known && !u.Ignored {
			return 0
		}
		total += n
	}
	return total
}

// fullRoot returns the file system of /usr if it is nearly full.
func (q *inquiry) fullRoot() *machine.Filesystem {
	s := q.output(diskStep, "")
	if s == nil {
		return nil
	}
	real := realFileSystems(read(machine.ParseDF, s.Stdout))
	if len(real) == 0 {
		return nil
	}
	fs := longestMount(real, "/usr")
	if left, ok := machine.ParseSize(fs.Available); ok && left < 2<<30 {
		return &fs
	}
	return nil
}

// reboot reports whether the running kernel is the installed one. It returns "" if that is unknown: a container
// runs another machine's kernel.
func (q *inquiry) reboot() (text string, due bool) {
	running := strings.TrimSpace(q.stdout(kernelInUse))
	installed := read(machine.ParseModuleTrees, q.stdout(kernelModules))
	if !machine.IsKernelRelease(running) || len(installed) == 0 {
		return "", false
	}
	if !slices.Contains(installed, running) {
		return q.say(i18n.HelperUpdatesRebootGone(running, strings.Join(installed[:min(3, len(installed))], ", "))), true
	}
	for _, k := range installed {
		if machine.KernelFlavor(k) == machine.KernelFlavor(running) && machine.IsNewerKernel(k, running) {
			return q.say(i18n.HelperUpdatesRebootNewer(running, k)), true
		}
	}
	return q.say(i18n.HelperUpdatesRebootNo(running)), false
}
