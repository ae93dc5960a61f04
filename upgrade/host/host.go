// Package host finds out what an upgrade of all packages would do on this computer. It asks pacman about its own copy of the
// databases, as checkupdates(8) does, and reads the same copy for what pacman does not print. It changes nothing but the copy
// and needs no root's rights.
package host

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/upgrade"
	"github.com/nidoit/blunux-ai/upgrade/database"
)

// Options configure a preview.
type Options struct {
	// Copy is the directory of the copy of the databases, which is used again; "" for a temporary one.
	Copy string
	// Config is the file of settings; "" for /etc/pacman.conf.
	Config string
	// Offline uses the lists that pacman fetched last.
	Offline bool
	// Brief bounds the lists of the preview: [upgrade.Preview.Brief].
	Brief bool
	// Without are installed packages that a step before the upgrade removes, and Released names that one takes out of IgnorePkg:
	// the preview is that of the computer after these steps.
	Without, Released []string
	// Earlier is a file with an earlier brief preview, which a brief one is if nothing has changed since; "" for none.
	Earlier string
}

// maxList bounds a list of packages, in bytes: what pacman fetches at most (lib/libalpm/be_sync.c).
const maxList = 128 << 20

// maxOutput bounds what a program prints, in bytes.
const maxOutput = 64 << 20

// preview is a preview in the making.
type preview struct {
	o     Options
	conf  machine.PacmanConf
	copy  string
	local *database.Local
	trans *database.Transaction
	out   upgrade.Preview
	// before is the digest of what is known before the lists are looked at, "" if the preview cannot be used again.
	before string
}

// Preview returns what an upgrade would do. A reason why that cannot be known is in [upgrade.Preview.Problem].
func Preview(ctx context.Context, o Options) upgrade.Preview {
	p := &preview{o: o, out: upgrade.Preview{Packages: []upgrade.Change{}}}
	err := p.gather(ctx)
	var problem *problemError
	switch {
	case ctx.Err() != nil:
		return failed(upgrade.Problem{Code: upgrade.TimedOut})
	case errors.As(err, &problem):
		return failed(problem.Problem)
	case errors.Is(err, unix.ENOSPC):
		return failed(upgrade.Problem{Code: upgrade.NoRoom, Detail: err.Error()})
	case err != nil:
		return failed(upgrade.Problem{Code: upgrade.Unreadable, Detail: err.Error()})
	case o.Brief:
		return p.brief()
	}
	return p.out
}

func failed(problem upgrade.Problem) upgrade.Preview {
	return upgrade.Preview{Problem: &problem, Packages: []upgrade.Change{}}
}

// problemError is a problem that has a sentence.
type problemError struct{ upgrade.Problem }

func (e *problemError) Error() string { return string(e.Code) + ": " + e.Detail }

func newProblem(code upgrade.ProblemCode, subject, detail string) error {
	return &problemError{upgrade.Problem{Code: code, Subject: subject, Detail: machine.CleanLine(detail)}}
}

func (p *preview) gather(ctx context.Context) error {
	for _, program := range []string{"pacman", "pacman-conf", "fakeroot"} {
		if _, err := exec.LookPath(program); err != nil && (program != "fakeroot" || os.Geteuid() != 0) {
			return newProblem(upgrade.NoProgram, program, "")
		}
	}
	conf := p.run(ctx, nil, p.withConfig(machine.PacmanConfigurationProbe)...)
	var err error
	if p.conf, err = machine.ParsePacmanConf(conf.stdout); err != nil || conf.err != nil {
		return newProblem(upgrade.BadSettings, "/etc/pacman.conf", firstLine(conf.stderr))
	}
	end, err := p.makeCopy()
	if err != nil {
		return err
	}
	defer end()
	if err := p.release(); err != nil {
		return err
	}
	if !p.o.Offline {
		if err := p.fetch(ctx); err != nil {
			return err
		}
	}
	defer func() { p.out.Stale = p.staleDays() }() // of an earlier preview too
	if p.o.Brief && len(p.o.Without)+len(p.o.Released) == 0 {
		p.before, _ = p.digestBefore(conf.stdout) // what cannot be read has no digest
		if p.reuse() {
			return nil
		}
	}
	return p.ask(ctx)
}

