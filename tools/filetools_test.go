package tools_test

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/internal/picture"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/receipt"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// The same words in EUC-KR and in GB18030.
const (
	koreanText  = "\xc6\xf7\xc6\xae=80\n\xc0\xcc\xb8\xa7=\xc8\xab\xb1\xe6\xb5\xbf\n" // 포트=80, 이름=홍길동
	chineseText = "\xb6\xcb\xbf\xda=80\n\xd0\xd5\xc3\xfb=\xcd\xf5\xd0\xa1\xc3\xf7\n" // 端口=80, 姓名=王小明
)

func writeText(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func readBack(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func TestFilesAreReadWithNumbersAndEncoding(t *testing.T) {
	d := newTestGate(t)
	writeText(t, filepath.Join(d.dir, "ko.txt"), koreanText)
	writeText(t, filepath.Join(d.dir, "zh.txt"), chineseText)
	writeText(t, filepath.Join(d.dir, "many"), strings.Repeat("line\n", 1000))
	writeText(t, filepath.Join(d.dir, "wide"), strings.Repeat("한", 1000))
	writeText(t, filepath.Join(d.dir, "binary"), "\x7fELF\x00\x01")
	require.NoError(t, os.Symlink("ko.txt", filepath.Join(d.dir, "link")))
	p := answering()
	for _, c := range []struct {
		input fields
		want  []string
	}{
		{fields{"path": "ko.txt"}, []string{"20 bytes, EUC-KR]\n     1\t포트=80\n     2\t이름=홍길동\n"}},
		{fields{"path": d.dir + "/zh.txt", "offset": 2}, []string{", GB18030]\n     2\t姓名=王小明\n"}},
		{fields{"path": "link"}, []string{d.dir + "/ko.txt: "}},
		{fields{"path": "many"}, []string{"   400\tline\n[600 more lines: offset 401]"}},
		{fields{"path": "many", "offset": 999, "limit": 1}, []string{"]\n   999\tline\n[1 more lines: offset 1000]"}},
		{fields{"path": "many", "offset": 2000}, []string{"[the file has 1000 lines]"}},
		{fields{"path": "wide"}, []string{"한… (+1002 bytes)"}},
		{fields{"path": "binary"}, []string{"not read: ", "is not a text (6 bytes)"}},
	} {
		out := d.call("read_file", c.input, p)
		for _, want := range c.want {
			require.Contains(t, out.Text, want, c.input)
		}
	}
	require.Empty(t, p.shown)
	require.Contains(t, d.logged()[0], "SAFE        blunux-ai read-file -- "+d.dir+"/ko.txt")
}

// pngOf returns a picture of size bytes.
func pngOf(t *testing.T, size int) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 1280, 800))))
	return append(b.Bytes(), make([]byte, max(size-b.Len(), 0))...)
}

func TestAPictureIsReadAsOne(t *testing.T) {
	d := newTestGate(t)
	data := pngOf(t, 2<<20)
	writeText(t, filepath.Join(d.dir, "사진.txt"), string(data))
	writeText(t, filepath.Join(d.dir, "large.png"), string(pngOf(t, picture.MaxSize+1)))
	writeText(t, filepath.Join(d.dir, "wide.png"), strings.Replace(string(pngOf(t, 0)), "\x00\x00\x05\x00", "\x00\x01\x00\x00", 1))
	writeText(t, filepath.Join(d.dir, "text.png"), "not a picture\n")
	require.NoError(t, os.Symlink("사진.txt", filepath.Join(d.dir, "link.png")))
	out := d.call("read_file", fields{"path": "link.png"}, answering())
	path := filepath.Join(d.dir, "사진.txt")
	require.Equal(t, "$ blunux-ai read-file -- "+path+"\n["+path+": image/png, 1280×800, 2097152 bytes]\n", out.Text)
	require.Equal(t, &providers.Picture{MediaType: "image/png", Data: data, Path: path}, out.Picture)
	require.Equal(t, out.Picture, d.events[len(d.events)-1].Picture)
	for name, want := range map[string]string{
		"large.png": "large.png: image/png, 1280×800, more than 3932160 bytes; too large to be shown to you]",
		"wide.png":  "wide.png: image/png, 65536×800, ",
		"text.png":  "     1\tnot a picture",
	} {
		out := d.call("read_file", fields{"path": name}, answering())
		require.Contains(t, out.Text, want)
		require.Nil(t, out.Picture, name)
		require.Nil(t, d.events[len(d.events)-1].Picture)
	}
}

