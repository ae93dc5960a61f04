# The gateway's units, run as an ordinary user with a real user manager: $BIN has
# the programs, $STATIC the gateway and the probe as shipped, $UNITS the unit
# files.
set -eu # no pipefail: grep -q ends its writer early
export PATH="$BIN:$PATH"
U="$HOME/.config/systemd/user"
C="$HOME/.config/blunux-ai"
R="$XDG_RUNTIME_DIR/blunux-ai-bridges"
address=127.0.0.1:18789
fail() { echo "FAILED: $*"; journalctl --user --no-pager -n 80; exit 1; }
is() { [ "$(systemctl --user show -p ActiveState --value "$1")" = "$2" ]; }
answers() { [ "$("$STATIC/probe" rpc "$address" "$token" hello)" = 'hello yourself' ]; }
mkdir -p "$U/blunux-ai-gateway.service.d" "$C"
chmod 700 "$C"
cp "$UNITS"/*.service "$UNITS"/*.socket "$U/"
# The programs of this test are in a directory that the unit hides, and nobody waits five minutes.
printf '[Service]\nBindReadOnlyPaths=%s\nEnvironment=BLUNUX_AI_GATEWAY_IDLE=300ms\n' "$STATIC" >"$U/blunux-ai-gateway.service.d/test.conf"
printf '[ai_agent]\nprovider = "scripted:%s"\n' "$HOME/plot.toml" >"$C/config.toml"
printf 'loop = true\n[[step]]\ntext = "hello yourself"\n' >"$HOME/plot.toml"
systemctl --user daemon-reload
systemctl --user enable --now blunux-ai-agent.socket 2>/dev/null

# 1. Off without a token.
code=0; out=$(blunux-aictl gateway start 2>&1) || code=$?
[ $code = 78 ] || fail "started without a token: $code"
echo "$out" | grep -q 'gateway token add' || fail "no advice: $out"
systemctl --user start blunux-ai-gateway.socket
is blunux-ai-gateway.socket inactive || fail "listens without a token"

# 2. The page needs no token. Its link opens one session, which ends with the gateway.
post() {
	bash -c 'exec 3<>/dev/tcp/127.0.0.1/18789
	printf "POST /page/session HTTP/1.1\r\nHost: $2\r\nOrigin: http://$2\r\nContent-Length: ${#1}\r\n\r\n$1" >&3
	head -n 1 <&3' post "${1#*#}" "$address"
}
link=$(blunux-aictl page --print 2>/dev/null)
case "$link" in "http://$address/page#"*) ;; *) fail "no link: $link" ;; esac
is blunux-ai-gateway.socket active || fail "the page is not there"
is blunux-ai-gateway.service inactive || fail "the gateway runs before the link is opened"
post "$link" | grep -q ' 200 ' || fail "the link does not open: $(post "$link")"
post "$link" | grep -q ' 401 ' || fail "the link opens twice"
blunux-aictl gateway token list | grep -q '^page-.* approve ' || fail "the session is not listed"
until_ok is blunux-ai-gateway.service inactive || fail "it does not end without the page"
blunux-aictl gateway stop >/dev/null
[ ! -e "$C/gateway/tokens.json" ] || fail "the session outlives the gateway"
is blunux-ai-gateway.socket inactive || fail "still listening"

# 3. With one, the socket listens and nothing runs.
token=$(blunux-aictl gateway token add phone --scope write 2>/dev/null)
[ "$(stat -c %a "$C/gateway/tokens.json")" = 600 ] || fail "the tokens are open to others"
blunux-aictl gateway start | grep -q "$address" || fail "not started"
is blunux-ai-gateway.socket active || fail "not listening"
is blunux-ai-gateway.service inactive || fail "the gateway runs unasked"
is blunux-ai-agent.service inactive || fail "the daemon runs unasked"
blunux-aictl gateway status | grep -q "$address" || fail "no status"

# 4. A client starts both. Unused, the gateway ends; killed, the next client starts another.
answers || fail "no answer"
[ "$(stat -c '%a %F' "$R/gateway/socket")" = '600 socket' ] || fail "the daemon's socket is open to others"
until_ok is blunux-ai-gateway.service inactive || fail "it does not end"
answers || fail "no answer of the next one"
printf '[Service]\nEnvironment=BLUNUX_AI_GATEWAY_IDLE=5m\n' >>"$U/blunux-ai-gateway.service.d/test.conf"
systemctl --user daemon-reload
until_ok is blunux-ai-gateway.service inactive || fail "it does not end"
answers || fail "no answer"
is blunux-ai-gateway.service active || fail "it ended early"
blunux-aictl gateway status --json | grep -q '"listening":true,"running":true' || fail "not running? $(blunux-aictl gateway status --json)"
systemctl --user kill -s KILL blunux-ai-gateway.service
until_ok answers || fail "no answer after a kill"
! "$STATIC/probe" rpc "$address" "${token}x" hello 2>/dev/null || fail "any token will do"

# 5. Another address of the settings.
printf '[gateway]\nhost = "::1"\nport = 28789\n' >>"$C/config.toml"
address='[::1]:28789'
if [ -e /proc/net/if_inet6 ]; then
	blunux-aictl gateway restart | grep -qF "$address" || fail "not restarted"
	answers || fail "no answer at the other address"
fi
sed -i '/^\[gateway\]/,$d' "$C/config.toml"
address=127.0.0.1:18789
blunux-aictl gateway restart >/dev/null
[ ! -e "$U/blunux-ai-gateway.socket.d/50-address.conf" ] || fail "the drop-in stays"
answers || fail "no answer at the usual address"

# 6. Without its last token the running gateway serves nobody, and is turned off.
blunux-aictl gateway token remove phone >/dev/null
! answers 2>/dev/null || fail "a removed token works"
is blunux-ai-gateway.socket active || fail "the socket failed"
blunux-aictl gateway stop >/dev/null
is blunux-ai-gateway.socket inactive || fail "still listening"
is blunux-ai-gateway.service inactive || fail "still running"
! blunux-aictl gateway status >/dev/null 2>&1 || fail "the status says it is on"

# 7. Its unit, with private files around it.
blunux-aictl gateway token add phone >/dev/null 2>&1
mkdir -p "$C"/credentials "$C"/conf.d "$C"/sessions "$C"/logs "$C"/memory "$C"/telegram "$HOME/.ssh"
for f in "$C/credentials/anthropic" "$C/conf.d/50-setup.toml" "$C/sessions/probe" "$C/logs/probe" "$C/memory/USER.md" "$HOME/.ssh/id_ed25519" "$HOME/document" "$C/telegram/token"; do
	echo secret >"$f"
done
sed "s|^ExecStart=.*|ExecStart=$STATIC/probe bridge gateway|; s|^ExecPaths=.*|ExecPaths=$STATIC/probe|" "$UNITS/blunux-ai-gateway.service" >"$U/blunux-ai-gateway.service"
systemctl --user daemon-reload
systemctl --user start blunux-ai-gateway.service || fail "the probe does not start"
until_ok is blunux-ai-gateway.service inactive || fail "the probe does not end: $(systemctl --user status blunux-ai-gateway.service)"
until_ok sh -c "journalctl --user --no-pager -o cat -u blunux-ai-gateway.service | grep -q 'as it should be: connect to the daemon: <nil>'" || fail "nothing in the journal"
! journalctl --user --no-pager -o cat -u blunux-ai-gateway.service | grep "NOT AS IT SHOULD BE" || fail "it protects too little, or too much"
cp "$UNITS/blunux-ai-gateway.service" "$U/"
systemctl --user daemon-reload
figure=$(systemd-analyze --user security --no-pager blunux-ai-gateway.service | sed -n 's/.*exposure level for [^:]*: \([0-9.]*\).*/\1/p')
echo "exposure of blunux-ai-gateway: $figure"
awk "BEGIN { exit !($figure > 0 && $figure <= 2.0) }" || fail "it is exposed: $figure"
echo "story complete"
