package diagnose

import (
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// nextStartTexts are the sentences of what is found about the next start.
var nextStartTexts = map[machine.BootCode]func(f machine.BootFinding) i18n.Text{
	machine.NoKernel:      func(machine.BootFinding) i18n.Text { return i18n.NextStartNoKernel },
	machine.NoEntry:       func(machine.BootFinding) i18n.Text { return i18n.NextStartNoEntry },
	machine.NotMounted:    func(f machine.BootFinding) i18n.Text { return i18n.NextStartNotMounted(f.Subject) },
	machine.FileMissing:   func(f machine.BootFinding) i18n.Text { return i18n.NextStartFileMissing(f.Entry, f.Subject) },
	machine.KernelMissing: func(f machine.BootFinding) i18n.Text { return i18n.NextStartKernelMissing(f.Subject, f.Detail) },
	machine.KernelCut:     func(f machine.BootFinding) i18n.Text { return i18n.NextStartKernelCut(f.Subject) },
	machine.KernelOther: func(f machine.BootFinding) i18n.Text {
		is, installed, _ := strings.Cut(f.Detail, " ")
		return i18n.NextStartKernelOther(f.Subject, is, installed)
	},
	machine.ModulesMissing: func(f machine.BootFinding) i18n.Text { return i18n.NextStartModulesMissing(f.Subject, f.Detail) },
	machine.ImageMissing:   func(f machine.BootFinding) i18n.Text { return i18n.NextStartImageMissing(f.Entry) },
	machine.ImageCut:       func(f machine.BootFinding) i18n.Text { return i18n.NextStartImageCut(f.Subject) },
	machine.ImageOther:     func(f machine.BootFinding) i18n.Text { return i18n.NextStartImageOther(f.Subject, f.Detail) },
	machine.ImageOld:       func(f machine.BootFinding) i18n.Text { return i18n.NextStartImageOld(f.Subject) },
	machine.RootMissing:    func(f machine.BootFinding) i18n.Text { return i18n.NextStartRootMissing(f.Entry, f.Subject) },
	machine.MountMissing: func(f machine.BootFinding) i18n.Text {
		if f.Subject == "swap" {
			return i18n.NextStartSwapMissing(f.Detail)
		}
		return i18n.NextStartMountMissing(f.Subject, f.Detail)
	},
	machine.ModuleUnbuilt: func(f machine.BootFinding) i18n.Text { return i18n.NextStartModuleUnbuilt(f.Subject, f.Detail) },
	machine.NvidiaMissing: func(f machine.BootFinding) i18n.Text { return i18n.NextStartNvidiaMissing(f.Subject) },
	machine.NvidiaOther:   func(f machine.BootFinding) i18n.Text { return i18n.NextStartNvidiaOther(f.Subject, f.Detail) },
	machine.BootNoRoom: func(f machine.BootFinding) i18n.Text {
		free, needed, _ := strings.Cut(f.Detail, " ")
		return i18n.NextStartNoRoom(f.Subject, sizeText(free), sizeText(needed))
	},
	machine.OneKernel:      func(f machine.BootFinding) i18n.Text { return i18n.NextStartOneKernel(f.Subject) },
	machine.BootUnreadable: func(f machine.BootFinding) i18n.Text { return i18n.NextStartUnreadable(f.Subject) },
}

func sizeText(bytes string) string {
	n, _ := strconv.ParseInt(bytes, 10, 64)
	return i18n.Size(n)
}

// NextStartText returns the sentence of a finding about the next start.
func NextStartText(f machine.BootFinding) i18n.Text {
	f.Subject, f.Detail, f.Entry = machine.CleanLine(f.Subject), machine.CleanLine(f.Detail), machine.CleanLine(f.Entry)
	if text, ok := nextStartTexts[f.Code]; ok {
		return text(f)
	}
	return i18n.NextStartUnreadable(f.Subject)
}
