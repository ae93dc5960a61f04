package secret

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// sample is a text that contains a secret.
type sample struct{ name, text, secret string }

const (
	lower32 = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
	lower64 = lower32 + lower32
	mixed24 = "aB3dE5gH7jK9mN1pQ3sT5vW7"
	mixed40 = alnum36 + "kL5n"
	key43   = "zBnz6UF+mXXJtf25ukj4zmNOr+he3sZVJhKCgC4gCnl"
	base44  = key43 + "="
)

// samples are secrets of known shapes. Values are separate from their prefixes, so that secret scanners of this
// repository do not report them.
func samples() []sample {
	value := func(name, before, secret, after string) sample { return sample{name, before + secret + after, secret} }
	token := func(name, prefix, rest string) sample { return value(name, "", prefix+rest, "") }
	return []sample{
		token("aws id", "AK"+"IA", "IOSFODNN7EXAMPL2"), token("aws session id", "AS"+"IA", "IOSFODNN7EXAMPL2"),
		token("aws id in lower range", "AK"+"IA", "0123456789ABCDEF"),
		value("aws secret", "aws_secret_access_key = ", "wJalrXUtnFEMI/K7MDENG/bPxRfiCY"+"EXAMPLEKEY", ""),
		value("aws secret in JSON", `{"SecretAccessKey": "`, "wJalrXUtnFEMI/K7MDENG/bPxRfiCY"+"EXAMPLEKEY", `"}`),
		value("aws session token", "AWS_SESSION_TOKEN=", "IQoJb3JpZ2luX2VjE"+key43, ""),
		token("google key", "AI"+"za", "SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY"), token("google oauth", "ya"+"29.", "a0AfH6SMBx"+mixed24),
		token("google refresh", "1/"+"/0", "gXyZ-"+alnum36+mixed24), token("google client", "GOC"+"SPX-", mixed24),
		value("azure account key", "AccountName=x;AccountKey=", key43+key43+"==", ";EndpointSuffix=core.windows.net"),
		value("azure sas", "https://x.blob.core.windows.net/c?sv=2022&sr=c&sig=", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5k%2B8%3D", "&se=2024"),
		value("azure client secret", "", "aB3"+"8Q~"+mixed24+"abcdefghij", ""),
		value("azure shared access", "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKey=", base44, ""),
		token("slack bot", "xo"+"xb-", "781236542736-2364535789652-GkwFDQoHqzXDVsC6GzqYUypD"), token("slack app", "xa"+"pp-", "1-A052FGTS2DL-5171572773297-610b6a11f4b7"),
		token("slack config", "xo"+"xe.xoxp-", "1-Mi0yLTk0MzQzNjk2"), token("slack cookie", "xo"+"xd-", "aB3dE5gH7jK9%2BmN1pQ3sT5vW7"),
		value("slack hook", "https://hooks.slack.com/services/", "T00000000/B00000000/"+mixed24, ""),
		value("slack workflow", "https://hooks.slack.com/workflows/", "T00000000/A00000000/123456789012345678/"+mixed24, ""),
		token("discord bot", "M"+"TE4NDA1NDY0OTUyNDg0NjU5Mg.GhIjKl.", alnum36+"_-"), token("discord mfa", "mf"+"a.", alnum36+alnum36+"aB3dE5gH7jK9"),
		value("discord hook", "https://discord.com/api/webhooks/1234567890123456789/", alnum36+"_-"+mixed24, ""),
		value("discord hook old", "https://discordapp.com/api/webhooks/1234567890123456789/", alnum36+"_-"+mixed24, ""),
		value("teams hook", "https://x.webhook.office.com/webhookb2/", "6ba7b810-9dad-11d1-80b4-00c04fd430c8@6ba7b810-9dad-11d1-80b4-00c04fd430c8/IncomingWebhook/"+lower32, ""),
		value("google chat hook", "https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=", mixed40, ""),
		token("telegram bot", "110201543:A"+"A", "HdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1"),
		token("sendgrid", "S"+"G.", "aB3dE5gH7jK9mN1pQ3sT5v."+alnum36+"aB3dE5g"), token("mailgun", "ke"+"y-", lower32),
		token("mailchimp", lower32, "-us"+"12"), token("brevo", "xkeys"+"ib-", lower64+"-aB3dE5gH7jK9mN1p"), token("postmark", "server_token=", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
		value("twilio key", "api key ", "S"+"K"+lower32, ""), value("twilio token", "TWILIO_AUTH_TOKEN=", lower32, ""),
		token("stripe", "sk_"+"live_", mixed24), token("stripe test", "sk_"+"test_", mixed24), token("stripe restricted", "rk_"+"test_", mixed24), token("stripe hook", "wh"+"sec_", alnum36),
		token("digitalocean", "do"+"p_v1_", lower64), token("digitalocean oauth", "do"+"o_v1_", lower64), token("digitalocean refresh", "do"+"r_v1_", lower64),
		token("vault", "hv"+"s.", "CAESI"+mixed24+alnum36), token("vault batch", "hv"+"b.", "AAAAAQ"+mixed24+alnum36), token("vault recovery", "hv"+"r.", mixed24+mixed24),
		value("vault old", "VAULT_TOKEN=", "s."+mixed24, ""), value("vault old alone", "login with ", "s."+mixed24, ""),
		token("github", "gh"+"p_", alnum36), token("github oauth", "gh"+"o_", alnum36), token("github server", "gh"+"s_", alnum36), token("github user", "gh"+"u_", alnum36), token("github refresh", "gh"+"r_", alnum36+alnum36),
		token("github fine", "github"+"_pat_", "11ABCDEFG0"+alnum36+"_"+alnum36), token("gitlab", "gl"+"pat-", "aB3dE5gH7jK9mN1pQ3sT"), token("gitlab runner", "GR13489"+"41", "aB3dE5gH7jK9mN1pQ3sT"),
		token("bitbucket", "ATB"+"B", mixed24+"aB3dE5gH"), token("atlassian", "AT"+"ATT3xFfGF0", alnum36+alnum36+"=1A2B3C4D"),
		token("npm", "np"+"m_", alnum36), token("pypi", "py"+"pi-AgEI", alnum36+alnum36), token("crates", "ci"+"o", alnum36[:32]), token("rubygems", "rubygem"+"s_", lower32+lower32[:16]),
		token("docker", "dckr_"+"pat_", "aB3dE5gH7jK9mN1pQ3sT5vW7-_x"), token("docker org", "dckr_"+"oat_", "aB3dE5gH7jK9mN1pQ3sT5vW7-_x"),
		value("docker config", `{"auths": {"https://index.docker.io/v1/": {"auth": "`, "Ymx1OmNvcnJlY3Rob3JzZQ==", `"}}}`),
		value("npm auth", "//registry.npmjs.org/:_auth=", "Ymx1OmNvcnJlY3Rob3JzZQ==", ""), value("npm auth alone", "_auth = ", "Ymx1OmNvcnJlY3Rob3JzZQ==", ""),
		token("hugging face", "h"+"f_", "abcdefghijklmnopqrstuvwxyzABCDEFGH"), token("openai", "sk"+"-", lower32+"ab12"), token("openai project", "sk-"+"proj-", alnum36+"_-"+mixed24),
		token("anthropic", "sk-"+"ant-api03-", alnum36+"-"+alnum36), token("groq", "gs"+"k_", alnum36+alnum36[:16]), token("replicate", "r8"+"_", alnum36+"a"), token("perplexity", "pp"+"lx-", lower32+"0a1b2c3d4e5f6071"),
		token("openrouter", "sk-"+"or-v1-", lower64), token("xai", "xa"+"i-", alnum36+alnum36), token("cohere", "COHERE_API_KEY=", mixed40), token("nvidia", "nva"+"pi-", alnum36+mixed24),
		token("jwt", "ey"+"JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.", "a_5icKBDo-8Ej"), token("age", "AGE-SECRET"+"-KEY-1", strings.Repeat("QPZRY9X8", 7)+"GF"), token("age plugin", "AGE-PLUGIN"+"-YUBIKEY-1", strings.Repeat("QPZRY9X8", 5)),
		value("pem", "", "-----BEGIN "+"RSA PRIVATE KEY-----\n"+key43+"\nabc=\n-----END RSA PRIVATE KEY-----", ""),
		value("putty", "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: x\nPublic-Lines: 1\nAAAA\nPrivate-Lines: 1\n", "AAAAIKj8Vz0Vdh6e0sVZ6dN8zVh8Hf8oDk3pR7vG0bYw", "\nPrivate-MAC: 0123"),
		value("wireguard", "PrivateKey = ", base44, ""), value("wireguard psk", "PresharedKey = ", base44, ""),
		value("nmcli", "nmcli con modify x wifi-sec.psk ", "correct-horse7", ""), value("nmcli terse", "802-11-wireless-security.psk:", "correcthorse", ""), value("nmcli short", "wifi-security.psk:", "correcthorse", ""),
		value("nmcli password", "nmcli dev wifi connect home password ", "correcthorse", ""), value("wep", "802-11-wireless-security.wep-key0:", "0a1b2c3d4e", ""),
		value("wpa_supplicant", "\tpsk=", "\"correct horse\"", ""), value("wpa_supplicant raw", "\tpsk=", lower64, ""), value("wpa sae", "sae_password=\"", "correcthorse", "\""),
		value("wpa_passphrase", "wpa_passphrase home ", "correcthorse", ""), value("iwd", "Passphrase=", "correct horse", ""), value("iwd psk", "PreSharedKey=", lower64, ""),
		value("iwctl", "iwctl --passphrase ", "correcthorse", " station wlan0 connect home"), value("iwctl equals", "iwctl --passphrase=", "correcthorse", ""), value("iwctl P", "iwctl -P ", "correcthorse", " station wlan0 connect home"),
		value("set-cookie", "Set-Cookie: session=", "a1b2c3d4e5f6g7h8", "; Path=/; HttpOnly"), value("cookie", "Cookie: theme=dark; sid=", "a1b2c3d4e5f6g7h8", ""), value("cookie option", "curl -H 'Cookie: sid=", "a1b2c3d4e5f6", "' https://x.example"),
		value("cookie b", "curl -b 'sid=", "a1b2c3d4e5f6", "' https://x.example"), value("cookie long", "curl --cookie sid=", "a1b2c3d4e5f6", " https://x.example"),
		value("set-cookie text", "set-cookie: remember=", "qwertzuiopas", "; secure"), value("netscape", "#HttpOnly_.x.example\tTRUE\t/\tTRUE\t1799999999\tsid\t", "a1b2c3d4e5f6g7h8", ""),
		value("authorization", "Authorization: Bearer ", mixed24, ""), value("basic", "Authorization: Basic ", "Ymx1OmNvcnJlY3Rob3JzZQ==", ""), value("proxy", "Proxy-Authorization: Basic ", "Ymx1OmNvcnJlY3Rob3JzZQ==", ""), value("digest", "Authorization: Digest username=\"blu\", response=\"", lower32, "\""),
		value("x-auth", "X-Auth-Token: ", lower32, ""), value("private-token", "PRIVATE-TOKEN: ", mixed24, ""), value("x-api-key", "X-Api-Key: ", mixed24, ""), value("x-vault", "X-Vault-Token: ", mixed24, ""),
		value("url", "postgres://blu:", "correcthorse", "@db.example/x"), value("ftp", "ftp://blu:", "correcthorse", "@files.example/"), value("amqp", "amqp://blu:", "c0rrect!", "@mq.example:5672/"), value("mongodb", "mongodb+srv://blu:", "correcthorse", "@c0.mongodb.net/x"), value("smb", "//host/share -o username=blu,password=", "correcthorse", ""),
		value("mysql", "mysql -u root -p", "correcthorse", " db"), value("mysqldump", "mysqldump --user=root -p", "C0rrect!", " db > x.sql"), value("mariadb", "mariadb -uroot -p'", "correct horse", "' db"), value("mysqladmin", "sudo mysqladmin -u root -p", "correcthorse", " status"),
		value("option", "tool --password ", "correcthorse", ""), value("option equals", "tool --password=", "correcthorse", ""), value("passwd option", "tool --passwd ", "correcthorse", ""), value("token option", "tool --token ", lower32, ""), value("pass option", "tool --pass ", "correcthorse", ""), value("pass equals", "tool --pass=", "correcthorse", ""),
		value("curl user", "curl -u blu:", "correcthorse", " https://x.example"), value("curl user joined", "curl -ublu:", "correcthorse", " https://x.example"), value("curl long", "curl --user blu:", "correcthorse", " https://x.example"), value("curl quoted", "curl -u 'blu:", "correct horse", "' https://x.example"),
		value("wget", "wget --http-password=", "correcthorse", " https://x.example"), value("wget user", "wget --user=blu --password=", "correcthorse", " https://x.example"),
		value("sshpass", "sshpass -p ", "correcthorse", " ssh blu@host"), value("sshpass joined", "sshpass -p'", "correct horse", "' ssh blu@host"), value("sshpass environment", "SSHPASS=", "correcthorse", " sshpass -e ssh host"),
		value("pgpassword", "PGPASSWORD=", "correcthorse", " psql -h db"), value("mysql environment", "MYSQL_PWD=", "correcthorse", " mysql"), value("restic", "RESTIC_PASSWORD=", "correcthorse", " restic snapshots"), value("borg", "export BORG_PASSPHRASE='", "correct horse", "'"), value("redis", "REDISCLI_AUTH=", "correcthorse", " redis-cli ping"), value("redis a", "redis-cli -a ", "correcthorse", " ping"),
		value("cryptsetup", "echo ", "correcthorse", " | cryptsetup open /dev/sda2 x"), value("cryptsetup n", "echo -n '", "correct horse", "' | sudo cryptsetup luksOpen /dev/sda2 x -"), value("printf", "printf '%s' ", "correcthorse", " | cryptsetup luksFormat /dev/sdb -"),
		value("sudo", "echo ", "correcthorse", " | sudo -S pacman -Syu"), value("sudo p", "echo \"", "correct horse", "\" | sudo -kS true"), value("sudo here", "sudo -S id <<< ", "correcthorse", ""), value("cryptsetup here", "cryptsetup open /dev/sda2 x <<< '", "correct horse", "'"),
		value("passwd", "echo ", "correcthorse", " | passwd --stdin blu"), value("chpasswd", "echo 'blu:", "correcthorse", "' | sudo chpasswd"), value("smbpasswd", "printf '%s\\n' ", "correcthorse", " | smbpasswd -s -a blu"), value("docker login", "echo ", "correcthorse", " | docker login -u blu --password-stdin"), value("gpg", "echo ", "correcthorse", " | gpg --batch --passphrase-fd 0 -d x.gpg"), value("openconnect", "echo ", "correcthorse", " | sudo openconnect --passwd-on-stdin vpn.example"),
		value("useradd", "useradd -p '", "$6$saltsalt$"+alnum36, "' blu"), value("shadow", "blu:", "$6$saltsalt$"+alnum36, ":19000:0:99999:7:::"), value("yescrypt", "blu:", "$y$j9T$saltsaltsalt$"+alnum36, ":19000:0:99999:7:::"), value("bcrypt", "blu:", "$2y$10$"+alnum36+"aB3dE5gH7jK9mN1pQ", ""),
		value("openssl", "openssl enc -aes-256-cbc -in a -out b -pass pass:", "correcthorse", ""), value("openssl in", "openssl rsa -in k.pem -passin pass:", "correcthorse", ""), value("openssl k", "openssl enc -d -aes256 -k ", "correcthorse", " -in a"), value("gpg option", "gpg --passphrase ", "correcthorse", " -c x"),
		value("7z", "7z x -p", "correcthorse", " a.7z"), value("unzip", "unzip -P ", "correcthorse", " a.zip"), value("zip", "zip -P ", "correcthorse", " -r a.zip d"), value("unrar", "unrar x -p", "correcthorse", " a.rar"), value("ldap", "ldapsearch -x -D cn=admin -w ", "correcthorse", " -b dc=x"), value("smbclient", "smbclient //h/s -U blu%", "correcthorse", ""), value("rdp", "xfreerdp /u:blu /p:", "correcthorse", " /v:host"), value("lftp", "lftp -u blu,", "correcthorse", " host"), value("ipmi", "ipmitool -H h -U admin -P ", "correcthorse", " power status"),
		value("connection", "Server=x;Database=y;User Id=blu;Password=", "correcthorse", ";"), value("connection pwd", "Server=x;Uid=blu;Pwd=", "correcthorse", ";"), value("jdbc", "jdbc:mysql://h/db?user=blu&password=", "correcthorse", ""),
		value("netrc", "machine x.example login blu password ", "correcthorse", ""), value("netrc lines", "machine x.example\n  login blu\n  password ", "correcthorse", ""), value("pgpass", "localhost:5432:db:blu:", "correcthorse", ""), value("pgpass star", "*:*:*:blu:", "correcthorse", ""), value("my.cnf", "[client]\nuser=root\npassword = ", "correcthorse", ""), value("git credentials", "https://blu:", "correcthorse", "@git.example"),
		token("shopify", "shp"+"at_", lower32), token("shopify shared", "shp"+"ss_", lower32), token("shopify custom", "shp"+"ca_", lower32), token("square", "sq0"+"atp-", "aB3dE5gH7jK9mN1pQ3sT5v"), token("square secret", "sq0"+"csp-", alnum36+"aB3dE5g"), token("square access", "EAAA"+"", "l"+alnum36+mixed24), value("paypal", "access_token$"+"production$", "0a1b2c3d4e5f6071$"+lower32, ""),
		value("datadog", "DD_API_KEY=", lower32, ""), value("datadog app", "DD_APP_KEY: ", lower32+"0a1b2c3d", ""), token("new relic", "NR"+"AK-", "ABCDEFGHIJKLMNOPQRSTUVWXYZ1"), token("new relic license", lower32+"0a1b", "FFFFNR"+"AL"), value("sentry dsn", "https://", lower32, "@o123.ingest.sentry.io/456"), token("sentry", "sn"+"trys_", "eyJpYXQiOjE2"+alnum36+alnum36), token("sentry user", "sn"+"tryu_", lower64),
		token("notion", "nt"+"n_", "123456789012aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3h"), token("notion old", "secr"+"et_", alnum36+"aB3dE5g"), token("linear", "lin_"+"api_", mixed40), token("linear oauth", "lin_"+"oauth_", lower64), token("figma", "fig"+"d_", mixed40), token("postman", "PM"+"AK-", "0a1b2c3d4e5f60718293a4b5-0a1b2c3d4e5f60718293a4b5c6d7e8f901"), token("grafana", "gls"+"a_", alnum36[:32]+"_0a1b2c3d"), token("grafana cloud", "gl"+"c_", "eyJvIjoi"+alnum36), token("tailscale", "tsk"+"ey-", "auth-kDkAn1CNTRL-"+alnum36),
		value("cloudflare", "CLOUDFLARE_API_TOKEN=", mixed40, ""), value("cloudflare key", "X-Auth-Key: ", lower32+"0a1b2", ""), token("cloudflare ca", "v1.0-"+"", lower32[:24]+"-"+lower64+lower64+"0a1b2c3d4e5f607182"), token("terraform", "aB3dE5gH7jK9mN.atl"+"asv1.", alnum36+mixed24), token("pulumi", "pu"+"l-", lower32+"0a1b2c3d"), token("doppler", "dp.p"+"t.", mixed40+"aB3"), token("fly", "FlyV1 fm2"+"_", alnum36+alnum36+mixed24), token("fly old", "fo1"+"_", alnum36+"aB3dE5g"), token("heroku", "HR"+"KU-", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"), token("netlify", "nf"+"p_", mixed40), token("vercel", "VERCEL_TOKEN=", mixed24), token("supabase", "sb"+"p_", lower32+"0a1b2c3d"), token("planetscale", "pscale_"+"tkn_", mixed40+"aB3"), token("databricks", "dap"+"i", lower32), token("airtable", "pa"+"t"+"aB3dE5gH7jK9mN.", lower64), token("asana", "ASANA_TOKEN=", "1/1234567890:"+lower32), token("dropbox", "sl"+".B", alnum36+alnum36+alnum36+alnum36), token("facebook", "EA"+"ACEdEose0cBA", alnum36+alnum36+alnum36), token("mapbox", "sk."+"eyJ1IjoiYmx1IiwiYSI6ImNrIn0.", "aB3dE5gH7jK9mN1pQ3sT5v"), token("1password", "ops"+"_", "eyJzaWduSW5BZGRyZXNz"+alnum36+alnum36), token("k8s", "ey"+"JhbGciOiJSUzI1NiIsImtpZCI6IiJ9.eyJpc3MiOiJrdWJlcm5ldGVzIn0.", alnum36), value("kubeconfig", "    client-key-data: ", "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQo"+key43, ""), value("gpg ssh agent", "export TOKEN=", mixed24, ""), value("matrix", "access_token=", "sy"+"t_Ymx1_aB3dE5gH7jK9mN1pQ3sT_0aB1cD", ""), token("matrix alone", "sy"+"t_Ymx1_", "aB3dE5gH7jK9mN1pQ3sT_0aB1cD"), token("easypost", "EZA"+"K", alnum36+mixed24[:18]), token("onepassword", "A3-"+"ABCDEF-", "AB12CD-EF34G-HI56J-KL78M-NO90P"), token("wakatime", "wak"+"a_", "6ba7b810-9dad-41d1-80b4-00c04fd430c8"), token("rubyonrails", "RAILS_MASTER_KEY=", lower32), token("nuget", "oy"+"2", strings.Repeat("a1b2c3d4e5", 4)+"abc"), token("clojars", "CLOJARS"+"_", lower32+"0a1b2c3d4e5f60718293a4b5c6d7"), token("ntfy", "t"+"k_", "0a1b2c3d4e5f60718293a4b5c6d7e"), token("pushover", "PUSHOVER_TOKEN=", "a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5"),
	}
}

func TestS10SecretsOfKnownShapesAreTakenOut(t *testing.T) {
	r := NewRedactor(nil)
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			got := r.Redact(s.text)
			for line := range strings.Lines(s.secret) {
				require.NotContains(t, got, strings.TrimSpace(line))
			}
			require.Contains(t, got, markerStart)
			require.Equal(t, got, r.Redact(got), "done again it changes nothing")
		})
	}
}