// TestThreat19WhatIsNoFileIsNotRead: nothing blocks, never ends or is an interface of the kernel.
func TestThreat19WhatIsNoFileIsNotRead(t *testing.T) {
	d, _, _ := keeping(t)
	require.NoError(t, unix.Mkfifo(filepath.Join(d.dir, "pipe"), 0o600))
	for _, path := range []string{"pipe", ".", "/dev/zero", "/proc/self/mem", "/proc/cpuinfo", "/sys/kernel/mm", "missing"} {
		require.Equal(t, tools.RefusedInput, d.call("read_file", fields{"path": path}, allowing()).Output.Refusal, path)
	}
	sparse := filepath.Join(d.dir, "sparse")
	writeText(t, sparse, "first\nsecond\n")
	require.NoError(t, os.Truncate(sparse, 10<<30))
	out := d.call("read_file", fields{"path": sparse}, allowing())
	require.Contains(t, out.Text, "[only the first 13 bytes are read")
	require.NoError(t, os.Truncate(sparse, 0))
	require.NoError(t, os.Truncate(sparse, 10<<30))
	require.Contains(t, d.call("read_file", fields{"path": sparse}, allowing()).Text, "is not a text")
	require.Contains(t, d.call("edit_file", fields{"path": sparse, "old": "x", "new": "y"}, allowing()).Text, "is too large")
	require.Contains(t, d.call("edit_file", fields{"path": "pipe", "old": "x", "new": "y"}, allowing()).Text, "is not a file")
}

// TestThreat19FileToolsAskWhereCatAsks: the tools that look read and list nothing that commands would not.
func TestThreat19FileToolsAskWhereCatAsks(t *testing.T) {
	d := newHome(t)
	writeText(t, filepath.Join(d.dir, "plain"), "hello\n")
	require.Contains(t, d.call("read_file", fields{"path": "plain"}, answering()).Text, "hello")
	for _, path := range []string{".ssh/id_ed25519", "~/.netrc", "notes/readme", "notes/again", "docs/id_ed25519", "notes/own/claude", "notes/.env", "notes/up/.netrc"} {
		p := answering()
		out := d.call("read_file", fields{"path": path}, p)
		require.Len(t, p.shown, 1, path)
		require.NotContains(t, out.Text, keptSecret, path)
		require.Contains(t, d.call("read_file", fields{"path": path}, allowing()).Text, keptSecret, path)
	}
	// The link that is swapped between question and yes leads to another file.
	writeText(t, filepath.Join(d.dir, "other/id"), "x "+keptSecret)
	j, refused := d.Prepare(newCall(t, "read_file", fields{"path": ".netrc"}), "s", d.dir)
	require.Nil(t, refused)
	require.NoError(t, os.Remove(filepath.Join(d.dir, ".netrc")))
	require.NoError(t, os.Symlink("other/id", filepath.Join(d.dir, ".netrc")))
	require.Equal(t, tools.RefusedMismatch, d.Run(t.Context(), j, allowing(), nil).Output.Refusal)
}

