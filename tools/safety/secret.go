package safety

import (
	"path"
	"strings"
)

// Wildcards inside a path pattern. Judged text holds no control characters, so
// a quoted star in a file name stays a star.
const (
	anyRun  = '\x01' // any run of characters but a slash
	anyChar = '\x02' // one character but a slash
	// anyDigits is a run of digits, perhaps empty.
	anyDigits = '\x04'
	// anyDepth is a last component that stands for everything below.
	anyDepth = '\x03'
)

// homeSecrets are places below a home directory that hold keys, passwords,
// tokens, cookies, chats or what was typed; a star matches within one name.
const homeSecrets = `
	.ssh .gnupg .pki .password-store .netrc .authinfo* .aws .azure .kube .docker .minikube .oci .vault-token .terraform.d
	.git-credentials .config/git/credentials .config/gh .config/hub .config/glab-cli .config/gcloud .config/doctl .config/hcloud
	.npmrc .yarnrc* .pypirc .gem/credentials .cargo/credentials* .m2/settings* .gradle/gradle.properties .config/composer
	.config/rclone .s3cfg .boto .pgpass .my.cnf .mylogin.cnf .config/containers .config/helm .config/sops .config/age .config/op
	.local/share/keyrings .local/share/kwalletd .kde* .gnome2/keyrings .local/share/gnupg .local/share/pass .config/keepassxc
	.config/KeePass* .config/Bitwarden* .config/1Password .config/Authy* .config/Enpass .config/Nordpass .config/Proton*
	.mozilla .librewolf .waterfox .zen .floorp .thunderbird .config/chromium* .config/google-chrome* .config/BraveSoftware
	.config/vivaldi* .config/microsoft-edge* .config/opera* .config/naver-whale* .config/yandex-browser* .config/epiphany
	.config/mozilla .config/librewolf .local/share/epiphany .config/qutebrowser .local/share/qutebrowser .config/falkon .cache/mozilla
	.cache/chromium .cache/google-chrome .cache/BraveSoftware .cache/vivaldi .cache/microsoft-edge
	.config/Signal* .config/discord* .config/vesktop .config/WebCord .config/Slack .config/Element* .config/Riot .config/whats*
	.config/WhatsApp* .config/Telegram* .local/share/TelegramDesktop .local/share/KotatogramDesktop .local/share/64Gram
	.local/share/signal* .local/share/whats* .config/Microsoft* .config/teams* .config/skype* .config/zoom* .config/kakao* .wine* .purple
	.config/Mattermost .config/Keybase .config/keybase .local/share/keybase .local/share/dino .local/share/fractal .config/hexchat .weechat
	.config/weechat .irssi .config/evolution .local/share/evolution .local/share/geary .config/goa* .local/share/kmail2
	.config/akonadi .local/share/akonadi .local/share/local-mail .mutt* .config/mutt .config/neomutt .config/aerc .msmtprc
	.config/msmtp .mbsyncrc .offlineimaprc .config/filezilla .config/remmina .local/share/remmina .config/freerdp .vnc .config/rustdesk
	.config/anydesk .anydesk .config/syncthing .local/state/syncthing .config/Nextcloud .config/obs-studio/*/*/service.json
	.electrum .bitcoin .ethereum .monero* .config/Exodus .config/Ledger* .var/app snap .steam/steam/config .local/share/Steam/config
	.claude* .codex .gemini .anthropic .openai .config/anthropic .config/openai .config/claude* .config/Claude .config/codex .config/gemini
	.config/github-copilot .config/Code/User/globalStorage .config/Cursor .config/VSCodium/User/globalStorage .config/JetBrains
	.config/blunux-ai/credentials .config/blunux-ai/*.key .config/blunux-ai/whats* .local/share/blunux-ai .local/state/blunux-ai
	.cache/blunux-ai .Xauthority .ICEauthority .*_history .history .histfile .zsh_sessions .lesshst .viminfo .local/share/fish/fish_history
	.local/share/atuin .local/share/zsh .local/state/zsh .local/state/bash .local/share/nvim/shada .local/state/nvim/shada
	.config/environment.d .pam_environment .config/pulse/cookie .cert .local/share/networkmanagement .config/wireguard .config/openvpn
	.config/mpv/cookies* .config/yt-dlp/cookies* .config/spotify .config/NetworkManager Mail Maildir mail .mail .local/share/mail
	.config/kdeconnect .config/autorestic* .config/borg .config/restic .config/Vault .config/nix/netrc .config/cachix`

// systemDirectories are directories outside homes of which not even the names
// are shown: networks, customers and keys are named there.
const systemDirectories = `
	/etc/NetworkManager/system-connections /run/NetworkManager/system-connections /etc/wireguard
	/etc/sudoers.d /etc/ssl/private /etc/credstore* /run/credentials /run/secrets /var/lib/iwd /var/lib/bluetooth /etc/cryptsetup-keys.d`

