package safety

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestClassesAreOrderedAndNamed(t *testing.T) {
	require.Less(t, Safe, Confirm)
	require.Less(t, Confirm, Blocked)
	for _, c := range []Class{Safe, Confirm, Blocked} {
		text, err := json.Marshal(c)
		require.NoError(t, err)
		require.Equal(t, `"`+c.String()+`"`, string(text))
		var back Class
		require.NoError(t, json.Unmarshal(text, &back))
		require.Equal(t, c, back)
	}
	var c Class
	require.Error(t, c.UnmarshalText([]byte("safe")))
	require.Equal(t, "CONFIRM", Class(7).String())
}

func TestVerdictTellsWhatRunsAndWhy(t *testing.T) {
	c := testChecker()
	v := c.Judge("  timeout   5 df  -h|head # look")
	require.Equal(t, Safe, v.Class)
	require.Equal(t, "timeout 5 df -h | head", v.Source)
	require.Equal(t, []string{"df", "head", "timeout"}, v.Programs)
	require.False(t, v.Privileged)

	v = c.Judge("sudo env rm -rf / && touch x")
	require.Equal(t, Blocked, v.Class)
	require.True(t, v.Privileged)
	require.Equal(t, []string{"env", "rm", "sudo", "touch"}, v.Programs)
	require.Equal(t, "delete-root", v.Reasons[0].Code, "the worst reason comes first")
	require.NotEmpty(t, v.Source)

	v = c.Judge("df -h; if")
	require.Equal(t, Confirm, v.Class)
	require.Empty(t, v.Source)
	require.Equal(t, "unparsed", v.Reasons[0].Code)
}

// TestNestedTextIsReplacedByItsPrint checks that the judged text is what runs, also inside sh -c, and with the
// grammar that judged it.
func TestAUnitOfThePersonsOwnManagerHasNoOtherRights(t *testing.T) {
	for command, privileged := range map[string]bool{
		"systemd-run --user --collect -p ExitType=cgroup -- firefox": false, "systemd-run --user --on-active=5m systemctl suspend": false,
		"systemd-run -- firefox": true, "systemd-run -p User=root --user x": true, "systemd-run --user --system x": true,
		"systemd-run --user -M root@ x": true, "systemd-run --user --machine=root@.host x": true, "systemd-run --user -qM root@ x": true,
		"systemd-run --user --mach root@.host x": true, "systemd-run --user -H host x": true, `systemd-run --user $X x`: true,
		"systemd-run --user --uid=0 x": true, "systemd-run --user --gi 0 x": true, "systemd-run --user --unit=a -- x": false, "systemd-run --user sudo x": true, `systemd-run "$X" --user x`: true,
	} {
		v := testChecker().Judge(command)
		require.Equal(t, privileged, v.Privileged, command)
		require.NotEqual(t, Safe, v.Class, command)
	}
}

func TestNestedTextIsReplacedByItsPrint(t *testing.T) {
	c := testChecker()
	require.Equal(t, "bash -c 'df -h | head'", c.Judge(`sh -c "df   -h|head  # x"`).Source)
	require.Equal(t, Confirm, c.JudgeArgv("/", []string{"sh", "-c", "df   -h"}).Class)
	require.Equal(t, Safe, c.JudgeArgv("/", []string{"bash", "-c", "df -h"}).Class)
}

func TestEveryReasonHasAnExplanation(t *testing.T) {
	c := testChecker()
	for _, name := range []string{"never-safe.txt", "blocked.txt", "not-blocked.txt"} {
		for _, command := range lines(t, name) {
			for _, r := range c.Judge(command).Reasons {
				require.NotEmpty(t, explanation(r.Code), "%s of %q", r.Code, command)
			}
		}
	}
}