// staleDays returns the age of the newest list that was fetched, 0 if it is not old. Only Arch Linux's repositories are known to
// change each day.
func (p *preview) staleDays() int {
	newest, known := int64(0), false
	for _, r := range p.conf.Repositories {
		if fi, err := os.Stat(filepath.Join(p.copy, "sync", r.Name+".db")); err == nil {
			newest = max(newest, fi.ModTime().Unix())
			known = known || r.Name == "core" || r.Name == "extra"
		}
	}
	if days := daysSince(newest); known && !p.o.Offline && days >= machine.StaleMirror {
		return days
	}
	return 0
}

// pacman returns a command of pacman.
func (p *preview) pacman(words ...string) []string {
	return p.withConfig(append([]string{"pacman"}, words...))
}

// withConfig adds the file of settings to a command of pacman or pacman-conf.
func (p *preview) withConfig(argv []string) []string {
	if p.o.Config == "" {
		return slices.Clone(argv)
	}
	return slices.Insert(slices.Clone(argv), 1, "--config", p.o.Config)
}

// makeCopy prepares the copy: the lists that pacman fetched last, so that only newer ones are fetched, and links to the
// installed packages and to the lists of files.
func (p *preview) makeCopy() (end func(), err error) {
	p.copy, end = p.o.Copy, func() {}
	if p.copy == "" {
		if p.copy, err = os.MkdirTemp("", "blunux-ai-upgrade-"); err != nil {
			return nil, fmt.Errorf("cannot make the copy of the databases: %w", err)
		}
		end = func() { _ = os.RemoveAll(p.copy) }
	}
	lists := filepath.Join(p.copy, "sync")
	if err := os.MkdirAll(lists, 0o755); err != nil {
		return end, fmt.Errorf("cannot make the copy of the databases: %w", err)
	}
	_ = os.Remove(filepath.Join(p.copy, "db.lck")) // of a run that was killed; nobody else uses the copy
	if err := p.linkInstalled(filepath.Join(p.conf.Database, "local"), filepath.Join(p.copy, "local")); err != nil {
		return end, err
	}
	for _, r := range p.conf.Repositories {
		from := filepath.Join(p.conf.Database, "sync")
		if err := copyNewer(filepath.Join(from, r.Name+".db"), filepath.Join(lists, r.Name+".db")); err != nil {
			return end, err
		}
		link(filepath.Join(from, r.Name+".files"), filepath.Join(lists, r.Name+".files"))
	}
	return end, nil
}

// linkInstalled makes a link to the installed packages, or without some of them a directory of links: libalpm reads no entry
// that is a link itself (be_local.c, is_dir).
func (p *preview) linkInstalled(from, to string) error {
	_ = os.RemoveAll(to)
	if len(p.o.Without) == 0 {
		link(from, to)
		return nil
	}
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rest, _ := filepath.Rel(from, path) // it is below
		switch {
		case d.IsDir() && slices.Contains(p.o.Without, packageOf(rest)):
			return fs.SkipDir
		case d.IsDir():
			return os.Mkdir(filepath.Join(to, rest), 0o755)
		}
		return os.Symlink(path, filepath.Join(to, rest))
	})
	if err != nil {
		return fmt.Errorf("cannot copy the list of installed packages: %w", err)
	}
	return nil
}

// packageOf returns the name in NAME-VERSION-RELEASE, the directory of an installed package.
func packageOf(entry string) string {
	words := strings.Split(entry, "-")
	return strings.Join(words[:max(0, len(words)-2)], "-")
}