func TestAFileWithOtherNamesIsAskedAboutWithAWarning(t *testing.T) {
	d, _, _ := keeping(t)
	path := filepath.Join(d.dir, "a")
	writeText(t, path, "one\n")
	p := allowing()
	d.call("write_file", fields{"path": path, "content": "two\n"}, p)
	require.Empty(t, p.shown[0].Warnings)
	require.NoError(t, os.Link(path, filepath.Join(d.dir, "b")))
	p = allowing()
	d.call("edit_file", fields{"path": path, "old": "two", "new": "three"}, p)
	require.Equal(t, []string{"hard-links: " + path}, p.shown[0].Warnings)
	require.Equal(t, "three\n", readBack(t, path))
	require.Equal(t, "two\n", readBack(t, filepath.Join(d.dir, "b")))
}

// TestThreat19OnlyTheMessagesOwnAttachmentIsReadUnasked: not another one, and not what a bridge puts in its place.
func TestThreat19OnlyTheMessagesOwnAttachmentIsReadUnasked(t *testing.T) {
	d := newHome(t)
	inbox := filepath.Join(d.dir, ".config/blunux-ai/sessions/inbox") // in a directory that is asked about
	own, other := filepath.Join(inbox, "f1"), filepath.Join(inbox, "f2")
	writeText(t, own, "long text\n")
	writeText(t, other, "of another message\n")
	run := func(path string) (tools.Outcome, []tools.JudgedPlan) {
		call := newCall(t, "read_file", fields{"path": path})
		call.Attached = []string{own}
		j, refused := d.Prepare(call, "s", d.dir)
		require.Nil(t, refused)
		p := answering()
		out := d.Run(t.Context(), j, p, nil)
		return out, p.shown
	}
	out, asked := run(own)
	require.Empty(t, asked)
	require.Contains(t, out.Text, "     1\tlong text")
	for name, change := range map[string]func(){
		"another":    func() {},
		"a link":     func() { require.NoError(t, os.Symlink("../s.jsonl", own)) },
		"a hardlink": func() { require.NoError(t, os.Link(filepath.Join(d.dir, ".netrc"), own)) },
		"a folder": func() {
			require.NoError(t, os.Rename(inbox, inbox+".old"))
			require.NoError(t, os.Symlink("../../../.ssh", inbox))
			require.NoError(t, os.Symlink("id_ed25519", own))
		},
	} {
		path := own
		if name == "another" {
			path = other
		} else {
			require.NoError(t, os.Remove(own))
		}
		change()
		out, asked := run(path)
		require.Len(t, asked, 1, name)
		require.NotContains(t, out.Text, keptSecret, name)
		require.NotContains(t, out.Text, "of another message", name)
		if name == "a folder" {
			require.NoError(t, os.Remove(own))
			require.NoError(t, os.Remove(inbox))
			require.NoError(t, os.Rename(inbox+".old", inbox))
			writeText(t, own, "long text\n")
		}
	}
}

// TestToolNamesOfPredecessorsAreKnown: a conversation or a model that comes from one goes on with their names.
func TestToolNamesOfPredecessorsAreKnown(t *testing.T) {
	d, _, _ := keeping(t)
	require.False(t, d.call("file.write", fields{"path": "a", "content": "hello\n"}, allowing()).IsError)
	for _, c := range []struct {
		name  string
		input fields
	}{
		{"file.read", fields{"path": "a"}},
		{"file_read", fields{"path": "a"}},
		{"file.list", fields{"path": "."}},
		{"file.glob", fields{"pattern": "*"}},
		{"shell", command("cat a; ls")},
	} {
		p := answering()
		out := d.call(c.name, c.input, p)
		require.Regexp(t, `\bhello|\ba\n`, out.Text, c.name)
		require.Empty(t, p.shown)
	}
	require.Equal(t, tools.RefusedUnknown, d.call("browser.open", fields{}, answering()).Output.Refusal)
	out := d.call("plan", planOf(fields{"toolId": "file.read", "input": fields{"path": d.dir + "/it's"}}, fields{"toolId": "file.list", "input": fields{"path": d.dir}}), answering())
	require.Contains(t, out.Text, "cat -- '"+d.dir+"/it'\\''s'", out.Text)
	require.Contains(t, out.Text, " a\n")
}

