package offline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
)

// answerTo asks a question and answers its first call with the output.
func answerTo(t *testing.T, question string, out providers.Output) providers.Completion {
	t.Helper()
	c := newChat(t, "en")
	require.NotEmpty(t, c.say(question).ToolUses(), question)
	c.offerNothingMore()
	return c.result(out)
}

func TestInternetIsCalledReachableOnlyAfterAPing(t *testing.T) {
	link := []providers.Step{ran("ip -br addr", recorded(t, "addr.txt")), ran("ip route", recorded(t, "route.txt"))}
	reached := ran("ping -c 1 -W 2 1.1.1.1", recorded(t, "ping-ok.txt"))
	noPing := providers.Step{Command: "ping -c 1 -W 2 1.1.1.1", MissingProgram: "ping", Exit: -1}
	noRight := exited("ping -c 1 -W 2 1.1.1.1", 2, "", "ping: socktype: SOCK_RAW\nping: socket: Operation not permitted\n")
	names, noNames := ran("getent hosts archlinux.org", "2a01:4f9::1 archlinux.org\n"), exited("getent hosts archlinux.org", 2, "", "")
	noGetent := providers.Step{Command: "getent hosts archlinux.org", MissingProgram: "getent", Exit: -1}
	const internet, online, untested = "The internet connection works", "This computer is online", "couldn't test whether the internet responds"
	tests := []struct {
		name      string
		ping, dns providers.Step
		has, not  []string
	}{
		{"ping came back, no names", reached, noNames, []string{internet}, []string{untested}},
		{"no ping program, no names", noPing, noNames, []string{"Names can't be resolved", untested, "`ping` isn't installed", "iputils"}, []string{internet, online}},
		{"ping may not send, no names", noRight, noNames, []string{"Names can't be resolved", untested, "Operation not permitted"}, []string{internet, online}},
		{"no ping program, names", noPing, names, []string{"probably online", untested, "iputils"}, []string{internet, online}},
		{"neither could run", noPing, noGetent, []string{untested}, []string{internet, online, "probably", "resolved", "Name resolution"}},
		{"nothing answers", exited("ping -c 1 -W 2 1.1.1.1", 1, "", ""), noNames, []string{"isn't responding"}, []string{internet, online, untested}},
		{"all well", reached, names, []string{online}, []string{untested}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := answerTo(t, "am I online?", output(append(append([]providers.Step{}, link...), tt.ping, tt.dns)...)).Text()
			for _, s := range tt.has {
				require.Contains(t, text, s)
			}
			for _, s := range tt.not {
				require.NotContains(t, text, s)
			}
		})
	}
}

func TestUnreadJournalIsNotCalledClean(t *testing.T) {
	const command = "journalctl --no-pager -n 200 --since today -p err"
	hint := "Hint: You are currently not seeing messages from other users and the system.\n      Users in groups 'adm', 'systemd-journal', 'wheel' can see all messages.\n      Pass -q to turn off this notice.\n"
	for name, tt := range map[string]struct {
		step   providers.Step
		quoted string
	}{
		"no files":       {exited(command, 0, "-- No entries --\n", "No journal files were found.\n"), "No journal files were found."},
		"files on out":   {exited(command, 0, "No journal files were found.\n-- No entries --\n", ""), "No journal files were found."},
		"other users":    {exited(command, 0, "-- No entries --\n", hint), "Hint: You are currently not seeing messages"},
		"hint and exit":  {exited(command, 1, "", hint+"No journal files were opened due to insufficient permissions.\n"), "No journal files were opened due to insufficient permissions."},
		"broken journal": {exited(command, 0, "", "Journal file /var/log/journal/x/system.journal is truncated, ignoring file.\n"), "Journal file /var/log/journal/x/system.journal is truncated"},
	} {
		text := answerTo(t, "show me the errors from today", output(tt.step)).Text()
		require.Contains(t, text, "couldn't read the log", name)
		require.Contains(t, text, "\n  "+tt.quoted, name)
		require.NotContains(t, text, "No problems", name)
		require.NotContains(t, text, "No errors", name)
		require.NotContains(t, text, "Pass -q", name)
	}
	clean := answerTo(t, "show me the errors from today", output(exited(command, 0, "-- No entries --\n", ""))).Text()
	require.Contains(t, clean, "No errors in the log")
	require.Contains(t, clean, "No problems were recorded")
	partly := answerTo(t, "show me the sshd logs", output(exited("journalctl --no-pager -n 200 -u sshd", 0, "Nov 21 08:00:12 blunux sshd[1]: Server listening on 0.0.0.0 port 22.\n", "Journal file x is truncated, ignoring file.\n"))).Text()
	require.Contains(t, partly, "entries may be missing")
	require.Contains(t, partly, "x is truncated")
}

