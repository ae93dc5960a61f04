package diagnose

import (
	"path"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Rights is the question why something is not permitted. The object is a path, a device or the program that uses one.
func Rights() Topic {
	return Topic{ID: "rights", Object: APath, About: i18n.DiagnoseAboutRights, causes: []cause{
		{"read-only", rightsReadOnly},
		{"immutable", rightsImmutable},
		{"relogin", rightsRelogin},
		{"group", rightsGroup},
		{"directory", rightsDirectory},
		{"own-file", rightsOwnFile},
		{"owner", rightsOwner},
		{"home", rightsHome},
		{"key-open", rightsKeyOpen},
		{"no-agent", rightsNoAgent},
	}}
}

// barrier is what keeps a user from a path.
type barrier struct {
	machine.Owner
	look machine.Probe
}

func (b barrier) seen() Evidence {
	return see(b.look, i18n.RightsSeen(b.Path, b.User, b.Group, b.Mode))
}

// give returns the step that makes a path a user's, and back. Somebody could put a link in its place meanwhile, which
// is not followed.
func (b barrier) give(user string) Step {
	return run(i18n.RightsGive(b.Path, user), "sudo -n chown -h "+user+": -- "+b.Path, "stat -c %U -- "+b.Path, user,
		"sudo -n chown -h "+b.User+":"+b.Group+" -- "+b.Path)
}

// blocked returns the first directory above a path that a user may not enter, or the path itself if the user may not do
// what is
// needed with it. A path that is not there has to be made in its directory. Links and lists of more rights are not
// followed.
func (f *Facts) blocked(file, user string, need machine.Permission) (barrier, bool) {
	file = path.Clean(plain(file))
	if !strings.HasPrefix(file, "/") || plain(user) == "" || user == "root" {
		return barrier{}, false
	}
	look := machine.OwnersProbe(machine.Parents(file)...)
	out, known := f.output(look)
	id, err := parse(f, machine.UserProbe(user), machine.ParseID)
	if !known || out.Cut || err != nil {
		return barrier{}, false
	}
	rows, _ := machine.ParseOwners([]byte(out.Stdout)) // what is not there has no row
	for i, o := range rows {
		what := machine.MayEnter
		if o.Path == file || need == machine.MayWrite && i == len(rows)-1 && o.Path == path.Dir(file) &&
			o.AllowsMember(user, id.Groups, what) {
			what = need
		}
		if o.Link {
			return barrier{}, false
		}
		if !o.AllowsMember(user, id.Groups, what) {
			return barrier{o, look}, !f.hasList(o.Path)
		}
	}
	return barrier{}, false
}

// hasList reports whether a path has rights of single users or groups: acl(5).
func (f *Facts) hasList(file string) bool {
	look := machine.Probe{"getfacl", "-cp", "--", file}
	return slices.ContainsFunc(f.lines(look), func(line string) bool {
		return (strings.HasPrefix(line, "user:") || strings.HasPrefix(line, "group:")) && !strings.Contains(line, "::")
	})
}

// device is what people mean by words, with the paths of which the first that exists counts.
type device struct {
	words i18n.Text
	paths []string
}

var devices = []device{
	{i18n.RightsWordsDocker, []string{"/run/docker.sock"}},
	{i18n.RightsWordsKvm, []string{"/dev/kvm"}},
	{i18n.RightsWordsLibvirt, []string{"/run/libvirt/libvirt-sock"}},
	{i18n.RightsWordsCapture, []string{"/usr/bin/dumpcap"}},
	{i18n.RightsWordsSerial, []string{"/dev/ttyUSB0", "/dev/ttyACM0"}},
	{i18n.RightsWordsCamera, []string{"/dev/video0"}},
}

// mentions reports whether the person used one of the words, which a bar separates, of any language.
func (f *Facts) mentions(words i18n.Text) bool {
	said := strings.ToLower(f.Object + "\n" + f.Text)
	for _, lang := range []i18n.Lang{i18n.English, i18n.Korean, i18n.Chinese} {
		for word := range strings.SplitSeq(words.In(lang), "|") {
			if strings.Contains(said, word) {
				return true
			}
		}
	}
	return false
}

// subject returns the path in question, "" if there is none.
func (f *Facts) subject() string {
	if strings.HasPrefix(f.Object, "/") {
		return path.Clean(plain(f.Object))
	}
	for _, d := range devices {
		if !f.mentions(d.words) {
			continue
		}
		for _, file := range d.paths {
			if _, _, ok := f.owner(file); ok {
				return file
			}
		}
	}
	return ""
}

// me returns the user with the groups of this session.
func (f *Facts) me() machine.Identity {
	id, err := parse(f, machine.IDProbe, machine.ParseID)
	if err != nil || plain(id.User) != id.User {
		return machine.Identity{}
	}
	return id
}

// account returns the home directory and the shell of a user.
func (f *Facts) account(user string) (home, shell string) {
	fields := strings.Split(strings.TrimSpace(f.stdout(machine.AccountProbe(user))), ":")
	if user == "" || len(fields) != 7 {
		return "", ""
	}
	return plain(fields[5]), plain(fields[6])
}

// rightsReadOnly finds a path on a mount where nothing can be written.
func rightsReadOnly(f *Facts) *Finding {
	file := f.subject()
	if file == "" {
		return nil
	}
	look := machine.MountOfProbe(file)
	m, err := parse(f, look, machine.ParseMountOf)
	if err != nil || !slices.Contains(m.Options, "ro") || f.mentions(i18n.RightsWordsRead) &&
		!f.mentions(i18n.RightsWordsReadOnly) {
		return nil
	}
	return proved(i18n.RightsReadOnly(file, m.Target, m.Source), see(look, i18n.UnitMountOption(m.Target, "ro"))).
		advise(i18n.RightsReadOnlyAdvice(m.Target))
}

// rightsImmutable finds a file that no one may change, not even root.
func rightsImmutable(f *Facts) *Finding {
	file := f.subject()
	if file == "" || strings.HasPrefix(file, "/dev/") || strings.HasPrefix(file, "/run/") {
		return nil
	}
	look := machine.AttributesProbe(file)
	flags, name, ok := strings.Cut(strings.TrimSpace(f.stdout(look)), " ")
	letter := "i"
	if !strings.Contains(flags, letter) {
		letter = "a"
	}
	if !ok || name != file || !strings.Contains(flags, letter) ||
		strings.Trim(flags, "-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return nil
	}
	return proved(i18n.RightsImmutable(file, letter), seeLine(look, flags+" "+name)).offer(i18n.RightsImmutableGoal(file),
		run(i18n.RightsImmutableStep(file), "sudo -n chattr -"+letter+" -- "+file, look.String(),
			strings.Replace(flags, letter, "-", 1)+" "+file, "sudo -n chattr +"+letter+" -- "+file))
}

// groupBarrier returns the barrier if the group of the path would be let in.
func (f *Facts) groupBarrier() (barrier, machine.Identity, bool) {
	id := f.me()
	file := f.subject()
	needs := []machine.Permission{machine.MayRead, machine.MayWrite}
	if strings.HasPrefix(file, "/usr/bin/") {
		needs = []machine.Permission{machine.MayEnter} // to execute it
	}
	for _, need := range needs {
		b, ok := f.blocked(file, id.User, need)
		if ok && b.Group != "root" && plain(b.Group) == b.Group && !slices.Contains(id.Groups, b.Group) &&
			b.AllowsMember("", []string{b.Group}, need) {
			return b, id, true
		}
	}
	return barrier{}, id, false
}

// isMember reports whether a user is in a group now, according to the system.
func (f *Facts) isMember(group, user string) (member, known bool) {
	fields := strings.Split(strings.TrimSpace(f.stdout(machine.GroupProbe(group))), ":")
	if len(fields) != 4 {
		return false, false
	}
	return slices.Contains(strings.Split(fields[3], ","), user), true
}

// rightsRelogin finds a group that the session does not have yet.
func rightsRelogin(f *Facts) *Finding {
	id := f.me()
	file := f.subject()
	if id.User == "" || file == "" {
		return nil
	}
	o, _, ok := f.owner(file)
	if !ok || o.User == id.User || o.Group == "root" || plain(o.Group) != o.Group || slices.Contains(id.Groups, o.Group) {
		return nil
	}
	if member, _ := f.isMember(o.Group, id.User); !member {
		return nil
	}
	return proved(i18n.RightsRelogin(file, o.Group), see(machine.GroupProbe(o.Group), i18n.RightsMember(id.User, o.Group)),
		see(machine.IDProbe, i18n.RightsNotInSession(o.Group)),
		see(machine.OwnersProbe(file), i18n.RightsSeen(file, o.User, o.Group, o.Mode))).advise(i18n.RightsReloginAdvice)
}

// rightsGroup finds a group that the user is not in.
func rightsGroup(f *Facts) *Finding {
	b, id, ok := f.groupBarrier()
	if !ok || isSystemGroup(b.Group) {
		return nil
	}
	if member, known := f.isMember(b.Group, id.User); member || !known {
		return nil
	}
	look := machine.GroupProbe(b.Group)
	found := proved(i18n.RightsGroup(b.Path, b.Group, id.User), b.seen(),
		see(look, i18n.RightsNotMember(id.User, b.Group))).offer(i18n.RightsGroupGoal(id.User, b.Group),
		run(i18n.RightsGroupStep(id.User, b.Group), "sudo -n gpasswd -a "+id.User+" "+b.Group, look.String(), id.User,
			"sudo -n gpasswd -d "+id.User+" "+b.Group))
	if b.Group == "docker" || b.Group == "libvirt" || b.Group == "disk" {
		return found.advise(i18n.RightsGroupRoot(b.Group))
	}
	return found.advise(i18n.RightsReloginAdvice)
}

// isSystemGroup reports whether a group is that of a service's own files, which a person does not join.
func isSystemGroup(group string) bool {
	return slices.Contains([]string{
		"shadow", "mail", "utmp", "http", "postgres", "mysql", "nobody",
		"systemd-journal-remote", "polkitd", "avahi", "dbus",
	}, group)
}

// rightsDirectory finds a directory above the path that the user may not enter.
func rightsDirectory(f *Facts) *Finding {
	id := f.me()
	file := f.subject()
	b, ok := f.blocked(file, id.User, machine.MayRead)
	if !ok || b.Path == file {
		return nil
	}
	found := proved(i18n.RightsDirectory(file, b.Path, b.User, b.Mode), b.seen())
	if b.User == id.User {
		return found.offer(i18n.RightsGoal(file), run(i18n.RightsEnterStep(b.Path), "chmod u+x -- "+b.Path,
			"stat -c %A -- "+b.Path, "x", "chmod "+b.Mode+" -- "+b.Path))
	}
	return found.advise(i18n.RightsEnterAdvice(id.User, b.Path))
}

// rightsOwnFile finds a file of the user's own that its mode closes.
func rightsOwnFile(f *Facts) *Finding {
	b, need, ok := f.closed()
	if !ok || b.User != f.me().User {
		return nil
	}
	letter := map[machine.Permission]string{machine.MayRead: "r", machine.MayWrite: "w"}[need]
	return proved(i18n.RightsOwnFile(b.Path, b.Mode), b.seen()).offer(i18n.RightsGoal(b.Path),
		run(i18n.RightsOwnStep(b.Path), "chmod u+"+letter+" -- "+b.Path, "stat -c %A -- "+b.Path, letter,
			"chmod "+b.Mode+" -- "+b.Path))
}

// closed returns the barrier if it is the path itself, and what it does not permit.
func (f *Facts) closed() (barrier, machine.Permission, bool) {
	file := f.subject()
	for _, need := range []machine.Permission{machine.MayRead, machine.MayWrite} {
		if b, ok := f.blocked(file, f.me().User, need); ok && b.Path == file {
			return b, need, true
		}
	}
	return barrier{}, 0, false
}

// rightsOwner finds a file of somebody else.
func rightsOwner(f *Facts) *Finding {
	b, _, ok := f.closed()
	id := f.me()
	if !ok || b.User == id.User {
		return nil
	}
	found := proved(i18n.RightsOwner(b.Path, b.User, b.Group, b.Mode, id.User), b.seen())
	home, _ := f.account(id.User)
	switch {
	case home != "" && home != "/" && strings.HasPrefix(b.Path, home+"/") && plain(b.User) != "":
		return found.offer(i18n.RightsGoal(b.Path), b.give(id.User))
	case strings.HasPrefix(b.Path, "/etc/"):
		return found.advise(i18n.RightsEtcAdvice(b.Path))
	}
	return found.advise(i18n.RightsOwnerAdvice(id.User, b.Path))
}

// ownPlaces are what programs write in a home directory when a session begins.
var ownPlaces = []string{
	"", "/.Xauthority", "/.ICEauthority", "/.config", "/.cache", "/.local", "/.local/share",
	"/.local/state",
}

// foreignInHome returns the first of the user's own places that is somebody else's.
func (f *Facts) foreignInHome(user string) (barrier, bool) {
	home, _ := f.account(user)
	if home == "" || home == "/" || user == "root" {
		return barrier{}, false
	}
	var places []string
	for _, p := range ownPlaces {
		places = append(places, home+p)
	}
	look := machine.OwnersProbe(places...)
	out, _ := f.output(look) // some are not there
	rows, _ := machine.ParseOwners([]byte(out.Stdout))
	for _, o := range rows {
		if o.User != user && slices.Contains(places, o.Path) && plain(o.User+o.Group) != "" && !o.Link {
			return barrier{o, look}, true
		}
	}
	return barrier{}, false
}

// rightsHome finds a directory of the user's home that is somebody else's.
func rightsHome(f *Facts) *Finding {
	user := f.me().User
	if f.Object != "" && !strings.HasPrefix(f.Object, "/home/") {
		return nil
	}
	b, ok := f.foreignInHome(user)
	if !ok {
		return nil
	}
	return proved(i18n.RightsHome(b.Path, b.User), b.seen()).offer(i18n.RightsGoal(b.Path), b.give(user))
}

// rightsKeyOpen finds a private key of SSH that others may read.
func rightsKeyOpen(f *Facts) *Finding {
	user := f.me().User
	home, _ := f.account(user)
	if home == "" || !f.mentions(i18n.RightsWordsKey) {
		return nil
	}
	dir := home + "/.ssh"
	look := machine.OwnersProbe(dir, dir+"/id_rsa", dir+"/id_ed25519", dir+"/id_ecdsa", dir+"/config")
	out, _ := f.output(look) // some are not there
	rows, _ := machine.ParseOwners([]byte(out.Stdout))
	for _, o := range rows {
		others, want := o.Mode[max(0, len(o.Mode)-2):], "600"
		if o.Directory {
			want = "700"
		}
		isKey := strings.HasPrefix(path.Base(o.Path), "id_") && others != "00"
		if o.User == user && !o.Link && (isKey || strings.ContainsAny(others, "2367")) {
			return proved(i18n.RightsKeyOpen(o.Path, o.Mode), see(look, i18n.RightsSeen(o.Path, o.User, o.Group, o.Mode))).
				offer(i18n.RightsKeyGoal(o.Path),
					run(i18n.RightsKeyStep(o.Path, want), "chmod "+want+" -- "+o.Path, "stat -c %a -- "+o.Path, want,
						"chmod "+o.Mode+" -- "+o.Path))
		}
	}
	return nil
}

// rightsNoAgent finds that no window can ask for the password.
func rightsNoAgent(f *Facts) *Finding {
	if !f.mentions(i18n.RightsWordsAgent) {
		return nil
	}
	look := machine.Probe{"pgrep", "-a", "-f", "polkit"}
	out, known := f.output(look)
	other, otherKnown := f.output(machine.Probe{"pgrep", "-a", "-x", "gnome-shell"})
	third, thirdKnown := f.output(machine.Probe{"pgrep", "-a", "-f", "policykit"})
	if !known || !otherKnown || !thirdKnown || other.Exit == 0 || third.Exit == 0 ||
		lineWith(machine.Lines(out.Stdout), "agent", "xfce-polkit", "soteria") != "" {
		return nil
	}
	return proved(i18n.RightsNoAgent, see(look, i18n.RightsNoAgentSeen)).advise(i18n.RightsNoAgentAdvice)
}