func TestFilesAreListedAndFound(t *testing.T) {
	d := newTestGate(t)
	for name, text := range map[string]string{"src/a.go": "", "src/b_test.go": "", "src/deep/c.go": "", ".gitignore": "*.log\n", "x.log": "", "한글.txt": "12345"} {
		writeText(t, filepath.Join(d.dir, name), text)
	}
	p := answering()
	out := d.call("list_files", fields{}, p)
	require.Regexp(t, `: 2 entries\]\n {9}-  \d{4}-\d\d-\d\d \d\d:\d\d  src/\n {9}5  \S+ \S+  한글.txt\n\[1 hidden names left out\]\n\[1 names left out by .gitignore\]`, out.Text)
	require.Contains(t, d.call("list_files", fields{"hidden": true}, p).Text, ".gitignore\n")
	out = d.call("glob", fields{"pattern": "**/*.go", "path": d.dir + "/src"}, p)
	require.Regexp(t, `3 entries\]\n.* a\.go\n.* b_test\.go\n.* deep/c\.go\n`, out.Text)
	require.Equal(t, tools.RefusedInput, d.call("glob", fields{"pattern": "../**"}, p).Output.Refusal)
	require.Equal(t, tools.RefusedInput, d.call("list_files", fields{"path": "src/a.go"}, p).Output.Refusal)
	require.Empty(t, p.shown)
}

func TestAFileIsEditedWithAQuestionAndBackAgain(t *testing.T) {
	d, receipts, _ := keeping(t)
	path := filepath.Join(d.dir, "ko.conf")
	writeText(t, path, koreanText)
	require.NoError(t, os.Symlink("ko.conf", filepath.Join(d.dir, "link")))
	p := allowing()
	out := d.call("edit_file", fields{"path": "link", "old": "포트=80", "new": "포트=8080"}, p)
	require.False(t, out.IsError, out.Text)
	require.Equal(t, []string{tools.ReasonFile}, p.shown[0].Reasons[:1])
	require.Equal(t, "-포트=80\n+포트=8080", p.shown[0].Steps()[0].Detail)
	require.False(t, p.shown[0].IsGrantable())
	require.Equal(t, strings.Replace(koreanText, "80", "8080", 1), readBack(t, path), "in its encoding")
	require.Contains(t, out.Text, "check passed")
	target, err := os.Readlink(filepath.Join(d.dir, "link"))
	require.NoError(t, err)
	require.Equal(t, "ko.conf", target, "the link stays")

	require.False(t, d.call("undo", fields{}, allowing()).IsError)
	require.Equal(t, koreanText, readBack(t, path))
	require.Contains(t, d.call("edit_file", fields{"path": path, "old": "포트", "new": "😀"}, allowing()).Text, "cannot write the text in EUC-KR")

	out = d.call("write_file", fields{"path": "new/file", "content": "hello\n", "mode": "600"}, allowing())
	require.False(t, out.IsError, out.Text)
	fi, err := os.Stat(filepath.Join(d.dir, "new/file"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), fi.Mode())
	require.False(t, d.call("undo", fields{}, allowing()).IsError)
	require.NoFileExists(t, filepath.Join(d.dir, "new/file"))
	all, err := receipts.All()
	require.NoError(t, err)
	require.Len(t, all, 4)

	for want, input := range map[string]fields{
		"does not contain": {"path": path, "old": "nowhere", "new": "x"}, "2 times": {"path": path, "old": "=", "new": ":"}, "there is no file": {"path": "gone", "old": "x"},
	} {
		require.Contains(t, d.call("edit_file", input, allowing()).Text, want)
	}
	require.Contains(t, d.call("write_file", fields{"path": path, "content": "x", "mode": "4755"}, allowing()).Text, "are no permissions")
}

