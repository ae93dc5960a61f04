package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// replyTo answers a request with the given output for each command. Other programs are missing.
func replyTo(t *testing.T, ask string, outputs map[string]providers.Step) Reply {
	t.Helper()
	plan := intent.BuiltIn().Understand(ask, intent.Context{})
	c := Case{Lang: i18n.English, Request: intent.BuiltIn().Read(ask), RequestedSteps: plan.Steps, Diagnoses: plan.Diagnoses, FollowUps: plan.FollowUps, IsUncertain: plan.IsUncertain}
	wanted := plan.Steps
	for range 5 {
		for _, s := range wanted {
			text, _ := s.Input["command"].(string)
			step, ok := outputs[text]
			if !ok {
				step = providers.Step{Exit: -1, MissingProgram: "program"}
			}
			step.Command = text
			c.Results = append(c.Results, Result{Tool: s.Tool, Input: s.Input, Output: &providers.Output{Steps: []providers.Step{step}}})
		}
		rep := c.Answer()
		if len(rep.Next) == 0 {
			return rep
		}
		wanted = rep.Next
	}
	require.Fail(t, "no answer", ask)
	return Reply{}
}

// TestH3ADiskThatIsNotHereIsNotAnotherOne asks about the health and the size of one disk of two.
func TestH3ADiskThatIsNotHereIsNotAnotherOne(t *testing.T) {
	disks := map[string]providers.Step{
		diskList.Input["command"].(string): {Stdout: "NAME=\"sda\" SIZE=\"1T\" TYPE=\"disk\" TRAN=\"sata\" ROTA=\"1\" MODEL=\"WD\"\nNAME=\"nvme0n1\" SIZE=\"512G\" TYPE=\"disk\" TRAN=\"nvme\" ROTA=\"0\" MODEL=\"Samsung\"\n"},
	}
	require.Contains(t, replyTo(t, "is sdb healthy?", disks).Text, "no disk /dev/sdb")
	require.Equal(t, "sda 1T WD HDD (`lsblk`)", replyTo(t, "how big is sda?", disks).Text)
	require.Contains(t, replyTo(t, "how big is sdc?", disks).Text, "no disk /dev/sdc")
}

// TestH9SticksInUseAreNotTakenOut checks which volumes of a stick are mounted.
func TestH9SticksInUseAreNotTakenOut(t *testing.T) {
	list := usbDisks.Input["command"].(string)
	disk := "NAME=\"sdb\" SIZE=\"28G\" TYPE=\"disk\" TRAN=\"usb\" FSTYPE=\"\" LABEL=\"\" MOUNTPOINT=\"\"\nNAME=\"sdb1\" SIZE=\"28G\" TYPE=\"part\" TRAN=\"\" FSTYPE=\"exfat\" LABEL=\"STICK\" MOUNTPOINT=\""
	used := replyTo(t, "can I unplug the usb stick?", map[string]providers.Step{list: {Stdout: disk + "/run/media/blu/STICK\"\n"}})
	require.Contains(t, used.Text, "/run/media/blu/STICK")
	require.Equal(t, "udisksctl unmount -b /dev/sdb1", used.Offer.Input["command"])
	require.Contains(t, replyTo(t, "can I unplug the usb stick?", map[string]providers.Step{list: {Stdout: disk + "\"\n"}}).Text, "You can unplug it")
}

// TestH1AnOfferBehindALookIsWhole combines a check with an update in each language.
func TestH1AnOfferBehindALookIsWhole(t *testing.T) {
	for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
		for _, tool := range []string{"update_system", "install_package"} {
			require.NotContains(t, Case{Lang: lang}.askFollowUp(intent.Call(tool, "name", "vlc")), "%!")
			require.NotContains(t, Case{Lang: lang}.askFollowUp(intent.Call(tool)), "%!")
		}
	}
}