func TestH4MissingPackageListsAreNotCalledAbsence(t *testing.T) {
	const noRepos = "warning: database file for 'core' does not exist (use '-Sy' to download)\nerror: no usable package repositories configured.\n"
	absent := exited("pacman -Qi -- vlc", 1, "", "error: package 'vlc' was not found\n")
	for question, out := range map[string]providers.Output{
		"is vlc installed?": output(absent, exited("pacman -Si -- vlc", 1, "", noRepos)),
		"search for pdf":    output(exited("pacman -Ss -- pdf", 1, "", noRepos)),
		"any updates?":      output(providers.Step{Command: "checkupdates", MissingProgram: "checkupdates", Exit: -1}, exited("pacman -Qu", 1, "", "warning: database file for 'extra' does not exist (use '-Sy' to download)\n")),
	} {
		c := newChat(t, "en")
		c.say(question)
		text := c.result(out).Text()
		require.Regexp(t, "The package lists are missing|No repository is configured", text, question)
		require.NotRegexp(t, `-Sy([^u]|$)`, text, question)
		require.Contains(t, text, "mirrorlist", question)
		require.Contains(t, text, "does not exist", question)
		for _, claim := range []string{"official repositories", "AUR", "No package", "No updates"} {
			require.NotContains(t, text, claim, question)
		}
		require.Empty(t, c.say("yes").ToolUses(), "an update would fail the same way: %s", question)
	}
	text := answerTo(t, "is vlc installed?", output(absent, exited("pacman -Si -- vlc", 1, "", "error: package 'vlc' was not found\n"))).Text()
	require.Contains(t, text, "official repositories", "with lists, absence is what was found")
}

func TestFailedChangesAreToldInPacmansDecisiveLines(t *testing.T) {
	clash := exited("yay -S --noconfirm -- vlc", 1,
		"checking for file conflicts...\nvlc: /usr/bin/vlc exists in filesystem (owned by other)\nErrors occurred, no packages were upgraded.\n",
		"error: failed to commit transaction (conflicting files)\n")
	text := answerTo(t, "install vlc", output(clash)).Text()
	require.Contains(t, text, "  vlc: /usr/bin/vlc exists in filesystem (owned by other)\n  error: failed to commit transaction (conflicting files)")

	needed := exited("yay -Rns --noconfirm -- mesa", 1, "checking dependencies...\n:: removing mesa breaks dependency 'mesa' required by gtk3\n", "error: failed to prepare transaction (could not satisfy dependencies)\n")
	require.Contains(t, answerTo(t, "remove mesa", output(needed)).Text(), "  :: removing mesa breaks dependency 'mesa' required by gtk3\n  error: failed")

	many := exited("yay -S --noconfirm -- vlc", 1, strings.Repeat("vlc: /usr/bin/x exists in filesystem\n", 30), "error: failed to commit transaction (conflicting files)\n")
	require.Equal(t, 4, strings.Count(answerTo(t, "install vlc", output(many)).Text(), "exists in filesystem"))

	none := exited("yay -S --noconfirm -- vlc", 1, "", "")
	require.NotContains(t, answerTo(t, "install vlc", output(none)).Text(), "  \n")
}

func TestSystemFactsCarryNoTerminalControls(t *testing.T) {
	text := answerTo(t, "show me the specs", output(ran("uname -srm", "Linux \x1b[31m6.17.8\x1b[0m\x1b x86_64\n"))).Text()
	require.Contains(t, text, "Linux 6.17.8 x86_64")
	require.NotContains(t, text, "\x1b")
}
