package pacnew

import (
	"path"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
)

// kind is how a file is treated.
type kind string

const (
	ordinary kind = ""
	accounts kind = "accounts" // users and groups: passwd(5), shadow(5), subuid(5)
	rights   kind = "rights"   // what sudo allows
	mirrors  kind = "mirrors"
)

// kindOf returns how a file is treated.
func kindOf(file string) kind {
	base := path.Base(file)
	switch {
	case strings.HasPrefix(file, "/etc/sudoers") || file == "/etc/doas.conf":
		return rights
	case strings.HasSuffix(base, "mirrorlist"):
		return mirrors
	case path.Dir(file) != "/etc":
		return ordinary
	}
	switch base {
	case "passwd", "group", "shadow", "gshadow", "subuid", "subgid":
		return accounts
	}
	return ordinary
}

// checkers are the commands that check a file, by its path or the beginning of it. Each exits with another status than 0 for a
// mistake, and changes nothing.
var checkers = []struct{ file, command string }{
	{"/etc/pacman.conf", "pacman-conf"},
	{"/etc/pacman.d/", "pacman-conf"},
	{"/etc/ssh/sshd_config", "sudo -n sshd -t"},
	{"/etc/mkinitcpio.conf", "bash -n /etc/mkinitcpio.conf"},
	{"/etc/makepkg.conf", "bash -n /etc/makepkg.conf"},
	{"/etc/default/grub", "bash -n /etc/default/grub"},
	{"/etc/bash.bashrc", "bash -n /etc/bash.bashrc"},
	{"/etc/profile", "bash -n /etc/profile"},
	{"/etc/fstab", "findmnt --verify"},
	{"/etc/nginx/", "sudo -n nginx -t"},
	{"/etc/httpd/", "sudo -n httpd -t"},
	{"/etc/samba/smb.conf", "testparm -s"},
	{"/etc/named.conf", "named-checkconf"},
	{"/etc/nftables.conf", "sudo -n nft -c -f /etc/nftables.conf"},
	{"/etc/dnsmasq.conf", "dnsmasq --test"},
	{"/etc/haproxy/haproxy.cfg", "haproxy -c -f /etc/haproxy/haproxy.cfg"},
	{"/etc/chrony.conf", "chronyd -p"},
}

// checkerOf returns the command that checks a file, "" if none is known.
func checkerOf(file string) string {
	for _, c := range checkers {
		if c.file == file || strings.HasSuffix(c.file, "/") && strings.HasPrefix(file, c.file) {
			return c.command
		}
	}
	if strings.HasPrefix(file, "/etc/systemd/system/") && strings.Contains(path.Base(file), ".") && !strings.HasSuffix(file, ".conf") {
		return "systemd-analyze verify " + file
	}
	return ""
}

func writeStep(about i18n.Text, file, digest string) diagnose.Step {
	return diagnose.Step{Step: plan.Step{Verb: "write_file", Args: map[string]string{"path": file, "kept": digest}}, About: about}
}

func remove(file string) diagnose.Step {
	return diagnose.Step{Step: plan.Step{Verb: "remove_file", Args: map[string]string{"path": file}}, About: i18n.PacnewStepRemove(file)}
}

// maxPlanned bounds the files of one plan, because a person reads all of it.
const maxPlanned = 8

// planOf returns one plan for the files that something can be done about.
func planOf(files []File) *diagnose.Repair {
	r := diagnose.Repair{Goal: i18n.PacnewGoal}
	planned := 0
	for _, f := range files {
		if len(f.steps) == 0 || planned == maxPlanned {
			continue
		}
		planned++
		r.Steps = append(r.Steps, inOrder(f.steps, len(r.Steps))...)
	}
	if planned == 0 {
		return nil
	}
	return &r
}

// inOrder makes each step of a file depend on the one before. Other files do not wait for it. ids begin after those of n steps.
func inOrder(steps []diagnose.Step, n int) []diagnose.Step {
	out := make([]diagnose.Step, len(steps))
	last := []string{}
	for i, s := range steps {
		s.ID = "s" + strconv.Itoa(n+i+1)
		s.DependsOn = last
		last = []string{s.ID}
		out[i] = s
	}
	return out
}
