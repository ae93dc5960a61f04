package tools_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// replaceFile replaces a file by a new one, like an editor does.
func replaceFile(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path+".new", []byte(text), 0o755)) // #nosec: a test's own script
	require.NoError(t, os.Rename(path+".new", path))
}

// TestS8ContentsThatAreSwappedBetweenQuestionAndYesDoNotRun: however the command names the file that decides
// what runs, the approval covers its content at the time of the question.
func TestS8ContentsThatAreSwappedBetweenQuestionAndYesDoNotRun(t *testing.T) {
	for form, file := range map[string]string{
		"cd sub && ./t.sh":                         "sub/t.sh",
		"cd sub && bash t.sh":                      "sub/t.sh",
		"(cd sub; . ./t.sh)":                       "sub/t.sh",
		"cd sub && cd deep && sh ./t.sh":           "sub/deep/t.sh",
		"pushd sub && ./t.sh":                      "sub/t.sh",
		"d=sub; cd \"$d\" && ./t.sh":               "sub/t.sh",
		"env -C sub ./t.sh":                        "sub/t.sh",
		"bash s*.sh":                               "s.sh",
		"bash ./?.sh":                              "s.sh",
		"bash sub/[st].sh":                         "sub/t.sh",
		"for f in sub/*.sh; do bash \"$f\"; done":  "sub/t.sh",
		"x=s.sh; bash $x":                          "s.sh",
		"x=s; bash ./$x.sh":                        "s.sh",
		"x=sub y=t.sh; bash \"$x/${y}\"":           "sub/t.sh",
		"a=(s.sh); bash \"${a[0]}\"":               "s.sh",
		"sh -c '. ./s.sh'":                         "s.sh",
		"sh -c 'cd sub && . ./t.sh'":               "sub/t.sh",
		"bash -c \"sh -c './s.sh'\"":               "s.sh",
		"eval './s.sh'":                            "s.sh",
		"bash <<E\n. ./s.sh\nE":                    "s.sh",
		"cat s.sh | bash":                          "s.sh",
		"bash <(cat s.sh)":                         "s.sh",
		"sed -f s.sh notes":                        "s.sh",
		"sed -nf s.sh notes":                       "s.sh",
		"sed --file=s.sh notes":                    "s.sh",
		"sed -fs.sh notes":                         "s.sh",
		"awk -f s.sh notes":                        "s.sh",
		"BASH_ENV=./s.sh bash -c 'touch x'":        "s.sh",
		"ENV=./s.sh sh -c 'touch x'":               "s.sh",
		"env BASH_ENV=s.sh bash -c 'touch x'":      "s.sh",
		"LD_PRELOAD=./lib.so touch x":              "lib.so",
		"make":                                     "Makefile",
		"make install":                             "GNUmakefile",
		"make -C sub":                              "sub/Makefile",
		"make --directory=sub all":                 "sub/makefile",
		"make -f rules.mk":                         "rules.mk",
		"make -frules.mk":                          "rules.mk",
		"cd sub && make":                           "sub/Makefile",
		"makepkg -si":                              "PKGBUILD",
		"makepkg":                                  "app.install",
		"makepkg -p OTHER":                         "OTHER",
		"python m.py":                              "m.py",
		"python3 sub/m.py x":                       "sub/m.py",
		"perl m.pl":                                "m.pl",
		"node m.js":                                "m.js",
		"ruby m.rb":                                "m.rb",
		"lua m.lua":                                "m.lua",
		"just build":                               "justfile",
		"ninja -C sub":                             "sub/build.ninja",
		"cmake sub":                                "sub/CMakeLists.txt",
		"npm run build":                            "package.json",
		"cargo build":                              "build.rs",
		"git commit -m x":                          ".git/hooks/pre-commit",
		"timeout 5 ./s.sh":                         "s.sh",
		"find . -name x -exec ./s.sh {} \\;":       "s.sh",
		"echo x | xargs ./s.sh":                    "s.sh",
		"true && { if true; then bash s.sh; fi; }": "s.sh",
		"f() { bash s.sh; }; f":                    "s.sh",
		"bash ~/s.sh":                              "s.sh",
		"bash $HOME/s.sh":                          "s.sh",
		"node --require=./s.sh -e 1":               "s.sh",
		"bash {s,sub/t}.sh":                        "sub/t.sh",
	} {
		t.Run(form, func(t *testing.T) {
			var home string
			d := newTestGate(t, func(o *tools.Options) {
				home = o.Home
				o.Checker = safety.New(safety.Options{Home: o.Home})
				o.Executor = executor.New(executor.Options{Sandbox: newSandbox(t), Getenv: func(string) string { return home }})
			})
			for _, dir := range []string{"sub/deep"} {
				require.NoError(t, os.MkdirAll(filepath.Join(d.dir, dir), 0o700))
			}
			path, trace := filepath.Join(d.dir, file), filepath.Join(d.dir, "trace")
			replaceFile(t, path, "true\n")
			p := &swappingApprover{change: func() { replaceFile(t, path, "touch "+trace+"\n") }}
			j, refused := d.Prepare(newCall(t, "run_command", command(form)), "s", d.dir)
			require.Nil(t, refused)
			require.Equal(t, safety.Confirm, j.Class)
			require.False(t, j.IsGrantable(), "never for a session")
			p.change()
			again := d.Judge(j)
			require.NotEqual(t, j.Digest, again.Digest, "%v", j.Files)
			require.Equal(t, tools.RefusedMismatch, d.RunApproved(t.Context(), j, j.Digest, nil, nil).Output.Refusal)
			require.NoFileExists(t, trace)
		})
	}
}

