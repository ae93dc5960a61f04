package safety

import (
	"path"
	"strings"
)

// homeSecrets are places in a home directory with keys, passwords, tokens, cookies, chats or typed text. A star
// matches within one name.
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
	.cache/blunux-ai .Xauthority .ICEauthority .*_history .history .histfile .zsh_sessions .lesshst .viminfo .local/share/fish .config/fish/fish_variables .wget-hsts
	.config/nushell/history* .local/share/nushell .local/share/elvish .local/state/elvish .xonsh* .local/share/xonsh .ipython .local/share/ipython .local/share/mcfly .local/share/powershell
	.cache/cliphist .local/share/cliphist .local/share/clipman* .cache/clipman* .cache/clipboard* .local/share/clipboard* .local/share/klipper .config/copyq .local/share/copyq
	.local/share/gpaste .cache/greenclip* .config/parcellite .local/share/parcellite .config/clipit .local/share/clipit .config/clipse .local/share/diodon .clipmenu* .cache/clipmenu*
	.local/share/zeitgeist .local/share/baloo .cache/tracker* .local/share/tracker .cache/tinysparql .local/share/recoll .recoll
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
	.local/share/goose .grok .mistral .config/io.datasette.llm .config/aichat .config/mods .openclaw .config/openclaw .moonbot
	.composer .config/pnpm .pnpmrc .bunfig.toml .config/pypoetry/auth.toml .config/pip .pip .local/share/uv/credentials .config/hatch .bundle/config .sbt/credentials .ivy2
	.nuget .config/NuGet .hex .config/rebar3 .config/dart .pub-cache/credentials* .pause .condarc .continuum .Renviron .julia/servers .config/tea .config/lab .gitlab-runner
	.jira.d .config/.jira .arcrc .subversion/auth .hgrc .bazaar .cvspass .p4tickets .p4enviro .gitcookies .cache/git .git-credential* .config/scw .config/linode-cli
	.config/exoscale .config/upctl .vultr-cli* .config/vultr-cli .ovh.conf .config/oci .bluemix .ibmcloud .cf .config/heroku .heroku .civo.json .terraformrc .tofu* .pulumi .chef
	.puppetlabs .ansible .helm .config/argocd .argocd .rancher .config/k9s .rclone* .restic* .borgmatic .config/borgmatic .config/vorta .local/share/vorta .config/kopia
	.duplicacy .config/duplicati .dropbox .config/maestral .config/onedrive .config/insync .megaCmd .config/MEGA* .local/share/data/Mega* .config/rslsync .gdfuse
	.config/google-drive* .config/gdrive* .davfs2 .smbcredentials .smb .credentials* .neomutt* .config/himalaya .config/meli .config/isync* .fetchmailrc .getmail .config/getmail
	.mailrc .nailrc .pinerc .alpine* .claws-mail .sylpheed* .config/mailspring .local/share/protonmail .betterbird .config/vdirsyncer .config/offlineimap .config/mbsync*
	.config/lieer .config/tutanota* .config/mailtransports .config/irssi .local/share/weechat .config/quassel* .znc .config/konversationrc .config/senpai .config/catgirl
	.local/share/catgirl .config/gomuks .local/share/gomuks .config/iamb .local/share/iamb .config/matterhorn .config/slack-term .config/profanity .local/share/profanity
	.mcabber .config/poezio .local/share/poezio .config/psi* .local/share/psi* .config/tox .config/qTox .local/share/qTox .briar .config/briar .config/Caprine .config/legcord
	.config/ArmCord .config/goofcord .config/equibop .config/abaddon .config/ripcord .config/Mumble .local/share/Mumble .ts3client .config/TeamSpeak .local/share/telepathy
	.config/delta*chat .nchat .config/nchat .config/tut .config/toot .local/share/tuba .config/fluffychat .local/share/fluffychat .config/SchildiChat .config/cinny
	.local/share/cinny .local/share/in.cinny.app .local/share/KDE/neochat .config/Revolt* .config/Rocket.Chat .config/Zulip .config/ICQ .config/Lark* .config/DingTalk
	.config/feishu .deepinwine .config/protonvpn .config/nordvpn .config/expressvpn .config/openfortivpn .config/netbird .config/clash* .config/mihomo .config/v2ray* .config/xray
	.config/qv2ray .config/nekoray .config/hiddify .config/shadowsocks* .config/sing-box .config/trojan* .config/helium .config/net.imput.helium .config/iridium* .config/cromite
	.local/share/falkon .local/share/konqueror .config/midori .local/share/midori .surf .local/share/surf .w3m .elinks .local/share/luakit .local/share/vimb .cachy
	.icecat .moonchild* .basilisk* .icedove .seamonkey .config/legendary .config/heroic .minecraft/launcher_* .local/share/PrismLauncher/accounts.json .config/itch
	.config/spotifyd .config/spotify-player .cache/spotify-player .cache/ncspot .config/tidal* .config/streamlink .mpdscribble .config/mpdscribble .config/joplin* .config/Postman
	.config/Insomnia .local/share/DBeaverData .config/beekeeper* .dbshell .pg_service.conf .config/pgcli .config/mycli .myclirc .mongodb .mongorc* .snowsql .snowflake
	.config/snowflake .dbt .databrickscfg .bigqueryrc .sentryclirc .expo .firebase* .config/firebase* .supabase .config/supabase .config/turso .planetscale .config/planetscale
	.config/neonctl .shopify .config/shopify* .twilio-cli .config/twilio* .android/adbkey .config/Trae* .config/Windsurf* .codeium .config/codeium .tabnine .supermaven
	.config/Kiro* .cursor .config/llm .config/shell_gpt .config/fabric .config/crush .local/share/crush .config/amp .local/share/amp .config/gptme .zeroclaw .picoclaw .nanobot
	.ironclaw .rrclaw .age .config/rage .passage .config/gopass .local/share/gopass .config/rbw .local/share/rbw .cache/rbw .lpass .config/lpass .local/share/lpass .config/KeeWeb
	.config/buttercup* .local/share/Enpass .local/share/authenticator .config/otpclient* .local/share/otpclient .google_authenticator .step .config/step .tsh .config/boundary
	.putty .config/putty .config/tabby .config/termius .config/electerm* .config/asbru .rdesktop .config/tigervnc .nx .config/nomachine .config/teamviewer .local/share/teamviewer*
	.parsec* .config/sunshine .config/moonlight* .config/chrome-remote-desktop .litecoin .dogecoin .zcash .dashcore .config/solana .sparrow .walletwasabi .config/atomic
	.config/*trezor* .lnd .lightning .near-credentials .local/share/Bisq* .local/share/monero* .config/feather .foundry/keystores`

// systemDirectories are directories outside of homes whose file names are secret too, because they name
// networks, customers and keys.
const systemDirectories = `
	/etc/NetworkManager/system-connections /run/NetworkManager/system-connections /etc/wireguard
	/etc/sudoers.d /etc/ssl/private /etc/credstore* /run/credentials /run/secrets /var/lib/iwd /var/lib/bluetooth /etc/cryptsetup-keys.d`

// systemSecrets are further secret files and directories outside of homes. Their names and sizes can be shown.
const systemSecrets = `
	/etc/shadow* /etc/gshadow* /etc/sudoers* /etc/doas.conf /etc/security/opasswd /etc/krb5.keytab /etc/openvpn /etc/ipsec* /etc/swanctl /etc/strongswan*
	/etc/letsencrypt /etc/ssh/ssh_host_*_key /etc/crypttab.d /etc/luks* /etc/ppp /etc/samba/private /var/lib/samba
	/var/lib/NetworkManager /etc/wpa_supplicant /etc/netctl /etc/hostapd /etc/pacman.d/gnupg
	/etc/docker/key.json /etc/kubernetes /etc/rancher /etc/mysql /etc/postfix/sasl* /etc/exim* /etc/dovecot /etc/msmtprc /etc/ddclient*
	/etc/vpnc /etc/sssd /etc/nslcd.conf /etc/ldap.secret /etc/openldap /etc/fetchmailrc /etc/raddb /etc/snmp /etc/chap-secrets /etc/bind/rndc.key /etc/rndc.key /etc/fstab.cred* /etc/cifs* /etc/smbcredentials* /etc/davfs2 /etc/environment.d
	/run/keys /var/lib/systemd /var/lib/private /var/lib/sss /var/lib/tpm* /var/lib/gdm* /var/lib/sddm
	/var/lib/lightdm* /var/lib/AccountsService /var/lib/docker /var/lib/containers /var/lib/mysql /var/lib/postgres* /var/lib/redis
	/var/lib/tailscale /var/lib/zerotier-one /var/lib/fprint /var/lib/boltd /var/lib/machines /var/lib/libvirt /var/lib/polkit-1
	/var/mail /var/spool/mail /var/spool/cron /var/spool/at /var/spool/cups /var/cache/cups /var/backups /var/db/sudo /run/sudo /run/lightdm /run/sddm /lost+found
	/etc/shadowsocks* /etc/v2ray /etc/xray /etc/sing-box /etc/trojan* /etc/tinc /etc/openfortivpn /etc/stunnel /etc/xl2tpd /etc/mullvad-vpn /etc/netbird /var/lib/netbird
	/etc/nebula /etc/restic* /etc/borgmatic /etc/rclone* /etc/ssmtp /etc/nullmailer /etc/smtpd /etc/gitlab* /etc/grafana* /etc/nextcloud /etc/webapps /etc/mosquitto /etc/rabbitmq
	/etc/redis* /etc/valkey* /etc/influxdb /etc/turnserver* /etc/asterisk /etc/freeradius /etc/pihole /etc/transmission* /etc/cups/printers.conf* /etc/cups/ssl /etc/nut /etc/ups
	/etc/cloudflared /var/lib/cloudflared /var/lib/caddy /var/lib/jenkins /var/lib/gitea /var/lib/forgejo /var/lib/vaultwarden /var/lib/bitwarden* /var/lib/nextcloud
	/var/lib/grafana /var/lib/rancher /var/lib/kubelet /var/lib/etcd`

// deviceSecrets are places whose names can be listed, but whose contents are memory, disks, keyboards, sessions
// or connections: gawk opens /inet.
const deviceSecrets = `
	/dev/* /run/user/* /tmp/.X11-unix /tmp/ssh-* /tmp/gpg-* /tmp/keyring-* /tmp/krb5cc* /tmp/.org.chromium* /inet /inet4 /inet6
	/sys/kernel/debug /sys/kernel/tracing /sys/firmware/acpi/tables /sys/firmware/qemu_fw_cfg /sys/firmware/efi/efivars /sys/fs/pstore`

// processSecrets are in the directories of every process and each of its threads.
const processSecrets = `environ mem root cwd fd fdinfo map_files auxv stack pagemap clear_refs syscall`

// kernelFiles are files of /proc with memory or messages, or that trigger an action when read.
const kernelFiles = `/proc/kcore /proc/kmsg /proc/kpage* /proc/keys /proc/key-users /proc/sysrq-trigger`

// secretNames are names of files with secrets in any directory.
const secretNames = `
	id_rsa id_dsa id_ecdsa id_ed25519 id_xmss id_*_sk *_rsa *_dsa *_ecdsa *_ed25519 *.pem *.key *.p12 *.pfx *.p8 *.pk8 *.jks *.keystore *.keytab
	*.kdbx *.kdb *.ppk *.ovpn *.agekey *.gpg *.pgp *.asc *.psafe3 *.agilekeychain *.opvault *.kwl *.keyring *.wallet wallet.dat
	.env .env.* *.env .envrc .netrc _netrc .git-credentials .npmrc .pypirc .pgpass .my.cnf .htpasswd .htaccess .dockercfg .s3cfg .boto .msmtprc
	*_history .history *.history history.sqlite* history.db shadow shadow- gshadow gshadow- sudoers master.passwd secring.* trustdb.gpg
	cookies.sqlite* logins.json logins-backup.json key3.db key4.db cert9.db signons.sqlite Cookies* Login?Data* Web?Data* places.sqlite* formhistory.sqlite
	kubeconfig *.kubeconfig *keyfile* *.luks credentials credentials.* *credential* *.secret *.secrets secret secret.* secrets secrets.* *_secret *_secrets *.token token tokens api_key* apikey*
	access_token* *password* *passwort* *passphrase* wp-config.php *.nmconnection *.psk terraform.tfstate* rndc.key session.db *.session
	auth.json .credentials* adbkey accounts.json launcher_accounts* sasl_passwd* .smbcredentials .pg_service.conf client_secret* service-account*.json
	service_account*.json *.pkcs12 *.pvk *.tfvars *.tfvars.json .vault_pass* vault_pass* .htdigest *.rdp .dockerconfigjson
	token.json tokens.json *_token oauth_creds* *oauth*.json private_key* privkey* *.nk`

// documentationPlaces are system directories in which names such as "password" belong to the documentation or the
// kernel.
var documentationPlaces = []string{"/usr/", "/sys/", "/proc/", "/etc/pam.d/", "/var/lib/pacman/", "/var/log/"}

// secretRule is a secret place, including everything below it.
type secretRule struct {
	parts    []string
	listable bool // names can be listed
	file     bool // has nothing below it
	process  bool // the second component is a process
}

// secretList has all rules in folded letters, because some file systems are case-insensitive.
type secretList struct {
	rules  []secretRule            // absolute places
	hidden map[string][]secretRule // places in homes and in copies and snapshots of homes, by their first name
	wild   []secretRule            // rules whose first name is a pattern
	names  []string
	homes  [][]string // components of home directories
}

func newSecretList(home string, extra []string) *secretList {
	l := &secretList{names: strings.Fields(foldCase(toWildcards(secretNames))), hidden: map[string][]secretRule{}}
	for _, h := range []string{foldCase(home), "/home/*"} {
		l.homes = append(l.homes, components(toWildcards(h)))
	}
	for p := range strings.FieldsSeq(homeSecrets) {
		l.addHome(foldCase(p), listableAtHome(p))
	}
	if home != "/root" {
		l.add("/root", true)
	}
	l.addAll(systemDirectories, secretRule{})
	l.addAll(systemSecrets, secretRule{listable: true})
	l.addAll(deviceSecrets, secretRule{listable: true})
	l.addAll(kernelFiles, secretRule{listable: true, file: true})
	for p := range strings.FieldsSeq(processSecrets) {
		l.addAll("/proc/*/"+p+" /proc/*/task/*/"+p, secretRule{listable: true, process: true})
	}
	for _, p := range extra {
		if p = path.Clean("/" + p); p != "/" {
			l.rules = append(l.rules, secretRule{parts: components(foldCase(p))})
		}
	}
	return l
}

// listableAtHome reports whether a place can be listed, because people often ask for its size.
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
	for p := range strings.FieldsSeq(foldCase(places)) {
		r.parts = components(toWildcards(p))
		l.rules = append(l.rules, r)
	}
}

// addHome adds a place of homes. Hidden ones apply in any directory.
func (l *secretList) addHome(p string, listable bool) {
	r := secretRule{parts: components(toWildcards(p)), listable: listable}
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