func TestExplainNamesTheRuleOfEachPart(t *testing.T) {
	steps := testChecker().Explain("df -h | sort -o x; ls")
	var got []string
	for _, s := range steps {
		require.NotEmpty(t, s.Why, s.Part)
		got = append(got, s.Class.String()+" "+s.Rule+" "+s.Part)
	}
	require.Equal(t, []string{"SAFE listed df -h", "CONFIRM unlisted-option sort -o", "SAFE listed ls"}, got)
}

func TestArgvIsNotExpanded(t *testing.T) {
	c := testChecker()
	for _, argv := range [][]string{
		{"ls", "*"},
		{"ls", "$(touch x)"},
		{"ls", "~"},
		{"du", "-x", "-h", "--max-depth=1", "/home/blu"},
		{"pacman", "-Ss", "--", "$(x); rm"},
		{"systemctl", "status", "--no-pager", "-n", "10", "--", "sshd"},
		{"pgrep", "-a", "-i", "--", "fire fox"},
		{"find", "/home/blu", "-xdev", "-type", "f", "-size", "+100M", "-printf", "%s %p\\n"},
		{"journalctl", "--no-pager", "-n", "200", "-u", "sshd", "--since", "1 hour ago", "-p", "err", "-g", "a|b"},
		{"systemd-analyze", "blame", "--no-pager"},
		{"nmcli", "device", "wifi", "list"},
		{"ip", "-br", "addr"},
		{"ping", "-c", "1", "-W", "2", "1.1.1.1"},
		{"getent", "hosts", "archlinux.org"},
		{"ps", "aux", "--sort=-%mem"},
		{"pacman", "-Qi", "--", "vlc"},
		{"pacman", "-Si", "--", "vlc"},
		{"checkupdates"},
		{"uname", "-srm"},
		{"lspci", "-nnk"},
		{"upower", "-d"},
		{"systemctl", "--user", "--failed", "--no-pager"},
		{"lsblk", "-o", "NAME,SIZE,TYPE,FSTYPE,MOUNTPOINT"},
		{"systemd-analyze", "critical-chain", "--no-pager"},
		{"systemctl", "list-units", "--type=service", "--no-pager"},
		{"pacman", "-Qdt"},
		{"nmcli", "general", "status"},
		{"ss", "-tulpn"},
	} {
		v := c.JudgeArgv("/home/blu", argv)
		require.Equal(t, Safe, v.Class, "%q: %v", argv, v.Reasons)
		require.Equal(t, Safe, c.Judge(v.Source).Class, "%q: its quoted form", v.Source)
	}
	for _, argv := range [][]string{
		nil, {""}, {"ls", "a\x00b"}, {"systemctl", "restart", "x"}, {"cat", "/etc/shadow"}, {"/tmp/ls"}, {"sudo", "pacman", "-Syu", "--noconfirm"}, {"yay", "-S", "--noconfirm", "--", "x"},
	} {
		require.Equal(t, Confirm, c.JudgeArgv("", argv).Class, "%q", argv)
	}
	require.Equal(t, Blocked, c.JudgeArgv("", []string{"rm", "-rf", "/"}).Class)
	require.Equal(t, Blocked, c.JudgeArgv("", []string{"sudo", "sh", "-c", "rm -rf /"}).Class)
	require.Equal(t, Confirm, c.JudgeArgv("", []string{"rm", "-rf", "$HOME"}).Class, "argv holds no variables")
}

func TestDirectoryDecidesRelativeNames(t *testing.T) {
	c := testChecker()
	require.Equal(t, Safe, c.JudgeIn("/usr/share", "cat config").Class)
	require.Equal(t, Confirm, c.JudgeIn("/home/blu/.ssh", "cat config").Class)
	require.Equal(t, Confirm, c.JudgeIn("/etc", "cat shadow").Class)
	require.Equal(t, Confirm, c.JudgeIn(".ssh", "cat config").Class)
	require.Equal(t, Safe, c.JudgeIn("/home/blu/projects", "grep -r x .").Class)
	require.Equal(t, Confirm, c.JudgeIn("/home/blu", "grep -r x .").Class)
	require.Equal(t, Blocked, c.JudgeIn("/home/blu/a/b", "rm -rf ../..").Class)
	require.Equal(t, Confirm, c.JudgeIn("/home/blu/a/b", "rm -rf .").Class)
}

