# Every directive of the daemon's unit is effective and changes no answers; run
# as an ordinary user with a real user manager: $BIN has the programs, $UNITS
# the unit files.
set -eu # no pipefail: grep -q ends its writer early
export PATH="$BIN:$PATH"
U="$HOME/.config/systemd/user"
fail() { echo "FAILED: $*"; journalctl --user --no-pager -n 40; exit 1; }
mkdir -p "$U" "$HOME/.config/blunux-ai"
chmod 700 "$HOME/.config/blunux-ai"
cp "$UNITS"/*.service "$UNITS"/*.socket "$U/"

# 1. What each directive forbids works in a bare unit, fails in one with only
# that
#    directive, and fails in the daemon's unit.
own() { # own NAME PROBE: the daemon's unit with a probe instead of the daemon
	sed -E '/^(Requires|After|Sockets|ExecReload|Restart|RestartSec|WatchdogSec|WantedBy|Also)=|^\[Install\]/d; s/^Type=.*/Type=oneshot/' \
		"$UNITS/blunux-ai-agent.service" | sed "s|^ExecStart=.*|ExecStart=$BIN/probe $2|" >"$U/$1.service"
	systemctl --user daemon-reload
	systemctl --user start "$1.service"
}
bare() { systemd-run --user --wait --quiet --collect "$@" >/dev/null 2>&1; }
directives=$(sed -n '/^UMask=/,/^SystemCallFilter=~/s/^\([A-Za-z]*\)=.*/\1/p' "$UNITS/blunux-ai-agent.service" | sort -u)
[ "$(echo "$directives" | wc -l)" -ge 10 ] || fail "which directives? $directives"
for d in $directives; do
	alone=()
	while IFS= read -r line; do alone+=(-p "$line"); done < <(grep "^$d=" "$UNITS/blunux-ai-agent.service")
	case $d in
	SystemCallErrorNumber) continue ;; # it sets the filter's error: no probe shows it
	SystemCallFilter) alone+=(-p SystemCallErrorNumber=EPERM) ;;
	esac
	code=0; bare "$BIN/probe" "$d" || code=$?
	[ $code != 77 ] || { echo "not on this machine: $d"; continue; }
	[ $code = 0 ] || fail "$d: the probe does not even work in a bare unit ($code)"
	! bare "${alone[@]}" "$BIN/probe" "$d" || fail "$d does nothing"
	! own "probe-${d,,}" "$d" 2>/dev/null || fail "$d does nothing in the daemon's unit"
	[ "$(systemctl --user show -p ExecMainStatus --value "probe-${d,,}.service")" = 1 ] || fail "$d: not refused but broken: $(systemctl --user status "probe-${d,,}.service")"
	systemctl --user reset-failed "probe-${d,,}.service"
done
own probe-sandbox sandbox || fail "the sandbox's namespaces are not let through"

# 2. Directives that a user's service manager cannot apply, or ignores silently,
#    and that are therefore not in the unit.
for p in PrivateDevices=yes ProtectClock=yes ProtectKernelLogs=yes ProtectKernelModules=yes CapabilityBoundingSet=; do
	! bare -p "$p" true || echo "note: $p works here"
done
for p in ProtectSystem=strict ProtectKernelTunables=yes PrivateTmp=yes; do
	! bare -p "$p" "$BIN/probe" write || echo "note: $p alone does nothing here"
done
rm -f /var/tmp/blunux-ai-probe

# 3. The daemon in its unit: the strongest sandbox, and the same answers.
plot() { printf '[[step]]\nuser = "%s"\n[[step.tool]]\nname = "run_command"\ninput = { command = "%s" }\n[[step]]\ntext = "told"\n' "$1" "$2" >>"$HOME/plot.toml"; }
i=0
while IFS= read -r command; do
	plot "question$i" "$command"; i=$((i + 1))
done <<'Q'
df --output=source,fstype,size,target /
ps -o user,comm -C dbus-daemon,python3
ls -l /etc/passwd ~/mine
cat ~/mine
find /etc/passwd -user root
journalctl --user --no-pager -n 1 -o cat -t marked
systemctl --user show -p ActiveState blunux-ai-agent.socket
nmcli general status
ss -Htlpn sport = 8099
fuser -v ~/mine
ip -br addr
lsblk -n -o NAME
pacman -Q
java -version
Q
printf '[ai_agent]\nprovider = "scripted:%s"\n' "$HOME/plot.toml" >"$HOME/.config/blunux-ai/config.toml"
echo mine >"$HOME/mine"
systemd-cat -t marked echo marked
python3 -m http.server 8099 --bind 127.0.0.1 >/dev/null 2>&1 <"$HOME/mine" & server=$!
trap 'kill $server' EXIT
until_ok sh -c 'ss -Htln sport = 8099 | grep -q 8099' || fail "nobody listens"
# answers FILE: the commands' output, with a daemon started by its unit.
answers() {
	rm -rf "$HOME/.config/blunux-ai/sessions"
	systemctl --user restart blunux-ai-agent.socket
	blunux-aictl status | sed -n 's/^ *sandbox *//p' >"$1"
	for n in $(seq 0 $((i - 1))); do blunux-aictl ask "question$n" 2>&1 </dev/null | grep -qx told || fail "question$n is not answered: $(blunux-aictl log | tail -1)"; done
	grep -ho '"steps":\[[^]]*\]' "$HOME"/.config/blunux-ai/sessions/*.jsonl | sed -E 's/"(ms|took)":[0-9]+//g' >>"$1"
	systemctl --user stop blunux-ai-agent.socket blunux-ai-agent.service
}
systemctl --user daemon-reload
answers "$HOME/hardened"
grep -q '^namespaces + landlock [0-9]* + seccomp$' "$HOME/hardened" || fail "not the strongest sandbox: $(head -1 "$HOME/hardened")"
mkdir "$U/blunux-ai-agent.service.d"
cat >"$U/blunux-ai-agent.service.d/bare.conf" <<'D'
[Service]
NoNewPrivileges=no
LockPersonality=no
RestrictRealtime=no
RestrictSUIDSGID=no
RestrictNamespaces=no
RestrictAddressFamilies=
SystemCallArchitectures=
SystemCallFilter=
UMask=0022
D
systemctl --user daemon-reload
answers "$HOME/bare"
cmp "$HOME/bare" "$HOME/hardened" || { diff "$HOME/bare" "$HOME/hardened"; fail "the unit changes answers"; }
grep -q '8099.*python3' "$HOME/hardened" || fail "no process names: $(cat "$HOME/hardened")"

# 4. Why PrivateUsers=, without which files are not protected, is not used: with
#    it files are protected, but answers are wrong.
cat >"$U/blunux-ai-agent.service.d/bare.conf" <<'D'
[Service]
PrivateUsers=yes
ProtectSystem=strict
ReadWritePaths=%E/blunux-ai %t
ProtectHome=read-only
D
systemctl --user daemon-reload
! bare -p PrivateUsers=yes -p ProtectSystem=strict "$BIN/probe" write || fail "PrivateUsers= does not make ProtectSystem= work"
answers "$HOME/strict"
head -1 "$HOME/strict" | grep -q namespaces || fail "no sandbox: $(head -1 "$HOME/strict")"
grep -q 'nobody' "$HOME/strict" || fail "owners are shown with PrivateUsers=: it can be used now"
! grep -q '8099.*python3' "$HOME/strict" || fail "ss names programs with PrivateUsers=: it can be used now"
echo "story complete"