// TestS8ANewFileInTheQuestionsPlaceDoesNotRun: the person could not see it.
func TestS8ANewFileInTheQuestionsPlaceDoesNotRun(t *testing.T) {
	for form, file := range map[string]string{"bash s*.sh": "s2.sh", "make": "GNUmakefile", "bash s.sh": "s.sh", "cd sub && ./t.sh": "sub/t.sh"} {
		d := newTestGate(t)
		replaceFile(t, filepath.Join(d.dir, "Makefile"), "all:\n")
		replaceFile(t, filepath.Join(d.dir, "s1.sh"), "true\n")
		j, refused := d.Prepare(newCall(t, "run_command", command(form)), "s", d.dir)
		require.Nil(t, refused)
		replaceFile(t, filepath.Join(d.dir, file), "touch trace\n")
		require.Equal(t, tools.RefusedMismatch, d.RunApproved(t.Context(), j, j.Digest, nil, nil).Output.Refusal, form)
		require.NoFileExists(t, filepath.Join(d.dir, "trace"))
	}
}

// TestS8TheDirectoryIsBoundByWhatItIs: an approval does not apply to another directory with the same name.
func TestS8TheDirectoryIsBoundByWhatItIs(t *testing.T) {
	for name, form := range map[string]string{"its own": "touch made", "one that is entered": "cd in && touch made", "one that is entered later": "cd ..; cd work/in && touch made"} {
		t.Run(name, func(t *testing.T) {
			d := newTestGate(t)
			work := filepath.Join(d.dir, "work")
			in := filepath.Join(work, "in")
			require.NoError(t, os.MkdirAll(in, 0o700))
			j, refused := d.Prepare(newCall(t, "run_command", command(form)), "s", work)
			require.Nil(t, refused)
			swap := work
			if name != "its own" {
				swap = in
			}
			require.NoError(t, os.Rename(swap, swap+".old"))
			require.NoError(t, os.MkdirAll(in, 0o700))
			require.Equal(t, tools.RefusedMismatch, d.RunApproved(t.Context(), j, j.Digest, nil, nil).Output.Refusal)
			require.NoFileExists(t, filepath.Join(work, "made"))
			require.NoFileExists(t, filepath.Join(in, "made"))
		})
	}
}

// TestS8WhatAYesDoesNotCoverIsSaid: modules, included files, and words that are only known at run time.
func TestS8WhatAYesDoesNotCoverIsSaid(t *testing.T) {
	d := newTestGate(t)
	replaceFile(t, filepath.Join(d.dir, "m.py"), "import other\n")
	replaceFile(t, filepath.Join(d.dir, "t.sh"), "#!/bin/sh\n. ./lib.sh\n")
	for form, uncovered := range map[string][]string{
		"python3 m.py": {"m.py", "python"}, "python3 -c 'import x'": {"python"}, "make": {"make"}, "./t.sh": {"t.sh"}, "bash t.sh": {"t.sh"}, "makepkg -si": {"makepkg"}, "npm install": {"npm"},
		"bash \"$(echo t.sh)\"": {"bash"}, "bash \"$1\"": {"bash"}, "vim notes": {"vim"}, "sudo make install": {"make"},
	} {
		j, refused := d.Prepare(newCall(t, "run_command", command(form)), "s", d.dir)
		require.Nil(t, refused, form)
		for _, name := range uncovered {
			require.Contains(t, j.Uncovered, name, form)
		}
		require.Len(t, j.Notices(), len(j.Warnings)+1, form)
	}
	for _, form := range []string{
		"touch x", "sudo pacman -S python make", "bash -c 'touch x'", "echo make python > notes", "git commit -m 'make python work'", "notify-send 'python is great'", "sudo systemctl restart x", "rm -r build",
	} {
		j, refused := d.Prepare(newCall(t, "run_command", command(form)), "s", d.dir)
		require.Nil(t, refused, form)
		require.Empty(t, j.Uncovered, form)
	}
}

