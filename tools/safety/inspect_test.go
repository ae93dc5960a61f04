package safety

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestS4EnvironmentsOfContainersAreAskedFor: whole objects, and templates with anything but listed fields, need
// a confirmation.
func TestS4EnvironmentsOfContainersAreAskedFor(t *testing.T) {
	commands := []string{
		"docker image inspect nginx", "docker volume inspect data", "docker history nginx", "docker history --no-trunc nginx", "docker inspect -s web",
		"kubectl get pods -o yaml", "kubectl get pod web -o json", "kubectl get deploy -o yaml", "kubectl describe pod web", "kubectl describe pods", "kubectl get configmap app -o yaml",
		"kubectl get svc/a pod/b -o yaml", "kubectl get svc,pods -o yaml", "kubectl get pods -o jsonpath='{..env}'", "kubectl get pods -o custom-columns=E:.spec.containers[*].env",
		"kubectl get secret db -o yaml", "docker compose config", "docker exec web env", "podman exec web printenv", "podman generate kube web", "podman kube generate web",
		"systemctl show-environment", "systemctl --user show-environment", "systemctl show -p Environment sshd", "flatpak override --show", "flatpak override --show org.x.Y",
		"nmcli -s connection show home", "pass show mail", "secret-tool lookup a b", "git config -l", "git remote -v", "crictl inspect x", "nerdctl inspect web", "buildah inspect x",
	}
	for _, program := range []string{"docker", "podman"} {
		commands = append(commands, program+" inspect web", program+" container inspect web", program+" inspect web db", program+" inspect $(docker ps -q)")
		for _, template := range []string{
			"{{.Config.Env}}", "{{json .Config.Env}}", "{{json .Config}}", "{{.Config}}", "{{.}}", "{{json .}}", "{{ . }}", "{{range .Config.Env}}{{.}}{{end}}", "{{with .Config}}{{.Env}}{{end}}",
			"{{index .Config \"Env\"}}", "{{(.Config).Env}}", "{{.State.Status}}{{.Config.Env}}", "{{$x := .Config}}{{$x.Env}}", "{{println .Config.Env}}", "{{.Config.Labels}}", "{{.Args}}", "{{.Config.Cmd}}",
			"{{.HostConfig}}", "{{json .HostConfig.LogConfig}}", "{{.State.Status | printf \"%s\"}}", "{{.State.Status}", "{{/* x */}}{{.Config.Env}}", "json", "", "plain", "{{.State.Status}}}}", "{{ json  .Config.Env }}",
			"{{.Config.Env", "{{template \"x\"}}", "{{.ContainerConfig}}", "{{.Options}}", "{{.CreatedBy}}", "{{- .Config.Env -}}",
		} {
			commands = append(commands, program+" inspect --format '"+template+"' web", program+" inspect -f '"+template+"' web",
				program+" inspect --format='"+template+"' --format '{{.Id}}' web", program+" inspect --format '{{.Id}}' -f '"+template+"' web")
		}
		commands = append(commands, program+` inspect -f "$t" web`, program+` inspect -f "{{.$x}}" web`)
	}
	c := testChecker()
	for _, command := range commands {
		require.Equal(t, Confirm, c.Judge(command).Class, command)
	}
}

// TestS4ListedFieldsOfContainersAreRead: states, addresses and sizes are SAFE.
func TestS4ListedFieldsOfContainersAreRead(t *testing.T) {
	c := testChecker()
	for _, command := range []string{
		"docker inspect -f '{{.State.Status}}' web", "docker inspect --format '{{json .NetworkSettings.Ports}}' web | jq", "podman inspect --format='{{.State.Running}} since {{.State.StartedAt}}' web db",
		"docker inspect -f '{{ .Name }}: {{- .RestartCount }}' web", "docker inspect -f '{{json .State}}' web", "docker image inspect -f '{{.Size}}' nginx", "docker volume inspect -f '{{.Mountpoint}}' data",
		"docker history --format '{{.ID}} {{.Size}}' nginx", "docker network inspect bridge", "docker container inspect -f '{{.HostConfig.RestartPolicy.Name}}' web",
		"kubectl get svc -n default -o yaml", "kubectl get pods -o wide", "kubectl get pods", "kubectl describe node n1", "kubectl get nodes -o json", "docker ps --format '{{.Names}}'",
	} {
		v := c.Judge(command)
		require.Equal(t, Safe, v.Class, "%q: %v", command, v.Reasons)
	}
}

