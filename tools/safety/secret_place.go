package safety

import (
	"path"
	"strings"
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