// release makes settings that do not hold the released packages: pacman.conf(5), IgnorePkg.
func (p *preview) release() error {
	if len(p.o.Released) == 0 {
		return nil
	}
	text, err := os.ReadFile(cmp.Or(p.o.Config, "/etc/pacman.conf"))
	if err != nil {
		return fmt.Errorf("cannot read pacman's settings: %w", err)
	}
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		if key, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(key) == "IgnorePkg" {
			kept := slices.DeleteFunc(strings.Fields(value), func(w string) bool { return slices.Contains(p.o.Released, w) })
			lines[i] = "IgnorePkg = " + strings.Join(kept, " ")
		}
	}
	p.o.Config = filepath.Join(p.copy, "pacman.conf")
	if err := os.WriteFile(p.o.Config, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		return fmt.Errorf("cannot copy pacman's settings: %w", err)
	}
	return nil
}

// link makes a link to a file if there is one. Without it, what it is for is missing, which later steps report.
func link(to, name string) {
	_ = os.Remove(name)
	if _, err := os.Stat(to); err == nil {
		_ = os.Symlink(to, name)
	}
}

// copyNewer copies a file with its time of change, by which pacman asks for a newer one, unless the copy is as new.
func copyNewer(from, to string) error {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) { // never fetched
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot read the list of packages: %w", err)
	}
	defer in.Close()
	fi, err := in.Stat()
	if err != nil {
		return fmt.Errorf("cannot read the list of packages: %w", err)
	}
	if fi.Size() > maxList {
		return newProblem(upgrade.LargeDatabase, strings.TrimSuffix(filepath.Base(from), ".db"), "")
	}
	at := fi.ModTime()
	if at.After(time.Now()) { // the clock was wrong: no server would have a newer one
		at = time.Unix(0, 0)
	}
	if old, err := os.Stat(to); err == nil && !at.After(old.ModTime()) {
		return nil
	}
	out, err := os.Create(to)
	if err != nil {
		return fmt.Errorf("cannot copy the list of packages: %w", err)
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("cannot copy the list of packages: %w", err)
	}
	return os.Chtimes(to, at, at)
}

// fetch brings the copy up to date.
func (p *preview) fetch(ctx context.Context) error {
	if len(p.conf.Repositories) == 0 {
		return newProblem(upgrade.BadSettings, "/etc/pacman.conf", "no repositories")
	}
	argv := p.pacman("--sync", "--refresh", "--dbpath", p.copy, "--logfile", "/dev/null", "--noprogressbar", "--color", "never")
	if p.hasDownloadSandbox(ctx) { // it would drop the rights that only fakeroot pretends to have
		argv = append(argv, "--disable-sandbox")
	}
	if os.Geteuid() != 0 {
		argv = append([]string{"fakeroot", "--"}, argv...)
	}
	r := p.run(ctx, nil, argv...)
	switch text := string(r.stderr); {
	case r.err == nil:
		return nil
	case containsAny(text, "Unrecognized archive format", "is not valid", "invalid or corrupted database"):
		return newProblem(upgrade.NotDatabase, p.repositoryIn(text), errorLine(r.stderr))
	case containsAny(text, "No space left", "not enough free disk space"):
		return newProblem(upgrade.NoRoom, "", errorLine(r.stderr))
	case containsAny(text, "exceeded", "maximum file size"):
		return newProblem(upgrade.LargeDatabase, p.repositoryIn(text), errorLine(r.stderr))
	default:
		return newProblem(upgrade.NoFetch, p.repositoryIn(text), errorLine(r.stderr))
	}
}

// hasDownloadSandbox reports whether pacman fetches as another user and in a sandbox, as from version 7 on.
func (p *preview) hasDownloadSandbox(ctx context.Context) bool {
	r := p.run(ctx, nil, "pacman", "--version")
	_, version, ok := strings.Cut(string(r.stdout), "Pacman v")
	version, _, _ = strings.Cut(version, " ")
	return ok && machine.CompareVersions(version, "7.0.0") >= 0
}

