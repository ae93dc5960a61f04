package binding

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/tools/shell"
)

// readsText reports whether a program can read from a file what to do.
func readsText(program string) bool {
	return program == "." || strings.Contains(program, "/") || slices.Contains(readerPrograms, shell.BaseProgram(program)) || implicitFiles[shell.BaseProgram(program)] != ""
}

// readerPrograms start other programs or read a program's text from a file.
var readerPrograms = strings.Fields(`
	sh bash dash zsh fish ksh mksh ash yash rbash csh tcsh nu elvish xonsh busybox toybox
	env xargs find fd parallel watch script timeout nice ionice nohup setsid stdbuf chrt taskset flock unshare nsenter chroot arch-chroot systemd-run
	command exec builtin eval source time trap sudo doas su pkexec run0 runuser ssh scp sftp rsync docker podman distrobox flatpak at batch crontab
	python pypy perl ruby node deno bun lua luajit php tclsh wish expect awk gawk mawk nawk gdb guile R Rscript julia m4 ghc runghc scala groovy java kotlin swift racket sbcl
	npm npx yarn pnpm cargo go pip pipx uv poetry gem bundle composer mvn gradle ant rake sbt cabal stack mix rebar3 dotnet
	vi vim nvim view ex ed emacs git tmux screen ansible ansible-playbook terraform vagrant nix nix-build nix-shell direnv strace ltrace perf valgrind`)

// scriptOptions are the options that make a program read a script file: letters, then long names.
var scriptOptions = map[string]string{
	"sed": "f file", "gsed": "f file", "jq": "f L from-file", "psql": "f file",
	"tar": "I F to-command use-compress-program checkpoint-action info-script new-volume-script rsh-command", "bsdtar": "I use-compress-program",
}

// implicitFiles are the files that a program reads in its working directory by default.
var implicitFiles = map[string]string{
	"make": "GNUmakefile makefile Makefile", "gmake": "GNUmakefile makefile Makefile", "bmake": "BSDmakefile makefile Makefile",
	"makepkg": "PKGBUILD *.install ~/.makepkg.conf ~/.config/pacman/makepkg.conf", "updpkgsums": "PKGBUILD", "extra-x86_64-build": "PKGBUILD",
	"just": "justfile Justfile .justfile", "ninja": "build.ninja", "cmake": "CMakeLists.txt CMakePresets.json", "meson": "meson.build", "scons": "SConstruct",
	"rake": "Rakefile rakefile", "bundle": "Gemfile Gemfile.lock", "gem": "Gemfile", "npm": "package.json package-lock.json .npmrc", "npx": "package.json .npmrc",
	"yarn": "package.json yarn.lock .yarnrc.yml", "pnpm": "package.json pnpm-lock.yaml .npmrc", "bun": "package.json bunfig.toml", "deno": "deno.json",
	"cargo": "Cargo.toml Cargo.lock build.rs .cargo/config.toml", "go": "go.mod go.work", "pip": "setup.py setup.cfg pyproject.toml", "uv": "pyproject.toml uv.lock setup.py",
	"poetry": "pyproject.toml poetry.lock", "tox": "tox.ini", "nox": "noxfile.py", "pytest": "conftest.py pytest.ini pyproject.toml",
	"mvn": "pom.xml", "gradle": "build.gradle build.gradle.kts settings.gradle settings.gradle.kts", "ant": "build.xml", "sbt": "build.sbt",
	"docker": "Dockerfile compose.yaml compose.yml docker-compose.yaml docker-compose.yml .env", "podman": "Containerfile Dockerfile",
	"vagrant": "Vagrantfile", "terraform": "*.tf", "task": "Taskfile.yml Taskfile.yaml", "direnv": ".envrc", "nix": "flake.nix flake.lock", "nix-build": "default.nix",
	"nix-shell": "shell.nix default.nix", "composer": "composer.json", "mix": "mix.exs", "git": ".git/config .git/hooks/* .gitattributes ~/.gitconfig ~/.config/git/config", "ansible": "ansible.cfg",
	"tmux": "~/.tmux.conf", "vi": "~/.vimrc .vimrc .exrc", "vim": "~/.vimrc .vimrc .exrc", "nvim": "~/.config/nvim/init.lua ~/.config/nvim/init.vim .nvim.lua .exrc",
	"emacs": "~/.emacs ~/.emacs.d/init.el", "ssh": "~/.ssh/config", "scp": "~/.ssh/config", "sftp": "~/.ssh/config", "gdb": "~/.gdbinit .gdbinit",
}

// starterPrograms are the readers that start the programs in their arguments, so the command shows what they run.
var starterPrograms = strings.Fields(`
	env xargs find fd parallel watch script timeout nice ionice nohup setsid stdbuf chrt taskset flock unshare nsenter chroot arch-chroot systemd-run
	command exec builtin eval time trap sudo doas su pkexec run0 runuser busybox toybox
	sh bash dash zsh fish ksh mksh ash yash rbash csh tcsh source strace ltrace perf valgrind`)

// coveredReaders are the readers whose behaviour is completely determined by the command and the implicit files.
var coveredReaders = strings.Fields(`at batch crontab rsync flatpak awk gawk mawk nawk git ssh scp sftp docker podman distrobox tmux screen bc dc`)

// isSystemProgram reports whether a path is in the system's program directories.
func isSystemProgram(path string) bool {
	return slices.Contains([]string{"/usr/bin", "/usr/sbin", "/bin", "/sbin"}, filepath.Dir(path))
}