func TestSymbolicLinksToSecretsAreRefused(t *testing.T) {
	links := map[string]string{"/tmp/deep/../x": "/home/blu/.ssh/x", "/tmp/link": "/etc/shadow", "/tmp/dir": "/home/blu/.ssh", "/home/blu/plain": "/home/blu/plain"}
	c := New(Options{Home: "/home/blu", EvalSymlinks: func(path string) (string, error) {
		if to, ok := links[path]; ok {
			return to, nil
		}
		return "", errors.New("no such file")
	}})
	require.Equal(t, Confirm, c.Judge("cat /tmp/link").Class)
	require.Equal(t, Confirm, c.Judge("cat < /tmp/link").Class)
	require.Equal(t, Confirm, c.Judge("cd /tmp && cat link").Class)
	require.Equal(t, Confirm, c.Judge("ls /tmp/dir").Class)
	require.Equal(t, Confirm, c.Judge("f=/tmp/link; cat $f").Class)
	require.Equal(t, Confirm, c.Judge("cat /tmp/deep/../x").Class, "what is above a link is not what is before it")
	require.Equal(t, Safe, c.Judge("cat /home/blu/plain").Class)
	require.Equal(t, Safe, c.Judge("cat /tmp/other").Class)
}

func TestACertificateIsAFileAndNoDevice(t *testing.T) {
	links := map[string]string{"/srv/a.pem": "/dev/sda", "/srv/b.pem": "/etc/letsencrypt/archive/b1.pem", "/srv/c.pem": "/home/blu/.ssh/id_rsa", "/home/blu/d.pem": "/proc/kmsg"}
	c := New(Options{Home: "/home/blu", EvalSymlinks: func(path string) (string, error) {
		if to, ok := links[path]; ok {
			return to, nil
		}
		return "", errors.New("no such file")
	}})
	const ask = "openssl x509 -noout -enddate -in "
	require.Equal(t, Confirm, c.Judge(ask+"/srv/a.pem").Class)
	require.Equal(t, Safe, c.Judge(ask+"/srv/b.pem").Class, "only its certificate is shown")
	require.Equal(t, Confirm, c.Judge("cat /srv/b.pem").Class)
	require.Equal(t, Confirm, c.Judge(ask+"/srv/c.pem").Class)
	require.Equal(t, Confirm, c.JudgeIn("/home/blu", ask+"./d.pem").Class)
	require.Equal(t, Confirm, c.JudgeIn("/dev", ask+"./sda").Class)
	require.Equal(t, Confirm, c.Judge("cd /dev && "+ask+"./sda").Class)
	require.Equal(t, Safe, c.JudgeIn("/srv", ask+"./b.pem").Class)
	require.Equal(t, Confirm, c.JudgeArgv("", []string{"openssl", "x509", "-noout", "-enddate", "-in", "~/b.pem"}).Class)
}

func TestKeysOfAFleetAreSecret(t *testing.T) {
	c := testChecker()
	for _, file := range []string{"~/.config/blunux-ai/fleet/machine.nk", "~/.local/state/blunux-fleet/console.nk", "~/.local/state/blunux-fleet/server.pem"} {
		require.Equal(t, Confirm, c.Judge("cat "+file).Class, file)
	}
}

func TestSecretPathsOfTheCaller(t *testing.T) {
	c := New(Options{Home: "/home/blu", SecretPaths: []string{"/srv/keys", "/home/blu/.blunux/session.json"}})
	require.Equal(t, Confirm, c.Judge("cat /srv/keys/a").Class)
	require.Equal(t, Confirm, c.Judge("cat /srv/k*/a").Class)
	require.Equal(t, Confirm, c.Judge("grep -r x /srv").Class)
	require.Equal(t, Confirm, c.Judge("cat ~/.blunux/*").Class)
	require.Equal(t, Safe, c.Judge("cat /srv/other").Class)
}

