package aur

import (
	"slices"
	"strings"
	"sync"
)

// set returns a set of names, made when it is first used.
func set(names string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		m := map[string]bool{}
		for _, name := range strings.Fields(names) {
			m[name] = true
		}
		return m
	})
}

var (
	// downloaders read from the network with any arguments.
	downloaders = set(`curl wget wget2 aria2c axel lynx w3m links elinks ftp lftp sftp scp gdown megadl yt-dlp youtube-dl
		http https xh httpie curlie zsync`)
	// connectors open connections that a shell can be tied to.
	connectors = set("nc ncat netcat nc.openbsd nc.traditional socat telnet")
	// shells run shell text; interpreters run text of other languages.
	shells       = set("sh bash dash zsh ksh mksh ash fish rbash")
	interpreters = set("python python2 python3 perl ruby node nodejs deno php lua luajit tclsh bun osascript")
	// rootPrograms give root rights.
	rootPrograms = set("sudo doas pkexec run0 su sudo-rs")
	// wrappers start the program that their operands name.
	wrappers = set(`sudo doas pkexec run0 env nohup setsid exec command builtin time nice ionice timeout fakeroot stdbuf xargs
		busybox chronic unshare catchsegv proxychains torsocks chrt taskset dbus-run-session xvfb-run then do`)
	// decoders make text of encoded text.
	decoders = set("base64 base32 basenc xxd openssl uudecode gpg")
	// writers change the files that their operands name; the last operand of copiers is where they write.
	writers = set("touch mkdir rm rmdir chmod chown chgrp truncate shred setcap chattr tee unlink")
	copiers = set("cp mv install ln rsync")
	// harmless programs at the top of a PKGBUILD only compute values.
	harmless = set(`: true false echo printf test [ [[ sed awk gawk grep egrep fgrep cut tr head tail sort uniq wc date uname nproc
		basename dirname cat tac rev ls stat readlink realpath pwd expr seq bc env which type command hash id whoami getconf arch
		pacman pacman-conf vercmp pkg-config pkgconf gcc g++ clang rustc python python3 perl ruby node go java ghc php bash sh
		git msg msg2 plain warning error export unset shopt set local declare typeset readonly return exit break continue shift
		read mapfile readarray let cd pushd popd getopts trap wait xargs find file jq lscpu hostname tput in_array
		msg_error locale column paste fold fmt comm join xmllint free sleep umask exit llvm-config ldd lsb_release rustup cargo
		kernel uname gcc-ar makepkg source . eval dpkg-architecture`)
	// rootUsual programs are what scriptlets use.
	rootUsual = set(`: true false echo printf test [ cat sed awk gawk grep egrep fgrep cut tr head tail sort uniq wc date uname
		basename dirname ls stat readlink realpath pwd expr seq which type command id whoami getent local declare typeset export
		unset return exit break continue shift read set shopt let cd find file jq sleep umask xargs tput msg plain warning
		systemctl systemd-sysusers systemd-tmpfiles systemd-hwdb journalctl udevadm ldconfig depmod modprobe dkms mkinitcpio
		dracut update-initramfs grub-mkconfig bootctl sbctl sysctl systemd-detect-virt loginctl killall pkill pidof pgrep ps kill
		update-desktop-database gtk-update-icon-cache gtk-update-icon-cache-3.0 gtk4-update-icon-cache update-mime-database
		glib-compile-schemas xdg-icon-resource xdg-desktop-menu xdg-mime xdg-settings fc-cache fc-scan mkfontscale mkfontdir
		gconfpkg gconftool-2 gio-querymodules gdk-pixbuf-query-loaders gtk-query-immodules-3.0 kbuildsycoca5 kbuildsycoca6
		update-ca-trust trust install-info texhash mktexlsr fmtutil-sys updmap-sys update-texmf texconfig-sys install-catalog xmlcatalog
		archlinux-java useradd usermod groupadd groupmod userdel groupdel gpasswd passwd chage chown chmod chgrp setcap getcap setfacl
		setfattr chattr install mkdir rmdir cp mv rm ln touch tee diff cmp vercmp pacman ssh-keygen openssl gpg make python python3
		perl bash sh locale-gen localedef update-alternatives gpg-connect-agent crudini augtool semodule restorecon setsebool
		apparmor_parser aa-enforce postmap newaliases sendmail mandb makewhatis gpasswd vboxmanage VBoxManage usermod du df mount
		umount mountpoint lsmod rmmod insmod ischroot systemctl.real less more su runuser sudo dconf gsettings eselect
		arch-chroot post_install post_upgrade post_remove pre_install pre_upgrade pre_remove`)
	// resolvers ask name servers, senders put files on other computers.
	resolvers = set("dig host nslookup drill kdig delv resolvectl ping")
	senders   = set("gh glab rclone s3cmd gsutil croc wormhole wormhole-william ffsend mail sendmail mutt")
	// schedulers start things later.
	schedulers = set("crontab at batch systemd-run")
	// buildPrograms fetch, build, and start what they are given.
	buildPrograms = set("git svn hg npm yarn pnpm npx pip pip3 cargo go gem make cmake systemctl eval source tar patch")
)

