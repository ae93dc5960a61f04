package safety

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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
	.config/kdeconnect .config/autorestic* .config/borg .config/restic .config/Vault .config/nix/netrc .config/cachix
	.config/Beeper* .config/Ferdi* .config/Franz .config/Rambox* .config/line* .config/wechat* .xwechat* xwechat_files .config/QQ
	.config/tencent* .config/viber* .viberpc .config/Wire .config/threema* .config/session* .local/share/jami .config/jami
	.config/nheko .local/share/nheko .config/gajim .local/share/gajim .config/halloy .config/thunderbird .config/thorium
	.config/ungoogled-chromium .config/zen .config/floorp .config/mullvad* .tor-browser* .local/share/tor* .config/nyxt .config/min
	.config/Yubico .vault* .config/hashicorp .config/configstore .config/netlify .vercel .config/vercel .local/share/com.vercel.cli .fly
	.railway .wrangler .config/.wrangler .config/stripe .config/ngrok .ngrok2 .cloudflared .huggingface .cache/huggingface/token*
	.kaggle .config/wandb .ollama/id_* .aider* .continue .config/opencode .local/share/opencode .qwen .kimi .config/goose
	.local/share/goose .grok .mistral .config/io.datasette.llm .config/aichat .config/mods .openclaw .config/openclaw .moonbot`

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
	/etc/vpnc /etc/sssd /etc/nslcd.conf /etc/ldap.secret /etc/openldap /etc/fetchmailrc /etc/raddb /etc/snmp /etc/chap-secrets /etc/bind/rndc.key /etc/rndc.key /etc/fstab.cred* /etc/cifs* /etc/smbcredentials* /etc/davfs2 /etc/environment.d
	/run/keys /var/lib/systemd /var/lib/private /var/lib/sss /var/lib/tpm* /var/lib/gdm* /var/lib/sddm
	/var/lib/lightdm* /var/lib/AccountsService /var/lib/docker /var/lib/containers /var/lib/mysql /var/lib/postgres* /var/lib/redis
	/var/lib/tailscale /var/lib/zerotier-one /var/lib/fprint /var/lib/boltd /var/lib/machines /var/lib/libvirt /var/lib/polkit-1
	/var/mail /var/spool/mail /var/spool/cron /var/spool/at /var/spool/cups /var/cache/cups /var/backups /var/db/sudo /run/sudo /run/lightdm /run/sddm /lost+found`

// deviceSecrets are places whose names may be listed while their contents are
// memory, disks, keyboards, sessions or connections: gawk opens /inet.
const deviceSecrets = `
	/dev/* /run/user/* /tmp/.X11-unix /tmp/ssh-* /tmp/gpg-* /tmp/keyring-* /tmp/krb5cc* /tmp/.org.chromium* /inet /inet4 /inet6
	/sys/kernel/debug /sys/kernel/tracing /sys/firmware/acpi/tables /sys/firmware/qemu_fw_cfg /sys/firmware/efi/efivars /sys/fs/pstore`

// processSecrets lie in the directory of every process, and below.
const processSecrets = `environ mem root cwd fd fdinfo map_files task auxv stack pagemap clear_refs syscall`

// kernelFiles are files of /proc that hold memory or messages, or act when read.
const kernelFiles = `/proc/kcore /proc/kmsg /proc/kpage* /proc/keys /proc/key-users /proc/sysrq-trigger`

// secretNames are file names that hold secrets wherever they are.
const secretNames = `
	id_rsa id_dsa id_ecdsa id_ed25519 id_xmss id_*_sk *_rsa *_dsa *_ecdsa *_ed25519 *.pem *.key *.p12 *.pfx *.p8 *.pk8 *.jks *.keystore *.keytab
	*.kdbx *.kdb *.ppk *.ovpn *.agekey *.gpg *.pgp *.asc *.psafe3 *.agilekeychain *.opvault *.kwl *.keyring *.wallet wallet.dat
	.env .env.* *.env .envrc .netrc _netrc .git-credentials .npmrc .pypirc .pgpass .my.cnf .htpasswd .htaccess .dockercfg .s3cfg .boto .msmtprc
	.*_history .bash_history .zsh_history shadow shadow- gshadow gshadow- sudoers master.passwd secring.* trustdb.gpg
	cookies.sqlite* logins.json logins-backup.json key3.db key4.db cert9.db signons.sqlite Cookies* Login?Data* Web?Data* places.sqlite* formhistory.sqlite
	kubeconfig *.kubeconfig *keyfile* *.luks credentials credentials.* *credential* *.secret *.secrets secret secret.* secrets secrets.* *_secret *_secrets *.token token tokens api_key* apikey*
	access_token* *password* *passwort* *passphrase* wp-config.php *.nmconnection *.psk terraform.tfstate* rndc.key session.db *.session`

