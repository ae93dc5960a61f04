package safety

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// awayWords lead to files that others can have written, or to no name at all.
var awayWords = []string{
	".", "..", "../x", "../../../tmp/evil/1.0", "/tmp/evil", "/tmp/evil/hook", "./x", "x/../y", "x/y", "~", "~/x", "$HOME/x", "$PWD", "*", "x*", "?", "$(echo x)", `"$x"`, "/boot/../tmp/x", "/boot/./x",
	"/boot//x", "/efi/../tmp/x", "/bootx/y", "/proc/self/cwd/x", "@/tmp/x", "{.,x}", "x\\/y", "'x;y'", "'x$(y)'", "a:b/c", "file:/x",
}

// TestS1WordsOfScriptsAreNeverPaths tries every such word after every option, and as every operand, of every
// script in the tables.
func TestS1WordsOfScriptsAreNeverPaths(t *testing.T) {
	c := testChecker()
	for name, p := range c.programs {
		if !p.script || slices.ContainsFunc(p.forms, func(f form) bool { return f.hands != "" }) {
			continue
		}
		for _, args := range argumentForms(p) {
			for _, away := range awayWords {
				command := name + " " + strings.ReplaceAll(args, "WORD", away)
				v := c.Judge(command)
				require.NotEqual(t, Safe, v.Class, "%s", command)
			}
		}
	}
}

// argumentForms are arguments with WORD in place of each value or operand of a row.
func argumentForms(p *program) []string {
	out := []string{"WORD", "-- WORD", "status WORD", "list WORD"}
	for _, f := range p.forms {
		need := ""
		for group := range strings.FieldsSeq(f.need) {
			option, _, _ := strings.Cut(group, ",")
			need += " " + dashed(option)
		}
		out = append(out, need+" WORD", need+" -- WORD")
		for _, letter := range f.values + f.attached {
			out = append(out, need+" -"+string(letter)+" WORD", need+" -"+string(letter)+"WORD")
		}
		for _, long := range strings.Fields(f.longVal + " " + f.longOpt) {
			out = append(out, need+" --"+long+"=WORD", need+" --"+long+" WORD")
		}
		for line := range strings.SplitSeq(f.lines, "\n") {
			if strings.Contains(line, "*") {
				out = append(out, strings.NewReplacer("**", "WORD", "*", "WORD").Replace(firstChoices(line)))
			}
		}
	}
	return out
}

func dashed(option string) string {
	if len(option) == 1 {
		return "-" + option
	}
	return "--" + option
}

func firstChoices(line string) string {
	words := strings.Fields(line)
	for i, w := range words {
		words[i], _, _ = strings.Cut(w, "|")
	}
	return strings.Join(words, " ")
}

func TestS1ReadingFormsOfScriptsStaySafe(t *testing.T) {
	c := testChecker()
	for _, command := range []string{
		"dkms status", "dkms status nvidia", "dkms status -m nvidia -v 550.54.14", "mkinitcpio -H encrypt", "mkinitcpio -L", "lsinitcpio -a /boot/initramfs-linux.img", "lsinitcpio /efi/arch/initramfs-linux.img",
		"xdg-mime query default text/html", "xdg-mime query filetype ~/a.pdf", "xdg-user-dir DOWNLOAD", "firewall-cmd --query-port=8080/tcp", "reflector --country 'South Korea' --age 12",
		"tlp-stat -s", "archlinux-java status", "netctl list", "paclist core", "zgrep error /var/log/pacman.log.1.gz", "xfs_info /", "inxi -Fxz -c0",
	} {
		require.Equal(t, Safe, c.Judge(command).Class, "%s: %v", command, c.Judge(command).Reasons)
	}
	for _, command := range []string{
		"dkms status -m . -v ../../../tmp/evil/1.0", "mkinitcpio -H /tmp/evil/hook", "mkinitcpio --hookhelp ./x", "lsinitcpio -a x.img", "lsinitcpio -a /boot/../tmp/x.img", "lsinitcpio -a ~/x.img", "lsinitcpio /tmp/x",
		"dkms status nvidia/../x", "xdg-user-dir '}; touch x #'", "xdg-user-dir X", "xdg-mime query default ../x", "netctl status ../../tmp/x", "zgrep x *.gz", `zgrep x "$(ls)"`, "zdiff a *", "pikaur -Qo /tmp/x",
	} {
		require.Equal(t, Confirm, c.Judge(command).Class, "%s", command)
	}
}

// TestS1LoadingRefusesScriptsWithFreeOperands tests the check that runs when tables are loaded.
func TestS1LoadingRefusesScriptsWithFreeOperands(t *testing.T) {
	for _, f := range []form{
		{operand: name, max: 1},
		{operand: text, max: 1},
		{operand: meta, max: 1},
		{operand: read, max: 1},
		{first: name, max: 1},
		{lines: "status @"},
		{loose: true},
		{kinds: "f=read", values: "f"},
		{kinds: "f=text", values: "f"},
		{operand: choice, max: 1},
		{prepare: asOperands},
	} {
		require.Error(t, checkRestricted(&program{names: "x", script: true, forms: []form{f}}), "%+v", f.operand)
		require.NoError(t, checkRestricted(&program{names: "x", forms: []form{f}}))
	}
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom([]kind{none, number, bare, label, image, media, port, address}).Draw(t, "kind")
		require.NoError(t, checkRestricted(&program{names: "x", script: true, forms: []form{{operand: k, values: "v", kinds: "v=" + string(k), lines: ".\n a *"}}}))
	})
}

// TestS1EveryInstalledScriptIsMarked checks the programs of this machine.
func TestS1EveryInstalledScriptIsMarked(t *testing.T) {
	for name, p := range testChecker().programs {
		file, err := exec.LookPath(name)
		if err != nil || p.versionOnly() {
			continue
		}
		f, err := os.Open(file)
		if err != nil {
			continue
		}
		start := make([]byte, 2)
		_, err = f.Read(start)
		f.Close()
		if err == nil && bytes.Equal(start, []byte("#!")) {
			require.True(t, p.script, "%s is a script; mark its row, and restrict its operands", name)
		}
	}
}

// versionOnly reports whether no form of the row accepts a free word.
func (p *program) versionOnly() bool {
	return !slices.ContainsFunc(p.forms, func(f form) bool {
		return f.max > 0 || f.loose || f.lines != "" || f.values+f.attached+f.longVal+f.longOpt+f.singVal != ""
	})
}