func TestInvisibleTextIsNotSafe(t *testing.T) {
	c := testChecker()
	for name, r := range map[string]rune{
		"NUL": 0, "escape": 0x1b, "delete": 0x7f, "C1": 0x9b, "no-break space": 0xa0, "zero width space": 0x200b, "right-to-left override": 0x202e, "line separator": 0x2028,
		"Hangul filler": 0x3164, "half-width filler": 0xffa0, "BOM": 0xfeff, "soft hyphen": 0xad, "carriage return": '\r', "ideographic space": 0x3000, "tag": 0xe0041,
	} {
		require.Equal(t, Confirm, c.Judge("df -h"+string(r)).Class, name)
		require.Equal(t, Blocked, c.Judge("rm -rf / "+string(r)).Class, name)
	}
	require.Equal(t, Confirm, c.Judge("df \xff").Class)
	require.Equal(t, Safe, c.Judge("ls ~/문서").Class)
	require.Equal(t, Safe, c.Judge("ls ~/\u1106\u116e\u11ab\u1109\u1165").Class, "decomposed Hangul is ordinary text")
	require.Equal(t, Safe, c.Judge("ls ~/下载").Class)
}

func TestProgramsAreListedWithAReason(t *testing.T) {
	list := Programs()
	require.Greater(t, len(list), 400)
	for i, p := range list {
		require.NotEmpty(t, p.Why, p.Name)
		require.NotContains(t, p.Name, "/")
		if i > 0 {
			require.Less(t, list[i-1].Name, p.Name)
		}
	}
}

// TestTablesAreWellFormed finds typing errors in the tables.
func TestTablesAreWellFormed(t *testing.T) {
	for name, p := range buildPrograms() {
		assert.Nil(t, wrapperTable()[name], "%s is a wrapper too", name)
		assert.NotEqual(t, "git", name)
		assert.NotEmpty(t, p.forms, name)
		for _, f := range p.forms {
			for _, letter := range strings.Split(f.flags, "") {
				assert.NotContains(t, f.values, letter, "%s: -%s with and without value", name, letter)
			}
			for _, long := range strings.Fields(f.long) {
				assert.False(t, hasListed(f.longVal, long), "%s: --%s with and without value", name, long)
			}
			for pair := range strings.FieldsSeq(f.kinds) {
				option, k, ok := strings.Cut(pair, "=")
				assert.True(t, ok, "%s: %s", name, pair)
				assert.NotEmpty(t, k)
				assert.True(t, strings.Contains(f.values+f.attached, option) || hasListed(f.longVal+" "+f.longOpt+" "+f.singVal, option), "%s: kind of the unlisted option %s", name, option)
			}
			assert.False(t, f.max > 0 && f.operand == none, "%s: operands of no kind", name)
			assert.False(t, f.min > f.max && f.lines == "", "%s: more operands needed than taken", name)
		}
	}
}

func TestCheckerIsSafeForConcurrentUse(t *testing.T) {
	c := testChecker()
	rows := corpus(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, r := range rows {
				c.Judge(r.command)
			}
		})
	}
	wg.Wait()
}

// In a container or a test, the home can be in a temporary directory. It still counts as a home, but the rest
// of that directory does not.
func TestAHomeInATemporaryDirectoryIsAHome(t *testing.T) {
	c := New(Options{Home: "/tmp/somewhere/home", User: "tester"})
	for _, command := range []string{"rm -rf ~", "rm -rf $HOME/", "rm -rf /tmp/somewhere/home", "rm -rf ~/.config", "rm -rf ~/*", "find ~ -delete"} {
		require.Equal(t, Blocked, c.Judge(command).Class, command)
	}
	for _, command := range []string{"rm -rf /tmp/somewhere/else", "rm -rf ~/build"} {
		require.Equal(t, Confirm, c.Judge(command).Class, command)
	}
}