// wordyPlaces are system directories where names such as "password" are part of
// the documentation or of the kernel.
var wordyPlaces = []string{"/usr/", "/sys/", "/proc/", "/etc/pam.d/", "/var/lib/pacman/", "/var/log/"}

// secretRule is a place; everything below it belongs to it.
type secretRule struct {
	parts    []string
	listable bool // names may be listed
	file     bool // nothing lies below it
	process  bool // the second component is a process
}

// secretList holds every rule in folded letters: some file systems do not tell
// large letters from small ones.
type secretList struct {
	rules  []secretRule            // absolute places
	hidden map[string][]secretRule // places in homes, copies and snapshots of homes, by their first name
	wild   []secretRule            // those whose first name is a pattern
	names  []string
	homes  [][]string // components of home directories
}

func newSecretList(home string, extra []string) *secretList {
	l := &secretList{names: strings.Fields(folded(wild(secretNames))), hidden: map[string][]secretRule{}}
	for _, h := range []string{folded(home), "/home/*"} {
		l.homes = append(l.homes, components(wild(h)))
	}
	for p := range strings.FieldsSeq(homeSecrets) {
		l.addHome(folded(p), listableAtHome(p))
	}
	if home != "/root" {
		l.add("/root", true)
	}
	l.addAll(systemDirectories, secretRule{})
	l.addAll(systemSecrets, secretRule{listable: true})
	l.addAll(deviceSecrets, secretRule{listable: true})
	l.addAll(kernelFiles, secretRule{listable: true, file: true})
	for p := range strings.FieldsSeq(processSecrets) {
		l.addAll("/proc/*/"+p, secretRule{listable: true, process: true})
	}
	for _, p := range extra {
		if p = path.Clean("/" + p); p != "/" {
			l.rules = append(l.rules, secretRule{parts: components(folded(p))})
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

func (l *secretList) add(p string, listable bool) { l.addAll(p, secretRule{listable: listable}) }

func (l *secretList) addAll(places string, r secretRule) {
	for p := range strings.FieldsSeq(folded(places)) {
		r.parts = components(wild(p))
		l.rules = append(l.rules, r)
	}
}

// addHome adds a place of homes. Hidden ones count wherever they are met.
func (l *secretList) addHome(p string, listable bool) {
	r := secretRule{parts: components(wild(p)), listable: listable}
	switch first := r.parts[0]; {
	case first[0] != '.':
		for _, h := range l.homes {
			full := append(h[:len(h):len(h)], r.parts...)
			l.rules = append(l.rules, secretRule{parts: full, listable: listable})
		}
	case hasWildcard(first):
		l.wild = append(l.wild, r)
	default:
		l.hidden[first] = append(l.hidden[first], r)
	}
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

// nameable reports whether a program may show attributes of the operand itself:
// the names a pattern finds are shown, and nothing below them.
func (s *scope) nameable(f field) bool {
	pattern, known := f.val.pattern()
	if known && !hasWildcard(pattern) {
		return !strings.Contains(pattern, "://")
	}
	return s.eachPath(f, func(p string) bool {
		return !s.j.c.secrets.holds(path.Dir(p), true)
	})
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
	if !known || strings.Contains(pattern, "://") {
		return false // some programs fetch what looks like an address
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
		written := p
		p = path.Clean(p)
		if !strings.Contains(written, "..") {
			written = p
		}
		if !ok(p) || !s.resolvedOK(written, ok) {
			return false
		}
	}
	return true
}

// maxMatches is how many files a pattern may stand for and still be looked at.
const maxMatches = 2000

// matchesOK checks the files a pattern stands for now, and where they lead.
func (s *scope) matchesOK(pattern string, ok func(string) bool) bool {
	if s.j.c.glob == nil || strings.ContainsRune(pattern, anyDepth) {
		return true
	}
	pattern = globOf(pattern)
	found, err := s.j.c.glob(pattern)
	if err != nil || len(found) > maxMatches {
		return false
	}
	for _, file := range found {
		if !hiddenMatch(pattern, file) && (!ok(file) || !s.resolvedOK(file, ok)) {
			return false
		}
	}
	return true
}

// globOf writes a path pattern as [path/filepath.Match] reads it, or one that
// stands for more: a class may be any character.
func globOf(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == anyRun, c == anyDigits:
			b.WriteByte('*')
		case c == anyChar, c == '*', c == '\\':
			b.WriteByte('?')
		case c == '[':
			b.WriteByte('?')
			if end := strings.IndexByte(pattern[i+1:], ']'); end > 0 {
				i += end + 1
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// hiddenMatch reports whether a file is hidden where the pattern does not say
// so: a shell leaves it out.
func hiddenMatch(pattern, file string) bool {
	want, have := strings.Split(pattern, "/"), strings.Split(file, "/")
	for i := range min(len(want), len(have)) {
		if strings.HasPrefix(have[i], ".") && !strings.HasPrefix(want[i], ".") {
			return true
		}
	}
	return false
}

// resolvedOK checks where symbolic links lead. A path with .. is resolved as it
// is written: what is above a link is not what is before it in the path.
func (s *scope) resolvedOK(p string, ok func(string) bool) bool {
	if hasWildcard(p) {
		return s.matchesOK(p, ok)
	}
	if s.j.c.evalSymlinks == nil || strings.HasPrefix(p, "/dev/") {
		return true
	}
	real, err := s.j.c.evalSymlinks(p)
	return err != nil || real == p || ok(real)
}

// holds reports whether p may lie in a secret place. With listing set, places
// that may be listed do not count.
func (l *secretList) holds(p string, listing bool) bool {
	parts := components(folded(p))
	for _, r := range l.rules {
		if !(listing && r.listable) && r.holds(parts) {
			return true
		}
	}
	return l.hiddenRules(parts, func(r secretRule, rest []string) bool {
		return !(listing && r.listable) && r.holds(rest)
	})
}

func (r *secretRule) holds(parts []string) bool {
	switch {
	case len(parts) < len(r.parts) || r.file && len(parts) > len(r.parts):
		return false
	case r.process && !mayBeProcess(parts[1]):
		return false
	}
	return prefixIntersects(parts, r.parts, len(r.parts))
}

// hiddenRules calls match with each rule of homes that may start at a hidden
// component and with the components from there on, until match is true.
func (l *secretList) hiddenRules(parts []string, match func(secretRule, []string) bool) bool {
	for i, c := range parts {
		if !hidden(c) {
			continue
		}
		ok := func(r secretRule) bool { return match(r, parts[i:]) }
		if slices.ContainsFunc(l.wild, ok) || slices.ContainsFunc(l.hidden[c], ok) {
			return true
		}
		if !hasWildcard(c) {
			continue
		}
		for _, rules := range l.hidden {
			if slices.ContainsFunc(rules, ok) {
				return true
			}
		}
	}
	return false
}

// mayBeProcess reports whether a component of /proc can be a process.
func mayBeProcess(c string) bool {
	if intersects(c, "self", false) || intersects(c, "thread-self", false) {
		return true
	}
	return !strings.ContainsFunc(c, func(r rune) bool { return r > anyDigits && (r < '0' || r > '9') })
}

// below reports whether a secret place may lie below p.
func (l *secretList) below(p string) bool {
	if p == "/" {
		return true
	}
	parts := components(folded(p))
	for _, h := range l.homes {
		if len(parts) <= len(h) && prefixIntersects(parts, h, len(parts)) {
			return true
		}
	}
	for _, r := range l.rules {
		if len(parts) < len(r.parts) && prefixIntersects(parts, r.parts, len(parts)) && (!r.process || len(parts) < 2 || mayBeProcess(parts[1])) {
			return true
		}
	}
	return l.hiddenRules(parts, func(r secretRule, rest []string) bool {
		return len(rest) < len(r.parts) && prefixIntersects(rest, r.parts, len(rest))
	})
}

// extension is the end of a name that says what kind of file it is.
var extension = regexp.MustCompile(`\.[a-z0-9]+$`)

// wholeHome reports whether p is a bare pattern of all files of a home.
func (l *secretList) wholeHome(p string) bool {
	parts := components(folded(p))
	last := parts[len(parts)-1]
	if last == "" || last[0] != anyRun && last[0] != anyChar || extension.MatchString(last) {
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
	p = folded(p)
	base := p[strings.LastIndexByte(p, '/')+1:]
	for _, place := range wordyPlaces {
		if strings.HasPrefix(p, place) {
			return false
		}
	}
	if strings.HasSuffix(base, ".pub") {
		return false
	}
	return slices.ContainsFunc(l.names, func(n string) bool { return intersects(base, n, true) })
}

// folded writes letters the way a file system without case does: every letter as
// the first of those that fold together (Unicode, simple case folding).
func folded(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r < utf8.RuneSelf:
			return r
		}
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			if f >= 'a' && f <= 'z' {
				return f
			}
		}
		return unicode.ToLower(r)
	}, s)
}