// repositoryIn returns the repository that a message names, "" for none.
func (p *preview) repositoryIn(text string) string {
	for _, r := range p.conf.Repositories {
		if strings.Contains(text, "'"+r.Name+".db'") || strings.Contains(text, "'"+r.Name+"'") || strings.Contains(text, r.Name+".db") {
			return r.Name
		}
	}
	return ""
}

// ask asks pacman for the transaction and completes it.
func (p *preview) ask(ctx context.Context) error {
	r := p.run(ctx, nil, append(p.withConfig(machine.TransactionProbe), "--dbpath", p.copy, "--logfile", "/dev/null", "--noconfirm")...)
	printed, err := machine.ParseTransaction(r.stdout)
	if err != nil && r.err == nil {
		return newProblem(upgrade.Unreadable, "pacman", err.Error())
	}
	for _, refusal := range machine.ParseRefusals(append(r.stdout, r.stderr...)) {
		p.out.Refusals = append(p.out.Refusals, refusalOf(refusal))
	}
	if r.err != nil && len(p.out.Refusals) == 0 {
		return p.explainFailure(string(r.stderr))
	}
	if p.local, err = database.OpenLocal(filepath.Join(p.copy, "local")); err != nil {
		return err
	}
	p.out.Damaged = p.local.Damaged
	lists, err := p.readLists(ctx, printed)
	if err != nil {
		return err
	}
	p.trans = database.NewTransaction(p.local, lists, printed)
	p.watch()
	p.out.Packages = p.trans.Changes(printed)
	p.out.Replaced = p.trans.Replacements()
	p.out.Refusals = append(p.out.Refusals, p.trans.Conflicts()...)
	p.out.Totals()
	p.out.Digest = upgrade.DigestOf(p.out.Packages, p.out.Replaced)
	for _, c := range p.out.Packages {
		p.out.Download += c.Download
		if upgrade.NeedsReboot(c.Name) && c.From != "" {
			p.out.Reboot = append(p.out.Reboot, c.Name)
		}
	}
	if err := p.complete(ctx, printed); err != nil {
		return err
	}
	held := p.run(ctx, nil, append(p.withConfig(machine.KnownUpdatesProbe), "--dbpath", p.copy)...)
	rows, _ := machine.ParseUpdates(held.stdout) // what it can read
	for _, u := range rows {
		if u.Ignored {
			p.out.Held = append(p.out.Held, upgrade.Change{Name: u.Name, From: u.From, To: u.To})
		}
	}
	return nil
}

// explainFailure returns why pacman did not print a transaction.
func (p *preview) explainFailure(stderr string) error {
	if containsAny(stderr, "Unrecognized archive format", "is not valid", "invalid or corrupted database", "could not open file") {
		return newProblem(upgrade.NotDatabase, p.repositoryIn(stderr), errorLine([]byte(stderr)))
	}
	return newProblem(upgrade.Refused, "pacman", errorLine([]byte(stderr)))
}

func refusalOf(r machine.Refusal) upgrade.Refusal {
	out := upgrade.Refusal{Package: r.Package, Dependency: r.Dependency, Installing: r.Installing, Removing: r.Removing}
	if r.Conflict[0] != "" {
		out.Conflict = r.Conflict[:]
	}
	return out
}

// readLists reads the copies of the repositories' databases side by side.
func (p *preview) readLists(ctx context.Context, printed []machine.TransactionPackage) (*database.Sync, error) {
	lists := database.NewSync(printed)
	var mu sync.Mutex
	var group sync.WaitGroup
	errs := make([]error, len(p.conf.Repositories))
	for i, r := range p.conf.Repositories {
		group.Go(func() {
			errs[i] = p.readList(ctx, r.Name, lists.Wants(r.Name), func(pkg *database.Package) {
				mu.Lock()
				defer mu.Unlock()
				lists.Add(r.Name, pkg)
			})
		})
	}
	group.Wait()
	return lists, errors.Join(errs...)
}