// TestS4TokenFilesOfToolsAreSecrets: none of them is printed without a confirmation, in any home and by any
// program.
func TestS4TokenFilesOfToolsAreSecrets(t *testing.T) {
	c := testChecker()
	for _, file := range []string{
		".composer/auth.json", ".config/composer/auth.json", "work/auth.json", ".npmrc", ".yarnrc.yml", ".config/pnpm/rc", ".bunfig.toml", ".pypirc", ".config/pip/pip.conf", ".config/pypoetry/auth.toml",
		".cargo/credentials.toml", ".gem/credentials", ".bundle/config", ".nuget/NuGet/NuGet.Config", ".condarc", ".config/gh/hosts.yml", ".config/hub", ".config/glab-cli/config.yml", ".config/tea/config.yml",
		".git-credentials", ".gitcookies", ".subversion/auth/svn.simple/a", ".aws/credentials", ".azure/msal_token_cache.json", ".config/gcloud/credentials.db", ".config/doctl/config.yaml", ".config/scw/config.yaml",
		".terraformrc", ".terraform.d/credentials.tfrc.json", "infra/prod.tfvars", ".config/helm/registry/config.json", ".kube/config", ".docker/config.json", ".config/rclone/rclone.conf", ".rclone.conf",
		".config/restic/pw", ".config/borg/keys/x", ".config/borgmatic/config.yaml", ".msmtprc", ".muttrc", ".neomuttrc", ".config/himalaya/config.toml", ".fetchmailrc", ".irssi/config", ".config/irssi/config",
		".weechat/sec.conf", ".local/share/weechat/logs/x", ".znc/configs/znc.conf", ".config/wireguard/wg0.conf", ".config/openvpn/a.conf", ".local/share/kwalletd/kdewallet.kwl", ".local/share/keyrings/login.keyring",
		".mozilla/firefox/a/prefs.js", ".config/chromium/Default/Preferences", ".config/helium/Default/Cookies", ".config/discord/Local Storage/x", ".config/Signal/config.json", ".config/legcord/x",
		".local/share/TelegramDesktop/tdata/x", ".config/Element/x", ".config/Postman/x", ".local/share/DBeaverData/x", ".config/rbw/config.json", ".lpass/x", ".putty/sessions/x", ".config/solana/id.json",
		".config/clash/config.yaml", ".config/v2ray/config.json", ".databrickscfg", ".sentryclirc", ".android/adbkey", ".minecraft/launcher_accounts.json", ".cursor/mcp.json", ".near-credentials/x",
	} {
		for _, command := range []string{"cat ~/'" + file + "'", "head -n 3 '/home/blu/" + file + "'", "grep -i token '/home/other/" + file + "'"} {
			require.NotEqual(t, Safe, c.Judge(command).Class, command)
		}
	}
	for _, file := range []string{
		"/etc/NetworkManager/system-connections/home.nmconnection", "/etc/wireguard/wg0.conf", "/etc/openvpn/client/a.conf", "/etc/v2ray/config.json", "/etc/restic/env", "/etc/cups/printers.conf",
		"/etc/postfix/sasl_passwd", "/etc/borgmatic/config.yaml", "/var/lib/gitea/x", "/etc/grafana.ini", "/etc/stunnel/psk.txt",
	} {
		require.NotEqual(t, Safe, c.Judge("cat "+file).Class, file)
	}
}
