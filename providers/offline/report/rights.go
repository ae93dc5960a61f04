package report

import (
	"fmt"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// permitted removes the offer of a change if it is not allowed: the request was only partly understood, or the
// rights are unavailable. In the latter case it shows the command to run instead.
func (c Case) permitted(rep Reply) Reply {
	if rep.Offer == nil || rep.Offer.IsReadOnly() {
		return rep
	}
	head := ""
	if i := strings.LastIndex(rep.Text, "\n\n"); i >= 0 {
		head = rep.Text[:i]
	}
	if c.IsUncertain && head != "" {
		return Reply{Text: head, Next: rep.Next}
	}
	command, units := rootCommand(*rep.Offer)
	if command == "" || c.NoRights == nil || !c.NoRights(units) {
		return rep
	}
	return Reply{Text: paragraphs(head, i18n.HelperRightsRunYourself(command).In(c.Lang)), Next: rep.Next}
}

// rootCommand returns the command to type for a step that needs root's rights, "" for any other. units reports
// that it manages units, which polkit may allow without a password.
func rootCommand(s intent.Step) (command string, units bool) {
	name, _ := s.Input["name"].(string)
	switch s.Tool {
	case "update_system":
		return "sudo pacman -Syu", false
	case "install_package":
		return "sudo pacman -S --needed " + name, false
	case "remove_package":
		return "sudo pacman -Rns " + name, false
	case "manage_service":
		if user, _ := s.Input["user"].(bool); !user {
			return fmt.Sprintf("sudo systemctl %v %s", s.Input["action"], name), true
		}
	case "run_command":
		text, _ := s.Input["command"].(string)
		if rest, ok := strings.CutPrefix(text, "sudo -n "); ok {
			return "sudo " + rest, false
		}
	}
	return "", false
}