// TestS10SecretsInOrdinaryTextNeverSurvive puts secrets between lines and words that must not change.
func TestS10SecretsInOrdinaryTextNeverSurvive(t *testing.T) {
	r, all := NewRedactor(nil), samples()
	lines := strings.Split(strings.TrimSuffix(ordinary, "\n"), "\n")
	rapid.Check(t, func(t *rapid.T) {
		var text, kept, secrets []string
		for range rapid.IntRange(1, 6).Draw(t, "parts") {
			line := rapid.SampledFrom(lines).Draw(t, "line")
			text, kept = append(text, line), append(kept, line)
			s := rapid.SampledFrom(all).Draw(t, "secret")
			text = append(text, s.text)
			for part := range strings.Lines(s.secret) {
				secrets = append(secrets, strings.TrimSpace(part))
			}
		}
		got := r.Redact(strings.Join(text, "\n"))
		for _, s := range secrets {
			if strings.Contains(got, s) {
				t.Fatalf("%q survives in %q", s, got)
			}
		}
		rest := "\n" + got + "\n"
		for _, line := range kept {
			at := strings.Index(rest, "\n"+line+"\n")
			if at < 0 {
				t.Fatalf("%q is gone from\n%s", line, got)
			}
			rest = rest[at+1+len(line):]
		}
	})
}
