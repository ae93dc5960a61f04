package aur

import "strings"

// brands are programs whose names attackers borrow. A name that is one letter away from one of them is taken for it.
var brands = strings.Fields(`firefox chromium google-chrome librewolf zen-browser brave-bin microsoft-edge vivaldi thunderbird discord
	spotify telegram-desktop signal-desktop minecraft-launcher visual-studio-code vscodium obs-studio libreoffice wireshark
	virtualbox nodejs python docker keepassxc bitwarden electrum monero-gui ledger-live steam-native teamviewer anydesk
	neofetch fastfetch hyprland yay-bin paru-bin obsidian 1password nvidia-utils postman github-cli`)

// lures are endings that promise a better version of a known program.
var lures = set("fix fixed patch patched crack cracked premium unlocked optimized enhanced hotfix urgent security stable")

// endings say how a package is built.
var endings = []string{"-bin", "-git", "-appimage", "-wayland"}

func stem(name string) string {
	for _, end := range endings {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

// readName judges names that are taken for others.
func (c *checker) readName() {
	name := strings.ToLower(c.name())
	short := stem(name)
	for _, brand := range brands {
		known := stem(brand)
		if short == known {
			return
		}
	}
	for _, brand := range brands {
		known := stem(brand)
		if len(known) >= 6 && isOneAway(short, known) {
			s := Red
			if len(known) == 6 { // of short names, honest ones are near too
				s = Warn
			}
			c.facts.add(Fact{Code: Imitates, Severity: s, File: pkgbuild, Detail: name + " ~ " + brand})
			return
		}
		if rest, is := strings.CutPrefix(short, known+"-"); is && lures()[rest] {
			c.facts.add(Fact{Code: Imitates, Severity: Warn, File: pkgbuild, Detail: name + " ~ " + brand})
			return
		}
	}
}

// isOneAway reports whether two names differ by one letter: another, one more, one less, or two in the wrong order.
func isOneAway(a, b string) bool {
	if a == b || len(a)-len(b) > 1 || len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	x, y := a[i:], b[i:]
	switch {
	case len(x) == len(y):
		return x[1:] == y[1:] || len(x) > 1 && x[0] == y[1] && x[1] == y[0] && x[2:] == y[2:]
	case len(x) > len(y):
		return x[1:] == y
	}
	return y[1:] == x
}