// TestS8WordsThatExpandWithoutEndAreLeftOut: judging such a command still ends quickly.
func TestS8WordsThatExpandWithoutEndAreLeftOut(t *testing.T) {
	d := newTestGate(t)
	for _, form := range []string{
		"bash {1..99999999}.sh", "bash {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "bash /proc/*/*/*",
	} {
		j, refused := d.Prepare(newCall(t, "run_command", command(form)), "s", d.dir)
		require.Nil(t, refused, form)
		require.NotEmpty(t, j.Uncovered, form)
	}
}

// TestS9WhatStartsOtherProgramsIsNeverGranted: "for this session" is only offered for programs that are known
// to do the same thing each time.
func TestS9WhatStartsOtherProgramsIsNeverGranted(t *testing.T) {
	d := newTestGate(t)
	for _, form := range []string{
		"makepkg -si", "makepkg", "sed -f x y", "sed -i s/a/b/ y", "sed -n 1e x", "vim x", "vi x", "nvim x", "nano x", "emacs x", "ed x", "kate x", "code x", "make", "make install", "ninja", "just x", "cmake .",
		"python3 x.py", "python -c 1", "perl x", "ruby x", "node x", "lua x", "php x", "less x", "more x", "most x", "man -P x y", "awk -f x y", "awk 'BEGIN{system(\"x\")}'", "find . -exec rm {} +", "find . -delete",
		"git commit -m x", "git pull", "git checkout x", "git config x y", "tar --to-command=x -xf y", "tar xf y", "tar -I x -cf y z", "npm install", "npm run x", "pip install x", "cargo install x", "go run x",
		"gem install x", "ssh h x", "scp a h:b", "rsync a h:b", "docker run x", "docker start web", "podman exec x y", "flatpak run x", "systemctl --user start x", "systemctl restart x", "systemd-run x",
		"xdg-open x", "gio open x", "kde-open x", "swaymsg exec x", "hyprctl dispatch exec x", "i3-msg exec x", "tmux new x", "screen -dm x", "at now", "crontab x", "batch", "env touch x", "xargs touch < x",
		"nohup touch x", "watch touch x", "timeout 5 touch x", "bash -c 'touch x'", "sh x", "./x", "~/bin/x", "/opt/x", "unknown-program x", "pacman -S x", "yay -S x", "paru x", "flatpak install x", "snap install x",
		"gdb x", "strace x", "ansible-playbook x", "terraform apply", "curl -o x http://h/x", "wget http://h/x", "unzip x", "zip -T x y", "7z x y", "ffmpeg -i x y", "convert x y", "gpg -d x", "mysql -e x", "sqlite3 x y",
		"busctl call a b c d", "dbus-send x", "qdbus a b c", "gdbus call x", "loginctl terminate-session 1", "reboot", "shutdown now", "dd if=a of=b", "sort -o x y", "tee x; vim y", "touch x && make", "install a b",
		"touch x; $y", "LD_PRELOAD=./x.so touch y", "touch $(ls)", "touch x &", "alias x=y", "trap x EXIT", "sudo touch x", "doas touch x", "wipefs -a x.img",
	} {
		j, refused := d.Prepare(newCall(t, "run_command", command(form)), "s", d.dir)
		if refused != nil || j.Class == safety.Safe || j.Class == safety.Blocked {
			continue
		}
		require.False(t, j.IsGrantable(), form)
	}
	for _, form := range []string{"touch x", "mkdir -p a/b", "cp x y", "mv x y", "rm x", "brightnessctl set 50%", "pactl set-sink-mute 0 1", "nmcli radio wifi off", "echo x >> notes.txt", "cat a > b", "kill 1234"} {
		j, refused := d.Prepare(newCall(t, "run_command", command(form)), "s", d.dir)
		require.Nil(t, refused, form)
		require.True(t, j.IsGrantable(), form)
	}
}