// TestThreat36ALinkSwappedAfterTheQuestionIsNotFollowed: the yes is for the file that the question showed.
func TestThreat36ALinkSwappedAfterTheQuestionIsNotFollowed(t *testing.T) {
	d, _, _ := keeping(t)
	path, victim := filepath.Join(d.dir, "sub/conf"), filepath.Join(d.dir, "victim/conf")
	for name, swap := range map[string]func(){
		"the file":      func() { require.NoError(t, os.Symlink(victim, path)) },
		"its directory": func() { require.NoError(t, os.Symlink("victim", filepath.Join(d.dir, "sub"))) },
		"a pipe":        func() { require.NoError(t, unix.Mkfifo(path, 0o644)) },
	} {
		require.NoError(t, os.RemoveAll(filepath.Join(d.dir, "sub")))
		writeText(t, path, "a\n")
		writeText(t, victim, "a\n")
		j, refused := d.Prepare(newCall(t, "edit_file", fields{"path": path, "old": "a", "new": "b"}), "s", d.dir)
		require.Nil(t, refused)
		if name == "its directory" {
			require.NoError(t, os.RemoveAll(filepath.Join(d.dir, "sub")))
		} else {
			require.NoError(t, os.Remove(path))
		}
		swap()
		require.Equal(t, tools.RefusedMismatch, d.Run(t.Context(), j, allowing(), nil).Output.Refusal, name)
		require.Equal(t, "a\n", readBack(t, victim), name)
	}
}

// TestThreat28ReplacedFilesAreJudgedAsWithCp: places that decide what runs later are named in the question, as for cp.
func TestThreat28ReplacedFilesAreJudgedAsWithCp(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	d := newTestGate(t, func(o *tools.Options) {
		o.Home, o.Receipts = home, receipt.New(t.TempDir(), time.Now)
		o.Checker = safety.New(safety.Options{Home: home, EvalSymlinks: filepath.EvalSymlinks})
	})
	for _, path := range []string{".bashrc", ".config/autostart/x.desktop", ".config/systemd/user/x.service", "notes/plain"} {
		path = filepath.Join(home, path)
		cp, refused := d.Prepare(newCall(t, "run_command", command("cp x "+path)), "s", home)
		require.Nil(t, refused)
		put, refused := d.Prepare(newCall(t, "write_file", fields{"path": path, "content": "x"}), "s", home)
		require.Nil(t, refused)
		require.Equal(t, safety.Confirm, put.Class)
		require.Equal(t, cp.Warnings, put.Warnings, path)
	}
}

// TestThreat28FullAutonomyReplacesFilesInItsWorkspaceOnly without a question.
func TestThreat28FullAutonomyReplacesFilesInItsWorkspaceOnly(t *testing.T) {
	e := newEstate(t, "touch", "write_file")
	keep := func(o *tools.Options) { o.Receipts = receipt.New(t.TempDir(), time.Now) }
	e.open(t, keep)
	unasked := func(path string) bool {
		p := answering()
		out := e.call("write_file", fields{"path": path, "content": "new\n"}, p)
		return len(p.shown) == 0 && out.Output.Refusal == "" && !out.IsError
	}
	require.True(t, unasked("made by a model/note"))
	require.Equal(t, "new\n", readBack(t, filepath.Join(e.ws, "made by a model/note")))
	require.True(t, unasked("a.txt"))
	for _, path := range []string{
		"../file", "out/x", "outfile", "linked/out", "private/x", "ours/x", ".envrc", "repo/.git/config", "dots/bashrc", "server.key", "/etc/blunux-test", "~/.bashrc", "dangling",
	} {
		require.False(t, unasked(path), path)
	}
	e.full.Commands = []string{"touch", "edit_file"}
	e.open(t, keep)
	require.False(t, unasked("a.txt"), "the list names another tool")
	e.full.Commands, e.full.Workspace = []string{"write_file"}, ""
	e.open(t, keep)
	require.False(t, unasked("a.txt"))
}