// isProgram reports whether a name is one of a program that these rules know.
func isProgram(name string) bool {
	for _, of := range []func() map[string]bool{
		downloaders, connectors, shells, interpreters, rootPrograms, decoders, writers, copiers, schedulers, buildPrograms,
	} {
		if of()[name] {
			return true
		}
	}
	return false
}

// isSensitive reports whether disguising a name hides something that matters.
func isSensitive(name string) bool {
	return isProgram(name) || slices.Contains([]string{"bunx", "npm", "npx", "pnpx", "pipx", "uvx", "uv", "chmod"}, name)
}

// needsLock are flags that take the versions that the source names.
var lockFlags = set("--locked --frozen --offline --frozen-lockfile --immutable --require-hashes --no-index --cached --ci --no-deps")

// isLocked reports whether a command takes only versions that the source names.
func isLocked(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return lockFlags()[a] })
}

// isFlag reports whether a word is an option.
func isFlag(word string) bool { return strings.HasPrefix(word, "-") }

// registryUse is how a command uses the registry of a language.
type registryUse struct {
	fetches bool
	locked  bool
	named   []string // packages that are named, without versions
	// elsewhere reports another registry than the usual one.
	elsewhere bool
}

// useRegistry returns what a command takes from the registry of a language.
func useRegistry(name string, args []string) (u registryUse, is bool) {
	verb, rest := "", args
	for i, a := range args {
		if !isFlag(a) && !(i > 0 && takesValue(args[i-1])) {
			verb, rest = a, args[i+1:]
			break
		}
	}
	switch name {
	case "npm", "pnpm", "yarn", "bun", "cnpm":
		return useNode(name, verb, rest, args), true
	case "npx", "bunx", "pnpx", "uvx", "pipx":
		u.fetches, u.named = true, registryNames(args)
		if len(u.named) > 1 {
			u.named = u.named[:1]
		}
		return u, true
	case "pip", "pip2", "pip3":
		if verb == "install" || verb == "download" || verb == "wheel" {
			u = registryUse{fetches: true, locked: isLocked(rest), named: registryNames(rest), elsewhere: hasRegistry(args)}
		}
		return u, true
	case "gem":
		if verb == "install" && !slices.Contains(args, "--local") {
			u = registryUse{fetches: true, locked: slices.Contains(args, "--ignore-dependencies"), named: registryNames(rest)}
		}
		return u, true
	case "cargo":
		if slices.Contains([]string{"build", "b", "fetch", "test", "t", "run", "rustc", "check", "cinstall", "cbuild", "auditable", "xtask"}, verb) {
			u = registryUse{fetches: true, locked: isLocked(args), named: nil}
		} else if verb == "install" || verb == "binstall" {
			u = registryUse{fetches: true, locked: isLocked(args), named: nil}
			if !slices.ContainsFunc(rest, func(a string) bool { return strings.HasPrefix(a, "--path") || strings.HasPrefix(a, "--git") }) {
				u.named = registryNames(rest)
			}
		}
		return u, true
	case "go":
		switch verb {
		case "build", "test", "generate", "run", "vet", "mod":
			u = registryUse{fetches: true, locked: true, named: nil} // go.sum has the hashes of all modules
		case "install", "get":
			u = registryUse{fetches: true, locked: slices.Contains(args, "-mod=readonly"), named: registryNames(rest)}
		}
		return u, true
	case "composer", "luarocks", "cpan", "cpanm", "dotnet", "mvn", "gradle", "flutter", "dart", "stack", "cabal", "opam", "nimble", "mix", "rebar3",
		"conan", "vcpkg", "docker", "podman", "conda", "uv", "poetry", "pdm", "bundle", "bundler", "rustup", "nvm", "deno", "electron-builder", "./gradlew", "gradlew", "./mvnw":
		u = registryUse{fetches: true, locked: isLocked(args), named: nil}
		return u, verb != "" && verb != "clean"
	}
	return u, false
}

