package secret

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ordinary is output that must not change.
const ordinary = `e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  /usr/bin/env
d41d8cd98f00b204e9800998ecf8427e *empty
commit ad2c1260f5b8e3d7a9c4b1e2f3a4d5c6b7a89901
ad2c126 tools/safety: tests assert no times, benchmarks do
golang.org/x/sys v0.49.0 h1:s8pnnxNVzjWyrvYdFUQq5llS1PX2zhPXmccZv99h7uQ=
sha256sums=('a3f5d8b2c1e0974856a3f5d8b2c1e0974856a3f5d8b2c1e0974856a3f5d8b2c1'
validpgpkeys=('ABAF11C65A2970B130ABE3C479BE3E4300411886') # Linus Torvalds
Name            : linux-firmware
Version         : 20251111.1a2b3c4d-1
Description     : Firmware files for Linux - Default set
URL             : https://gitlab.com/kernel-firmware/linux-firmware
Validated By    : Signature
Key ID          : 0x79BE3E4300411886
community/python-pyjwt 2.10.1-1
extra/libsecret 0.21.7-1 [installed]
extra/oath-toolkit 2.6.12-1
NAME   FSTYPE FSVER LABEL UUID                                 FSAVAIL FSUSE% MOUNTPOINTS
├─sda1 vfat   FAT32       1A2B-3C4D                             412.3M    19% /boot
└─sda2 btrfs              550e8400-e29b-41d4-a716-446655440000  101.2G    48% /
UUID=550e8400-e29b-41d4-a716-446655440000 / btrfs rw,relatime,ssd,subvol=/@ 0 0
PARTUUID="6ba7b810-9dad-11d1-80b4-00c04fd430c8"
Nov 21 09:00:00 host systemd[1]: Started Forward Password Requests to Wall Directory Watch.
Nov 21 09:00:00 host systemd[1]: systemd-ask-password-console.path: Deactivated successfully.
Nov 21 09:00:01 host sshd[812]: Failed password for invalid user admin from 203.0.113.7 port 51812 ssh2
Nov 21 09:00:01 host sshd[812]: Accepted publickey for blu from 192.168.1.2 port 5022 ssh2: ED25519 SHA256:yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk
Nov 21 09:00:02 host sudo[99]: pam_unix(sudo:auth): authentication failure; logname=blu uid=1000 euid=0 tty=/dev/pts/0 ruser=blu rhost=  user=blu
Nov 21 09:00:03 host passwd[120]: pam_unix(passwd:chauthtok): password changed for blu
Nov 21 09:00:03 host kernel: audit: type=1100 audit(1763715603.123:45): pid=9 comm="passwd" exe="/usr/bin/passwd" hostname=? res=success
Nov 21 09:00:04 host polkitd[600]: Operator of unix-session:1 successfully authenticated to gain TEMPORARY authorization for action org.freedesktop.systemd1.manage-units
Nov 21 09:00:05 host gnome-keyring-daemon[800]: The Secret Service was already initialized
Nov 21 09:00:05 host kernel: Spectre V2 : Mitigation: Enhanced / Automatic IBRS
Nov 21 09:00:06 host NetworkManager[500]: <info>  [1763715606.1234] device (wlan0): Activation: (wifi) access point 'home' has security, but secrets are required.
Nov 21 09:00:06 host wpa_supplicant[501]: wlan0: WPA: Key negotiation completed with 00:11:22:33:44:55 [PTK=CCMP GTK=CCMP]
INVOCATION_ID=0123456789abcdef0123456789abcdef
MACHINE_ID=0123456789abcdef0123456789abcdef
passwd: files systemd
shadow: files systemd
passwd:         files sss
password   required   pam_unix.so try_first_pass nullok shadow
-password  [success=1 default=ignore]  pam_systemd_home.so
Last password change                                    : Nov 21, 2025
Password expires                                        : never
blu P 2025-11-21 0 99999 7 -1
root:x:0:0::/root:/usr/bin/bash
PasswordAuthentication no
PWD=/home/blu
OLDPWD=/home/blu/Downloads
SSH_AUTH_SOCK=/run/user/1000/ssh-agent.socket
GNOME_KEYRING_CONTROL=/run/user/1000/keyring
SSL_KEY_FILE=/etc/ssl/private/key.pem
ssl_private_key = /etc/ssl/private/server-2024.pem
password_file: /run/secrets/db
password: required
"password": null, "token": "", "secret": true,
password=${DB_PASSWORD}
token: {{ vault.token }}
api_key = os.environ["API_KEY"]
secret = get_secret("db")
--password <password>    the password to use
      --token string     bearer token for authentication to the server
usage: curl [-u user:password] --password FILE
systemctl --no-ask-password restart -- systemd-journald
Password: ********
802-11-wireless-security.psk:           <hidden>
802-11-wireless-security.psk-flags:     0 (none)
802-11-wireless-security.key-mgmt:      wpa-psk
key_mgmt=WPA-PSK WPA-PSK-SHA256
PublicKey = yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=
  public key: yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=
  private key: (hidden)
  preshared key: (hidden)
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl blu@host
sk-ssh-ed25519-cert-v01@openssh.com AAAAInNrLXNzaC1lZDI1NTE5LWNlcnQtdjAxQG9wZW5zc2guY29t
sk-ecdsa-sha2-nistp256-cert-v01@openssh.com
untrusted comment: minisign public key 7AD9B2A6C5E3F1D0
RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3
age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kdtqqzskx2mpmlq
-----BEGIN CERTIFICATE-----
MIIFazCCA1OgAwIBAgIRAIIQz7DSQONZRGPgu2OCiwAwDQYJKoZIhvcNAQELBQAw
-----END CERTIFICATE-----
-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PUBLIC KEY-----
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
eyJzdWIiOiIxMjM0NTY3ODkwIn0=
https://example.com/a?b=c&d=e#f ssh://git@github.com/x/y.git git@github.com:x/y.git
http://user:password@host/ https://user:${PASS}@host/ file:///home/blu
pkcs11:model=p11-kit-trust;manufacturer=PKCS%2311%20Kit;serial=1;token=System%20Trust
Token=::1a:2b:3c:4d
inet6 fe80::1a2b:3c4d:5e6f:7a8b/64 scope link noprefixroute
link/ether 00:1a:2b:3c:4d:5e brd ff:ff:ff:ff:ff:ff
00:1f.3 Audio device: Intel Corporation Cannon Lake PCH cAVS (rev 10)
disk-by-id/nvme-Samsung_SSD_970_EVO_Plus_1TB_S4EWNX0M123456A
task-01234567890123456789 risk-abcdefghijklmnop0123456789
max_tokens=4096 token_count: 128 "completion_tokens": 812, tokens: 1234567890
expected token: '{' at line 12
libpam-pwquality 1.4.5-3  secret-tool  apt-key  hotkey: ctrl+alt+F12
systemd-resolved.service 192.168.100.200.300 a.b.c.d.e.f.g.h.i.j
docker run -d -p 8080:80 -u 1000:1000 --name web nginx
ssh -p 2222 blu@host; scp -P 2222 a blu@host:b; mkdir -p a/b/c; unzip -p a.zip; 7z l a.7z; zip -r a.zip d
mysql -u root -p db; mysqldump --all-databases; openssl x509 -in a.pem -noout -dates; openssl passwd -6
curl -sS -b cookies.txt -o out https://x.example; curl -u "$USER:$TOKEN" https://x.example; curl -b "$JAR" https://x.example
echo hello | sudo tee /etc/motd; echo y | sudo pacman -S vim; echo "$PASS" | sudo -S true; echo YES | cryptsetup luksFormat /dev/sdx
sudo -S true <<< "$PASS"; cat <<< hello; printf '%s' "$KEY" | cryptsetup open /dev/sda2 x -
Cookie Consent: necessary; cookie: enabled; Set-Cookie headers are ignored
pacman -Qi python-cookiecutter cookiecutter 2.6.0-1; /usr/lib/firefox/cookies.sqlite
hooks.slack.com resolves to 18.65.3.12; https://discord.com/api/webhooks
localhost:5432 is closed; tcp LISTEN 0 200 127.0.0.1:5432 0.0.0.0:* users:(("postgres",pid=1,fd=6))
main.go:12:5:error:text; a.c:543:12:warning:unused
/usr/share/licenses/cio-0.1/LICENSE key-mapper 2.0.1 key-00000000 systems. solutions. v1.0-rc1 patch-6.1.2.xz
pathological-long-name-with-many-words-0123456789 path0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqr
auth: login; auth = required; authority: none; pam_unix(sudo:auth): conversation failed; AuthorizedKeysFile .ssh/authorized_keys
Private-Lines: none
$1 is the first argument, $6 the sixth; $5,000; awk '{print $1$2}'
Use --password to set one, or --password with a file; --pass-through yes; bypass=1; compass: north
password protected; password manager; password expired; the password authentication failed for user blu
SK hynix PC711 NVMe 1TB SK00AB12; AKIAK.txt; EAAA is no key; dapi.h; tk_widget_new; sl.exe; pul-request; fo1_x
sig=SIGTERM signal=15; https://x.example/?token=abc&sig=1; x-request-id: 6ba7b810-9dad-11d1-80b4-00c04fd430c8
nmcli connection show home; wifi-sec.key-mgmt wpa-psk; 802-11-wireless-security.wep-key0: --
linux 6.12.1.arch1-1 -> 6.12.2.arch1-1; node_modules/@types/node/v22.10.1; rust-1.83.0-1-x86_64.pkg.tar.zst.sig
b3c1d2e4f5a60718293a4b5c6d7e8f900a1b2c3d *linux.iso; blake3 af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262
비밀번호: 비밀번호를 입력하세요
로그인할 때 비밀번호가 필요해요. 密码：请输入密码
[redacted:known] [redacted:secret] password=[redacted:secret]
`

func TestOrdinaryOutputComesThrough(t *testing.T) {
	r := NewRedactor([]string{"sk-" + "known-value"})
	for line := range strings.Lines(ordinary) {
		require.Equal(t, line, r.Redact(line))
	}
	require.Equal(t, ordinary, r.Redact(ordinary))
}