func (p *preview) readList(ctx context.Context, repository string, wanted func(name, version string) bool, each func(*database.Package)) error {
	file, err := os.Open(filepath.Join(p.copy, "sync", repository+".db"))
	if errors.Is(err, fs.ErrNotExist) { // pacman has none either
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot read the list of packages: %w", err)
	}
	defer file.Close()
	unpacked, err := database.Unpack(file, func(in io.Reader) (io.ReadCloser, error) { return unpackOther(ctx, in) })
	if err == nil {
		err = database.Read(unpacked, wanted, each)
		err = errors.Join(err, unpacked.Close())
	}
	switch {
	case errors.Is(err, database.ErrNotDatabase):
		return newProblem(upgrade.NotDatabase, repository, "")
	case errors.Is(err, database.ErrIncomplete):
		return newProblem(upgrade.HalfDatabase, repository, "")
	case errors.Is(err, database.ErrTooLarge):
		return newProblem(upgrade.LargeDatabase, repository, "")
	}
	return err
}

// unpackOther unpacks what only libarchive can, with the program that comes with it: bsdtar(1).
func unpackOther(ctx context.Context, in io.Reader) (io.ReadCloser, error) {
	if _, err := exec.LookPath("bsdtar"); err != nil {
		return nil, newProblem(upgrade.NoProgram, "bsdtar", "")
	}
	cmd := exec.CommandContext(ctx, "bsdtar", "--format=ustar", "-cf", "-", "@-")
	cmd.Stdin, cmd.Env = in, environment()
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("cannot unpack the list of packages: %w", err)
	}
	return &unpacker{out, cmd}, nil
}

// unpacker is the output of a program that unpacks.
type unpacker struct {
	io.ReadCloser
	cmd *exec.Cmd
}

// Close ends the program. Its failure means that the file is not complete.
func (u *unpacker) Close() error {
	_, _ = io.Copy(io.Discard, io.LimitReader(u.ReadCloser, 1<<20)) // the padding after the last entry
	_ = u.ReadCloser.Close()
	if err := u.cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %w", database.ErrIncomplete, err)
	}
	return nil
}

// result is what a program printed.
type result struct {
	stdout, stderr []byte
	err            error
}

// run runs a program with messages in English.
func (*preview) run(ctx context.Context, stdin io.Reader, argv ...string) result {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env, cmd.Stdin = environment(), stdin
	cmd.Stdout, cmd.Stderr = &bounded{to: &stdout, left: maxOutput}, &bounded{to: &stderr, left: maxOutput}
	err := cmd.Run()
	return result{stdout.Bytes(), stderr.Bytes(), err}
}

func environment() []string { return append(os.Environ(), "LC_ALL=C", "LANGUAGE=") }

// bounded passes the beginning of an output on.
type bounded struct {
	to   *bytes.Buffer
	left int
}

// Write keeps what fits and reports all as written, so that the program goes on.
func (b *bounded) Write(text []byte) (int, error) {
	keep := text[:min(len(text), b.left)]
	b.left -= len(keep)
	b.to.Write(keep)
	return len(text), nil
}

// errorLine returns the last error of an output, else its first line.
func errorLine(text []byte) string {
	last := ""
	for _, line := range machine.Lines(text) {
		if e, ok := strings.CutPrefix(line, "error: "); ok && !strings.HasPrefix(e, "failed to synchronize") {
			last = e
		}
	}
	if last == "" {
		return firstLine(text)
	}
	return last
}

func firstLine(text []byte) string {
	if lines := machine.Lines(text); len(lines) > 0 {
		return strings.TrimPrefix(lines[0], "error: ")
	}
	return ""
}

func containsAny(text string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