// hasRegistry reports whether a command names the registry that it takes packages from.
func hasRegistry(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		flag, _, _ := strings.Cut(a, "=")
		return slices.Contains([]string{"-i", "--index-url", "--extra-index-url", "--registry", "--default-index", "--index"}, flag)
	})
}

// takesValue reports whether a flag of a package manager has its value in the next word.
func takesValue(flag string) bool {
	return slices.Contains([]string{
		"--prefix", "--cache", "-C", "--dir", "--cwd", "--root", "--target", "--registry", "--userconfig", "--manifest-path", "--features",
		"-p", "-t", "-r", "--requirement", "-c", "--find-links", "-f", "--path", "--git", "--tag", "--branch", "--rev", "--install-dir", "-i",
		"--bindir", "-n", "--index-url", "--extra-index-url", "--default-index", "--index", "--trusted-host", "--python", "--global-folder", "--modules-folder", "--cache-folder", "--loglevel", "--filter", "-F", "--config",
		"--global-dir", "--global-bin-dir", "--store-dir", "--jobs", "-j", "--target-dir", "--profile", "-w", "--workspace", "--arch",
	}, flag)
}

func useNode(name, verb string, rest, args []string) (u registryUse) {
	defer func() { u.elsewhere = u.fetches && len(u.named) > 0 && hasRegistry(args) }()
	switch verb {
	case "ci":
		return registryUse{fetches: true, locked: true, named: nil}
	case "install", "i", "add", "update", "upgrade", "isntall", "in", "ins", "inst", "insta", "instal", "global":
		if verb == "global" && len(rest) > 0 { // yarn global add
			rest = rest[1:]
		}
		return registryUse{fetches: true, locked: isLocked(args), named: registryNames(rest)}
	case "exec", "dlx", "x", "create", "init":
		named := registryNames(rest)
		if len(named) > 1 {
			named = named[:1]
		}
		if verb == "exec" && name != "npm" {
			return registryUse{}
		}
		return registryUse{fetches: verb != "exec" || len(named) > 0, locked: false, named: named}
	case "":
		return registryUse{fetches: name == "yarn", locked: isLocked(args), named: nil}
	}
	return registryUse{}
}

// registryNames returns the operands that name packages of a registry: no paths, archives, addresses or unknown words.
func registryNames(args []string) (list []string) {
	for i, a := range args {
		if isFlag(a) || i > 0 && takesValue(args[i-1]) {
			continue
		}
		if isLocalOperand(a) {
			continue
		}
		at := strings.LastIndexByte(a, '@')
		if at > 0 {
			a = a[:at]
		}
		if a != "" && a != unknown && a != "all" && a != "self" {
			list = append(list, a)
		}
	}
	return list
}

func isLocalOperand(a string) bool {
	switch {
	case a == "" || a[0] == '.' || a[0] == '/' || a[0] == '$' || strings.Contains(a, "://") || strings.HasPrefix(a, "file:"):
		return true
	case strings.ContainsAny(a, "*?\\<>|&;(){}"):
		return true
	}
	for _, end := range []string{".tgz", ".tar.gz", ".whl", ".gem", ".zip", ".txt", "/"} {
		if strings.HasSuffix(a, end) {
			return true
		}
	}
	return strings.HasPrefix(a, unknown) || strings.HasPrefix(a, srcDir)
}

// nodeTools are packages that builds of other packages install by name.
var nodeTools = set(`npm yarn pnpm bun node-gyp typescript tsc electron electron-builder electron-packager @electron/asar asar
	@electron/rebuild electron-rebuild corepack webpack webpack-cli vite esbuild rollup gulp gulp-cli grunt grunt-cli bower ts-node
	@angular/cli @vue/cli @tauri-apps/cli @neutralinojs/neu lerna nx turbo rimraf cross-env patch-package prebuild-install pkg
	@vercel/pkg @yao-pkg/pkg nexe less sass node-sass svgo clean-css-cli uglify-js terser postcss postcss-cli tailwindcss
	license-checker @bazel/bazelisk cmake-js node-pre-gyp @mapbox/node-pre-gyp modclean json html-minifier vsce @vscode/vsce
	pip setuptools wheel build installer cython numpy meson ninja poetry poetry-core hatchling flit flit-core maturin scons pyinstaller
	nuitka virtualenv tox pytest uv bundler rake cargo-auditable cargo-c cargo-tauri tauri-cli wasm-pack wasm-bindgen-cli trunk just
	cross conan west`)

// knownBad are packages of registries that known attacks installed.
// Source: reports of June 2026, see testdata/malicious/README.md.
var knownBad = []string{"atomic-lockfile", "js-digest", "lockfile-js", "nextfile-js"}
