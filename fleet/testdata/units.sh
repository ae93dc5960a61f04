# The units under a real user manager, as an ordinary user: $BIN has the programs, $SYSTEMD and $FLEET the units.
set -eu
export PATH="$BIN:$PATH" BLUNUX_AI_AUTOMATIONS=off
waits() { blunux-fleet plan | sed -n "s/^\([A-Z2-7]\{6\}\)  .*/\1/p"; }
fail() { journalctl --user --no-pager -n 60; echo "FAILED: $*"; exit 1; }
until_ok() { for _ in $(seq 600); do "$@" >/dev/null 2>&1 && return 0; sleep 0.05; done; return 1; }
systemctl --user set-environment BLUNUX_AI_AUTOMATIONS=off
U=$HOME/.config/systemd/user; mkdir -p "$U"
for u in "$SYSTEMD"/blunux-ai-agent.service "$SYSTEMD"/blunux-ai-agent.socket "$SYSTEMD"/blunux-ai-bridges.socket "$SYSTEMD"/blunux-ai-gateway.s* "$FLEET"/*.service; do
	sed "s#/usr/bin/#$BIN/#g; s#/usr/lib/blunux-ai/#$BIN/#g; s#^RestartSec=.*#RestartSec=100ms#" "$u" >"$U/$(basename "$u")"
done
sed -i 's#leaf$#leaf --listen 127.0.0.1:7424#' "$U/blunux-fleet-leaf.service" # the server has its port here
for u in blunux-fleet blunux-fleet-leaf blunux-fleet-bridge blunux-ai-gateway; do # the programs of this test are in a directory that the units hide
	mkdir -p "$U/$u.service.d"
	printf '[Service]\nBindReadOnlyPaths=%s -/run/policy\n' "$BIN" >"$U/$u.service.d/bin.conf"
done
systemctl --user daemon-reload
systemctl --user enable --now blunux-ai-agent.socket blunux-ai-bridges.socket

# 1. The server starts, and the console on this computer reaches it.
systemctl --user start blunux-fleet.service
until_ok sh -c 'test -e "$HOME/.local/state/blunux-fleet/address" || test -e "$HOME/.config/blunux-fleet/address"' || fail "the server does not listen"
for d in "$HOME/.local/state/blunux-fleet" "$HOME/.config/blunux-fleet"; do [ ! -e "$d/address" ] || export BLUNUX_FLEET_DIR="$d"; done
[ "$(blunux-fleet pending)" = None. ] || fail "somebody waits"

# 2. A computer of no fleet does not start its bridge, and the command says what to do.
systemctl --user start blunux-fleet-bridge.service || fail "the bridge does not start"
[ "$(systemctl --user is-active blunux-fleet-bridge.service)" = inactive ] || fail "a bridge without a fleet runs"
blunux-aictl fleet >"$HOME/out" 2>&1 && fail "a status without a fleet" || [ $? = 78 ] || fail "not status 78"
grep -q "blunux-fleet-bridge join" "$HOME/out" || fail "no way to join: $(cat "$HOME/out")"

# 3. Somebody says no to the code, and then yes.
join() { rm -f "$HOME/join"; echo "$1" | timeout 120 blunux-aictl fleet join 127.0.0.1:7422 >"$HOME/join" 2>&1 & joining=$!; until_ok grep -q Code: "$HOME/join" || fail "no code"; }
code() { sed -n 's/^Code: //p' "$HOME/join"; }
join n; until_ok sh -c 'blunux-fleet pending | grep -q -- "$(sed -n "s/^Code: //p" "$HOME/join")"' || fail "the server shows another code"
blunux-fleet pair "$(code)" lab/pc-1 | grep -q lab/pc-1 || fail "not added"
wait $joining
grep -q "Not joined" "$HOME/join" || fail "joined after a no: $(cat "$HOME/join")"
blunux-fleet remove lab/pc-1 >/dev/null
join y; blunux-fleet pair "$(code)" lab/pc-1 -l room=2 >/dev/null || fail "not added again"
wait $joining
blunux-aictl fleet | grep -q "only the person in front" || fail "a console may approve without a policy"

# 4. The confined bridge starts the daemon by its socket and brings the answer; killed, it comes back.
systemctl --user start blunux-fleet-bridge.service || fail "the bridge does not start"
[ "$(systemctl --user is-active blunux-fleet-bridge.service)" = active ] || fail "the bridge does not run"
blunux-fleet ask -l room=2 "how much memory is free?" --wait 2m | grep -q "free -h" || fail "no answer"
blunux-fleet ask -l name=pc-1 --lang ko "메모리 얼마나 남았어?" --wait 2m | grep -q "free -h" || fail "no Korean answer"
blunux-fleet machines | grep -q "lab/pc-1  room=2" || fail "not in the list"
blunux-fleet policy | grep -q "lab/pc-1  nothing (only the person" || fail "no policy: $(blunux-fleet policy)"
blunux-fleet events | grep -q "lab/pc-1  ended: done" || fail "no events: $(blunux-fleet events)"
kill -KILL "$(systemctl --user show -p MainPID --value blunux-fleet-bridge.service)"
systemctl --user restart blunux-fleet.service
blunux-fleet ask "uptime?" --wait 2m >"$HOME/out" || :
until_ok sh -c 'blunux-fleet ask "how much memory is free?" --wait 20s | grep -q "free -h"' || fail "no answer after a kill: $(cat "$HOME/out")"
grep -q "SAFE        free -h" "$HOME/.config/blunux-ai/logs/commands.log" || fail "not logged"
blunux-aictl notifications --json | grep -q "asks this computer" || blunux-aictl notifications --json | grep -q "물어봐요" || echo "the desktop shows it elsewhere"

# 5. Root's policy is shown by the confined bridge, and applied by the daemon.
printf '[Service]\nExecStart=/usr/bin/sleep infinity\n' >"$U/demo.service"
systemctl --user daemon-reload
systemctl --user start demo.service
blunux-fleet ask "restart the user unit demo.service" --wait 1s >/dev/null
until_ok sh -c 'blunux-fleet plan | grep -q "restart.*demo"' || fail "nothing waits"
blunux-fleet approve "$(waits)" >"$HOME/out" 2>&1 && fail "approved without a policy"
grep -q "only the person in front" "$HOME/out" || fail "not refused by the policy: $(cat "$HOME/out")"
blunux-fleet reject "$(waits)"
systemctl --user set-environment BLUNUX_AI_FLEET_POLICY=/run/policy/fleet.toml
systemctl --user restart blunux-ai-agent.service blunux-fleet-bridge.service
until_ok sh -c 'blunux-fleet policy | grep -q manage_service' || fail "the policy is not shown: $(blunux-fleet policy)"
blunux-fleet ask "restart the user unit demo.service" --wait 1s >/dev/null
until_ok sh -c 'blunux-fleet plan | grep -q "restart.*demo"' || fail "nothing waits"
blunux-fleet plan "$(waits)" | grep -q "lab/pc-1  code" || fail "no details: $(blunux-fleet plan "$(waits)")"
before=$(systemctl --user show -p MainPID --value demo.service)
blunux-fleet approve "$(waits)" >"$HOME/out" 2>&1 || fail "not approved: $(cat "$HOME/out")"
grep -q "lab/pc-1: done" "$HOME/out" || fail "not done: $(cat "$HOME/out")"
[ "$(systemctl --user show -p MainPID --value demo.service)" != "$before" ] || fail "not restarted"

# 6. The confined gateway shows the fleet to the page, also when the server was killed and started again.
socket=$XDG_RUNTIME_DIR/blunux-fleet/overview.sock
[ "$(stat -c '%a %F' "$socket")" = '600 socket' ] || fail "the server's socket is open to others, or not there"
blunux-aictl gateway token add story --scope read >/dev/null 2>&1
blunux-aictl gateway start >/dev/null || fail "the gateway does not start"
shown() { blunux-aictl call fleet.show >"$HOME/shown" 2>&1 && grep -q '"name":"lab/pc-1"' "$HOME/shown"; }
until_ok shown || fail "the gateway does not show the fleet: $(cat "$HOME/shown")"
grep -q '"text":"how much memory is free?"' "$HOME/shown" || fail "no questions: $(cat "$HOME/shown")"
grep -q '"count":1,"done":1,"state":"done"' "$HOME/shown" || fail "no roll-out: $(cat "$HOME/shown")"
gateway=$(systemctl --user show -p MainPID --value blunux-ai-gateway.service)
! nsenter -t "$gateway" -U -m --preserve-credentials test -w "$(dirname "$socket")" 2>/dev/null || fail "the gateway can replace the socket"
systemctl --user kill -s KILL blunux-fleet.service
until_ok shown || fail "not shown after a kill: $(cat "$HOME/shown")"
systemctl --user stop blunux-fleet.service
blunux-aictl call fleet.show | grep -q '"result":null' || fail "a fleet without a server: $(blunux-aictl call fleet.show)"
systemctl --user start blunux-fleet.service
until_ok shown || fail "not shown after a restart: $(cat "$HOME/shown")"
[ "$(systemctl --user show -p MainPID --value blunux-ai-gateway.service)" = "$gateway" ] || fail "the gateway has ended"
blunux-aictl gateway stop >/dev/null

# 7. The bridge reaches nothing else: no key, no other socket.
pid=$(systemctl --user show -p MainPID --value blunux-fleet-bridge.service)
for path in "$HOME/.config/blunux-ai/credentials" "$XDG_RUNTIME_DIR/blunux-ai.sock" "$XDG_RUNTIME_DIR/bus" "$XDG_RUNTIME_DIR/blunux-ai-bridges/gateway/socket" "$XDG_RUNTIME_DIR/blunux-fleet" "$HOME/.bashrc"; do
	! nsenter -t "$pid" -U -m --preserve-credentials test -e "$path" 2>/dev/null || fail "the bridge sees $path"
done

# 8. A leaf server joins, starts, and takes a computer of its site.
systemctl --user start blunux-fleet-leaf.service || fail "the leaf server's unit does not start"
[ "$(systemctl --user is-active blunux-fleet-leaf.service)" = inactive ] || fail "a leaf server without a server runs"
blunux-fleet leaf 2>&1 | grep -q "blunux-fleet leaf join" || fail "no way to join"
rm -f "$HOME/join"
echo y | timeout 120 blunux-fleet leaf join 127.0.0.1:7422 >"$HOME/join" 2>&1 & joining=$!
until_ok grep -q Code: "$HOME/join" || fail "no code of the leaf server: $(cat "$HOME/join")"
until_ok sh -c 'blunux-fleet pending | grep -q "$(sed -n "s/^Code: //p" "$HOME/join").*a leaf server"' || fail "the server shows another code"
blunux-fleet pair "$(code)" annex/pc-1 2>&1 | grep -q "as SITE" || fail "a leaf server got a computer's name"
blunux-fleet pair "$(code)" annex | grep -q "Added annex" || fail "the leaf server is not added"
wait $joining
grep -q "Joined as the leaf server of annex" "$HOME/join" || fail "not joined: $(cat "$HOME/join")"
systemctl --user start blunux-fleet-leaf.service
[ "$(systemctl --user is-active blunux-fleet-leaf.service)" = active ] || fail "the leaf server does not run"
until_ok sh -c 'blunux-fleet machines | grep "annex  leaf server" | grep -vq "not since"' || fail "not in the list: $(blunux-fleet machines)"
until_ok bash -c 'exec 3<>/dev/tcp/127.0.0.1/7424' || fail "it does not listen"
mkdir -p "$HOME/other"; rm -f "$HOME/join"
echo y | BLUNUX_AI_HOME="$HOME/other" timeout 120 blunux-fleet-bridge join 127.0.0.1:7424 >"$HOME/join" 2>&1 & joining=$!
until_ok grep -q Code: "$HOME/join" || fail "no code behind the leaf server: $(cat "$HOME/join")"
blunux-fleet pending | grep -q "$(code).*annex/NAME" || fail "the server shows another code: $(blunux-fleet pending)"
blunux-fleet pair "$(code)" annex/pc-1 | grep -q annex/pc-1 || fail "not added behind the leaf server"
wait $joining
grep -q "Joined as annex/pc-1" "$HOME/join" || fail "not joined behind the leaf server: $(cat "$HOME/join")"
blunux-fleet remove annex | grep -q "Removed annex" || fail "the leaf server is not removed"
! blunux-fleet machines | grep -q "leaf server" || fail "it is still in the list"
systemctl --user stop blunux-fleet-leaf.service

# 9. Not now, and leaving.
blunux-aictl fleet not-now 1h | grep -q "Questions wait" || fail "not postponed"
blunux-aictl fleet not-now off >/dev/null
blunux-aictl fleet leave | grep -q "deleted its key" || fail "not left"
systemctl --user restart blunux-fleet-bridge.service
[ "$(systemctl --user is-active blunux-fleet-bridge.service)" = inactive ] || fail "it runs after leaving"
echo "story complete"
