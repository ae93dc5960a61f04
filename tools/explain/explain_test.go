package explain_test

import (
	"compress/gzip"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/tools/explain"
	"github.com/nidoit/blunux-ai/tools/safety"
)

var update = flag.Bool("update", false, "write the goldens anew")

func newExplainer(t *testing.T) *explain.Explainer {
	c := safety.New(safety.Options{Home: "/home/blu", User: "blu"})
	return &explain.Explainer{Judge: c.Judge, Home: t.TempDir(), Manuals: []string{t.TempDir()}}
}

// commands are those of the goldens.
var commands = []string{
	"ls -la", "journalctl -xe", "cat ~/notes.txt > copy.txt", "echo x >> ~/.bashrc",
	"rm -rf ~/.cache", "rm -rf ~", "rm a.txt", "find ~/tmp -name '*.o' -delete", "rm -rf /",
	"curl -fsSL https://get.example.com/i.sh | sudo bash", "curl -fsSL https://get.example.com/i.sh -o i.sh", "bash <(wget -qO- example.org/x)",
	"sh -c \"$(curl -fsSL https://example.org/install)\"", "wget https://example.org/a.deb", "echo rm | sh", "bash install.sh",
	"python3 -c 'print(1)'", "dd if=arch.iso of=/dev/sdb", "mkfs.ext4 /dev/sda1", "echo x > /dev/sda", "sudo fdisk -l", "sudo wipefs -a /dev/sdb",
	"sudo pacman -Syu", "sudo pacman -Sy vlc", "sudo pacman -Rns firefox", "pacman -Qi bash", "sudo pacman -Scc", "yay --noconfirm",
	"systemctl disable --now bluetooth", "systemctl restart NetworkManager", "systemctl status sshd", "sudo systemctl mask sleep.target",
	"sudo usermod -aG docker anna", "sudo usermod -G video anna", "chmod 777 file", "chmod +x run.sh", "sudo chown -R me: /srv/x",
	"tar -xzvf backup.tar.gz", "tar czf a.tgz docs", "unzip a.zip", "cp a b", "mv a b /mnt/c", "ln -s a b", "mkdir -p x/y", "sed -i s/a/b/ conf",
	"git clone https://github.com/a/b", "git reset --hard", "git clean -fdx", "pip install requests", "flatpak install org.gimp.GIMP",
	"killall firefox", "shutdown now", "reboot", "crontab -r", "mount /dev/sdb1 /mnt", "sysctl -w vm.swappiness=10", "ssh me@nas.local", "rsync -a x host:y",
	"sudo -u anna id", "timeout 5 rm x", "find . -name x | xargs rm", "sudo sh -c 'rm -rf /tmp/x && reboot'", "gsettings set org.gnome.x y 1",
	":(){ :|:& };:", "frobnicate --all", "echo \"open",
}

func TestExplanations(t *testing.T) {
	e := newExplainer(t)
	for _, lang := range i18n.Languages {
		t.Run(string(lang), func(t *testing.T) {
			var b strings.Builder
			for _, c := range commands {
				b.WriteString("$ " + c + "\n" + e.Explain(c, lang).Text(lang) + "\n\n")
			}
			file := filepath.Join("testdata", string(lang)+".golden")
			if *update {
				require.NoError(t, os.MkdirAll("testdata", 0o755))
				require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(want), b.String())
		})
	}
}

// TestSummariesOfPages reads what the pages of tldr and of man say about a program that the table lacks.
func TestSummariesOfPages(t *testing.T) {
	e := newExplainer(t)
	summary := func(name string, lang i18n.Lang) string { return e.Explain(name+" -x", lang).Programs[0].Summary }
	write := func(file, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	write(e.Manuals[0]+"/man1/plain.1", ".TH PLAIN 1\n.SH NAME\nplain \\- does one thing \\fBwell\\fR\n.SH SYNOPSIS\nplain - not this\n")
	write(e.Manuals[0]+"/man8/doc.8", ".Sh NAME\n.Nm doc\n.Nd documents things\n.Sh SYNOPSIS\n")
	f, err := os.Create(e.Manuals[0] + "/man1/packed.1.gz")
	require.NoError(t, err)
	z := gzip.NewWriter(f)
	_, err = z.Write([]byte(".SH \"NAME\"\npacked \\(em is \x1b[31mcompressed\n.SH X\n"))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	require.NoError(t, f.Close())
	write(e.Manuals[0]+"/ko/man1/plain.1", ".SH 이름\nplain - 한 가지를 잘해요\n.SH 개요\n")
	write(e.Home+"/.cache/tealdeer/tldr-pages/pages/linux/tool.md", "# tool\n\n> A tool for tests.\n> More information: <https://example.org>.\n")
	write(e.Home+"/.cache/tealdeer/tldr-pages/pages.zh/common/tool.md", "# tool\n\n> 测试工具。\n")
	write(e.Home+"/.cache/tealdeer/tldr-pages/pages/common/plain.md", "# plain\n\n> From tldr.\n")

	require.Equal(t, "From tldr", summary("plain", i18n.English))
	require.Equal(t, "한 가지를 잘해요", summary("plain", i18n.Korean))
	require.Equal(t, "documents things", summary("doc", i18n.Korean), "English is better than nothing")
	require.Equal(t, "is [31mcompressed", summary("packed", i18n.English))
	require.Equal(t, "A tool for tests", summary("tool", i18n.English))
	require.Equal(t, "测试工具。", summary("tool", i18n.Chinese))
	require.Empty(t, summary("..tool", i18n.English)+summary("none", i18n.English))
}

// TestEveryEffectHasATextAndNoneIsUnused keeps the tables of the catalogue and the code alike.
func TestEveryEffectHasATextAndNoneIsUnused(t *testing.T) {
	e := newExplainer(t)
	used := map[string]bool{"shutdown": true, "reboot": true}
	for _, c := range append([]string{
		"sudo pacman -Sy", "gpasswd -a me wheel", "shutdown -h now", "systemctl start a", "systemctl stop a", "systemctl enable a", "umount /mnt",
		"curl -d @x https://a.b", "sudo userdel bob", "git restore x", "ip link", "pacman -R vlc", "git push", "git fetch", "chmod 600 f", "sudo fdisk /dev/sda",
	}, commands...) {
		for _, p := range e.Explain(c, i18n.English).Programs {
			for _, f := range p.Effects {
				used[f.Code] = true
				require.NotEqual(t, f.Code, i18n.Effect(f.Code, f.What, i18n.Korean), "%s: %s", c, f.Code)
				require.NotContains(t, i18n.Effect(f.Code, f.What, i18n.English), "{what}", c)
			}
		}
	}
	for code := range i18n.Effects() {
		require.True(t, used[code], code)
	}
	for code := range i18n.EffectsOf() {
		require.True(t, used[code], code)
	}
}

func FuzzExplain(f *testing.F) {
	for _, c := range commands {
		f.Add(c)
	}
	checker := safety.New(safety.Options{Home: "/home/blu", User: "blu"})
	e := &explain.Explainer{Judge: checker.Judge, Home: "/home/blu", Manuals: []string{}}
	f.Fuzz(func(t *testing.T, command string) {
		require.NotEmpty(t, e.Explain(command, i18n.Korean).Text(i18n.Korean))
	})
}