// systemSecrets are further files and directories outside homes. Their names
// and sizes may be shown.
const systemSecrets = `
	/etc/shadow* /etc/gshadow* /etc/sudoers* /etc/doas.conf /etc/security/opasswd /etc/krb5.keytab /etc/openvpn /etc/ipsec* /etc/swanctl /etc/strongswan*
	/etc/letsencrypt /etc/ssh/ssh_host_*_key /etc/crypttab.d /etc/luks* /etc/ppp /etc/samba/private /var/lib/samba
	/var/lib/NetworkManager /etc/wpa_supplicant /etc/netctl /etc/hostapd /etc/pacman.d/gnupg
	/etc/docker/key.json /etc/kubernetes /etc/rancher /etc/mysql /etc/postfix/sasl* /etc/exim* /etc/dovecot /etc/msmtprc /etc/ddclient*
	/etc/vpnc /etc/chap-secrets /etc/bind/rndc.key /etc/rndc.key /etc/fstab.cred* /etc/cifs* /etc/smbcredentials* /etc/davfs2 /etc/environment.d
	/run/keys /var/lib/systemd /var/lib/private /var/lib/sss /var/lib/tpm* /var/lib/gdm* /var/lib/sddm
	/var/lib/lightdm* /var/lib/AccountsService /var/lib/docker /var/lib/containers /var/lib/mysql /var/lib/postgres* /var/lib/redis
	/var/lib/tailscale /var/lib/zerotier-one /var/lib/fprint /var/lib/boltd /var/lib/machines /var/lib/libvirt /var/lib/polkit-1
	/var/mail /var/spool/mail /var/spool/cron /var/spool/at /var/spool/cups /var/cache/cups /var/backups /var/db/sudo /run/sudo /run/lightdm /run/sddm /lost+found`

// deviceSecrets are places whose names may be listed while their contents are
// memory, disks, keyboards or other processes.
const deviceSecrets = `
	/dev/* /proc/*/environ /proc/*/mem /proc/*/root /proc/*/cwd /proc/*/fd /proc/*/fdinfo /proc/*/map_files /proc/*/task /proc/*/auxv
	/proc/*/stack /proc/*/pagemap /proc/*/clear_refs /proc/*/syscall /proc/*/cmdline_ /proc/kcore /proc/kmsg /proc/kpage* /proc/keys /proc/key-users
	/proc/sysrq-trigger /proc/acpi/event /run/user/* /tmp/.X11-unix /tmp/ssh-* /tmp/gpg-* /tmp/keyring-* /tmp/krb5cc* /tmp/.org.chromium*
	/sys/kernel/debug /sys/kernel/tracing /sys/kernel/security /sys/firmware/acpi/tables /sys/firmware/qemu_fw_cfg /sys/class/dmi/id/*_serial
	/sys/devices/virtual/dmi/id/*_serial /sys/firmware/efi/efivars /sys/fs/pstore`

// secretNames are file names that hold secrets wherever they are.
const secretNames = `
	id_rsa id_dsa id_ecdsa id_ed25519 id_xmss id_*_sk *_rsa *_dsa *_ecdsa *_ed25519 *.pem *.key *.p12 *.pfx *.p8 *.pk8 *.jks *.keystore *.keytab
	*.kdbx *.kdb *.ppk *.ovpn *.agekey *.gpg *.pgp *.asc *.psafe3 *.agilekeychain *.opvault *.kwl *.keyring *.wallet wallet.dat
	.env .env.* *.env .envrc .netrc _netrc .git-credentials .npmrc .pypirc .pgpass .my.cnf .htpasswd .htaccess .dockercfg .s3cfg .boto .msmtprc
	.*_history .bash_history .zsh_history shadow shadow- gshadow gshadow- sudoers master.passwd secring.* trustdb.gpg
	cookies.sqlite* logins.json logins-backup.json key3.db key4.db cert9.db signons.sqlite Cookies* Login?Data* Web?Data* places.sqlite* formhistory.sqlite
	kubeconfig *.kubeconfig credentials credentials.* *credential* *.secret *.secrets secret secret.* secrets secrets.* *_secret *_secrets *.token token tokens api_key* apikey*
	access_token* *password* *passwort* *passphrase* wp-config.php *.nmconnection *.psk terraform.tfstate* rndc.key session.db *.session`

// wordyPlaces are system directories where names such as "password" are part of
// the documentation or of the kernel.
var wordyPlaces = []string{"/usr/", "/sys/", "/proc/", "/etc/pam.d/", "/var/lib/pacman/", "/var/log/"}

// secretRule is a place; everything below it belongs to it.
type secretRule struct {
	parts    []string
	listable bool // names may be listed
}

type secretList struct {
	rules []secretRule
	names []string
	homes [][]string // components of home directories
}

