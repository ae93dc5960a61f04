package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// deviceChains maps chains to the call that starts each.
var deviceChains = map[string]intent.Step{
	"wifi":      intent.Call("check_network", "scope", "wifi"),
	"internet":  intent.Call("check_network", "scope", "connectivity"),
	"service":   intent.Call("check_service", "name", "nginx"),
	"failures":  intent.Call("check_service", "failed", true),
	"input":     intent.Call("check_processes", "name", "fcitx5"),
	"sound":     intent.Call("check_service", "name", "pipewire", "user", true),
	"bluetooth": intent.Call("check_service", "name", "bluetooth"),
	"printer":   intent.Call("check_service", "name", "cups"),
	"clock":     intent.Call("system_info"),
	"locale":    intent.Call("system_info"),
	"usb":       intent.Call("check_hardware", "scope", "usb"),
}

// followChain answers every step with the same output until the chain answers.
func followChain(t testing.TB, name string, first intent.Step, step providers.Step) Reply {
	t.Helper()
	return followIn(t, i18n.Korean, name, first, step)
}

func followIn(t testing.TB, lang i18n.Lang, name string, first intent.Step, step providers.Step) Reply {
	t.Helper()
	c := Case{Lang: lang, Home: "/home/blu", RequestedSteps: []intent.Step{first}, Diagnoses: []string{name}}
	wanted := []intent.Step{first}
	for range 6 {
		for _, s := range wanted {
			out := step
			out.Command, _ = s.Input["command"].(string)
			if out.Command == "" {
				out.Command = "nmcli ping getent ip -br addr ip route " + s.Tool
			}
			c.Results = append(c.Results, Result{Tool: s.Tool, Input: s.Input, Output: &providers.Output{Steps: []providers.Step{out}}})
		}
		rep := c.Answer()
		if len(rep.Next) == 0 {
			return rep
		}
		wanted = rep.Next
	}
	t.Fatalf("%s asks for more than five rounds", name)
	return Reply{}
}

func TestChainsEndWhateverTheLooksPutOut(t *testing.T) {
	long := strings.Repeat("가나다 abc:def=\"x\" ", 3000)
	lines := strings.Repeat("Device AC:BF:71:01:02:03 X\n● a.service loaded failed failed x\nprinter p disabled\nNAME=\"sda\" TRAN=\"usb\" FSTYPE=\"ext4\"\n", 300)
	for name, first := range allChains() {
		for _, step := range []providers.Step{
			{},
			{Exit: 1},
			{MissingProgram: "x", Exit: -1},
			{TimedOut: true, Exit: -1},
			{Stdout: "\xff\xfe\x00"},
			{Stdout: "알 수 없음\n"},
			{Stdout: long},
			{Stdout: lines},
			{Exit: 1, Stderr: long},
			{Stderr: "Failed to connect to bus: Host is down\n", Exit: 1},
		} {
			rep := followChain(t, name, first, step)
			require.NotEmpty(t, rep.Text, "%s %+v", name, step.Exit)
			require.Less(t, len(rep.Text), 8000, name)
		}
	}
}

func TestChainsWithoutRunCommandTellTheFirstLook(t *testing.T) {
	for name, first := range deviceChains {
		c := Case{
			Lang: i18n.English, RequestedSteps: []intent.Step{first}, Diagnoses: []string{name},
			HasTool: func(tool string) bool { return tool == first.Tool },
			Results: []Result{{Tool: first.Tool, Input: first.Input, Output: &providers.Output{Steps: []providers.Step{{Command: "x", Stdout: "something\n"}}}}},
		}
		rep := c.Answer()
		if len(rep.Next) == 0 {
			require.NotEmpty(t, rep.Text, name)
		}
	}
}

// fuzzLooks reads a text as what every step of these chains printed.
func fuzzLooks(t *testing.T, s string) {
	addressesOf(s)
	defaultGateway(s)
	drivesOf(s)
	unitName(s)
	if word := quoteWord(s); strings.Count(word, "'") > 2 || strings.ContainsAny(word, "\n`$") {
		t.Fatalf("odd word %q", word)
	}
}

func FuzzLooks(f *testing.F) {
	for _, name := range []string{"wifi.txt", "addr.txt", "route.txt", "status-failed.txt", "journal-errors.txt", "lspci.txt", "lsusb.txt"} {
		f.Add(recorded(f, name))
	}
	f.Add("/sys/class/rfkill/rfkill0/soft:1\nwlan0:wifi:connected:a\\:b\n │  *   55. X [vol: 0.40 MUTED]\nDevice AC:BF:71:01:02:03 X\n")
	f.Add("SMART overall-health self-assessment test result: FAILED!\n  5 Reallocated_Sector_Ct   0x0033   005   005   140    Pre-fail  Always   FAILING_NOW 1996\nPercentage Used:                    3%\nPower On Hours:                     4,321\n")
	f.Add("Nov 22 08:44:02 b kernel: Buffer I/O error on dev sda1\n/dev/sda1 /my\\040data ext4 ro,emergency_ro 0 0\nNAME=\"sda\" SIZE=\"1T\" TYPE=\"disk\" TRAN=\"sata\" ROTA=\"1\" MODEL=\"X\"\n")
	f.Fuzz(func(t *testing.T, s string) { fuzzLooks(t, s) })
}

func TestQuoteWordProposesNothingThatAShellWouldRead(t *testing.T) {
	for in, want := range map[string]string{
		"wlan0": "wlan0", "Home VPN": "'Home VPN'", "우리집": "'우리집'", "": "", "-rf": "", "a'b": "", "$(x)": "", "a`b": "", "a\nb": "", "a;b": "'a;b'",
	} {
		require.Equal(t, want, quoteWord(in), in)
	}
}