func newSecretList(home string, extra []string) *secretList {
	l := &secretList{names: strings.Fields(wild(secretNames))}
	homes := []string{home, "/home/*"}
	for _, h := range homes {
		for p := range strings.FieldsSeq(homeSecrets) {
			l.add(h+"/"+p, listableAtHome(p))
		}
		l.homes = append(l.homes, components(wild(h)))
	}
	if home != "/root" {
		l.add("/root", true)
	}
	for p := range strings.FieldsSeq(systemDirectories) {
		l.add(p, false)
	}
	for p := range strings.FieldsSeq(systemSecrets) {
		l.add(p, true)
	}
	for p := range strings.FieldsSeq(deviceSecrets) {
		l.add(p, true)
	}
	for _, p := range extra {
		if p = path.Clean("/" + p); p != "/" {
			l.rules = append(l.rules, secretRule{parts: components(p)})
		}
	}
	return l
}

// listableAtHome tells places of which the size is a common question.
func listableAtHome(p string) bool {
	for _, prefix := range []string{".cache/", ".var/app", ".wine", ".steam", ".local/share/Steam"} {
		if strings.HasPrefix(p, prefix) {
			return true
		}
	}
	return p[0] != '.'
}

func (l *secretList) add(p string, listable bool) {
	l.rules = append(l.rules, secretRule{parts: components(wild(p)), listable: listable})
}

// readable reports whether a program may show the contents of the operand.
func (s *scope) readable(f field) bool {
	return s.eachPath(f, func(p string) bool {
		switch p {
		case "/dev/null", "/dev/stdin", procSubstPath:
			return true
		}
		l := s.j.c.secrets
		if dir, all := strings.CutSuffix(p, "/"+string(rune(anyDepth))); all {
			return !l.holds(dir, false) && !l.below(dir) && dir != ""
		}
		return !l.holds(p, false) && !l.secretName(p) && !l.wholeHome(p)
	})
}

// readableTree reports whether a program may show the contents of everything
// below the operand.
func (s *scope) readableTree(f field) bool {
	return s.readable(f) && s.eachPath(f, func(p string) bool { return !s.j.c.secrets.below(p) })
}

// listable reports whether a program may show names and attributes of the operand.
func (s *scope) listable(f field) bool {
	return s.eachPath(f, func(p string) bool { return !s.j.c.secrets.holds(p, true) })
}

// eachPath reports whether ok holds for every absolute path pattern the field
// can name, also after symbolic links. A value that is not a path pattern fails.
func (s *scope) eachPath(f field, ok func(string) bool) bool {
	if text, known := f.val.lit(); known && (text == "-" || text == "") {
		return true
	}
	pattern, known := f.val.pattern()
	if !known {
		return false
	}
	dirs := s.dirs
	if strings.HasPrefix(pattern, "/") {
		dirs = []string{"/"}
	}
	for _, d := range dirs {
		p := pattern
		if d != "/" || !strings.HasPrefix(pattern, "/") {
			p = d + "/" + pattern
		}
		if climbsFromWildcard(p) {
			return false
		}
		p = path.Clean(p)
		if !ok(p) || !s.resolvedOK(p, ok) {
			return false
		}
	}
	return true
}

// resolvedOK checks where symbolic links lead.
func (s *scope) resolvedOK(p string, ok func(string) bool) bool {
	if s.j.c.evalSymlinks == nil || hasWildcard(p) || strings.HasPrefix(p, "/dev/") {
		return true
	}
	real, err := s.j.c.evalSymlinks(p)
	return err != nil || real == p || ok(real)
}

// holds reports whether p may lie in a secret place. With listing set, places
// that may be listed do not count.
func (l *secretList) holds(p string, listing bool) bool {
	parts := components(p)
	for _, r := range l.rules {
		if listing && r.listable || len(parts) < len(r.parts) {
			continue
		}
		if prefixIntersects(parts, r.parts, len(r.parts)) {
			return true
		}
	}
	return false
}

// below reports whether a secret place may lie below p.
func (l *secretList) below(p string) bool {
	if p == "/" {
		return true
	}
	parts := components(p)
	for _, r := range l.rules {
		if len(parts) < len(r.parts) && prefixIntersects(parts, r.parts, len(parts)) {
			return true
		}
	}
	return false
}

// wholeHome reports whether p is a bare pattern of all files of a home.
func (l *secretList) wholeHome(p string) bool {
	parts := components(p)
	last := parts[len(parts)-1]
	if last == "" || last[0] != anyRun && last[0] != anyChar {
		return false
	}
	for _, h := range l.homes {
		if len(parts) == len(h)+1 && prefixIntersects(parts, h, len(h)) {
			return true
		}
	}
	return false
}

// secretName reports whether the last component is a name of a secret file.
func (l *secretList) secretName(p string) bool {
	base := p[strings.LastIndexByte(p, '/')+1:]
	for _, place := range wordyPlaces {
		if strings.HasPrefix(p, place) {
			return false
		}
	}
	if strings.HasSuffix(base, ".pub") {
		return false
	}
	lower := strings.ToLower(base)
	for _, n := range l.names {
		if intersects(base, n, true) || lower != base && intersects(lower, n, true) {
			return true
		}
	}
	return false
}
