# Run as an ordinary user with a real user manager: $BIN has the programs,
# $UNITS the unit files.
set -eu # no pipefail: grep -q ends its writer early
export PATH="$BIN:$PATH" XDG_STATE_HOME="$HOME/.local/state"
fail() { echo "FAILED: $*"; journalctl --user --no-pager -n 50; exit 1; }
journal() { journalctl --user --no-pager -u blunux-ai-agent.service "$@"; }

mkdir -p "$HOME/.config/systemd/user"
cp "$UNITS"/*.service "$UNITS"/*.socket "$HOME/.config/systemd/user/"
systemctl --user daemon-reload

# 1. The socket alone is enabled; nothing runs.
systemctl --user enable --now blunux-ai-agent.socket
[ "$(systemctl --user is-active blunux-ai-agent.socket)" = active ] || fail "the socket is not active"
[ "$(systemctl --user is-active blunux-ai-agent.service || true)" = inactive ] || fail "the daemon runs unasked"
[ "$(stat -c %a "$XDG_RUNTIME_DIR/blunux-ai.sock")" = 600 ] || fail "the socket is open to others"

# 2. A question starts the daemon, in both languages.
blunux-aictl ask "disk full?" | grep -q % || fail "no answer"
blunux-aictl ask "디스크 용량 얼마나 남았어?" | grep -q 남음 || fail "no Korean answer"
[ "$(systemctl --user show -p ActiveState --value blunux-ai-agent.service)" = active ] || fail "not READY"
systemctl --user show -p StatusText --value blunux-ai-agent.service | grep -q "serving.*blunux-ai.sock" || fail "no status text"
blunux-aictl status | grep -q "after 10m" || fail "an activated daemon exits when idle"
blunux-aictl status | grep -q "sandbox .*landlock.*seccomp" || fail "no sandbox"
blunux-aictl log | grep -q "SAFE        df -h" || fail "not logged"

# 3. The journal contains its lines, with fields.
until_ok sh -c 'journalctl --user --no-pager -u blunux-ai-agent.service | grep -q "tool call"' || fail "nothing in the journal"
journal -o json | grep '"TOOL":"check_disk"' | grep '"CLASS":"SAFE"' | grep '"CHANNEL":"cli"' | grep '"SESSION":"agent:main' | grep -q '"TASK":"t' || fail "no fields in the journal"
blunux-aictl status --json | grep -q '"to":"journal","level":"info"' || fail "status does not say where the log goes"
grep -q "DBG round " "$HOME"/.config/blunux-ai/logs/blunux-ai.log.* || fail "no file of the day"
journal | grep -q ready || fail "no ready line"

# 4. Killed: a new daemon answers the next question.
old=$(systemctl --user show -p MainPID --value blunux-ai-agent.service)
kill -9 "$old"
blunux-aictl ask "disk full?" | grep -q % || fail "no answer after a kill"
new=$(systemctl --user show -p MainPID --value blunux-ai-agent.service)
[ "$old" != "$new" ] || fail "the same process?"

# 5. Reload: a wrong configuration is rejected and the good one kept.
mkdir -p "$HOME/.config/blunux-ai"
printf '[ai_agent]\nnonsense = 1\n' > "$HOME/.config/blunux-ai/config.toml"
systemctl --user reload blunux-ai-agent.service
until_ok sh -c 'blunux-aictl status | grep -q "config.toml:2:1: unknown key"' || fail "status does not tell the bad configuration"
blunux-aictl ask "disk full?" | grep -q % || fail "the last good configuration is gone"
rm "$HOME/.config/blunux-ai/config.toml"
systemctl --user reload blunux-ai-agent.service
until_ok sh -c '! blunux-aictl status --json | grep -q config_error' || fail "status still tells the mended configuration"

# 5b. A changed file takes effect by itself; a mistake is reported once, with
# its
#     position in the journal and beside the unit.
printf '[limits]\nrounds = "many"\n' > "$HOME/.config/blunux-ai/config.toml"
until_ok sh -c 'blunux-aictl status --json | grep -q "config.toml\",\"line\":2"' || fail "a changed file is not noticed"
until_ok sh -c 'systemctl --user show -p StatusText --value blunux-ai-agent.service | grep -q "config.toml:2:"' || fail "not told beside the unit"
systemctl --user reload blunux-ai-agent.service
until_ok sh -c 'journalctl --user -o json --no-pager -u blunux-ai-agent.service | grep "cannot use the configuration: .*config.toml:2:.*rounds" | grep -q "\"LINE\":\"2\""' || fail "no place in the journal"
[ "$(journal | grep -c "cannot use the configuration: .*config.toml:2:.*rounds")" = 1 ] || fail "told more than once"
rm "$HOME/.config/blunux-ai/config.toml"
until_ok sh -c '! blunux-aictl status --json | grep -q config_error' || fail "status still tells the mended file"

# 5c. A followed log neither prevents a stop of the daemon nor restarts it, and
#     misses no line.
blunux-aictl log -f -n 1 > "$HOME/followed" 2> "$HOME/followed.err" & follower=$!
until_ok grep -q SAFE "$HOME/followed" || fail "nothing followed"
systemctl --user stop blunux-ai-agent.service
until_ok grep -q "The log continues when the background service is back" "$HOME/followed.err" || fail "the follower does not say that the daemon went"
sleep 1
[ "$(systemctl --user is-active blunux-ai-agent.service || true)" = inactive ] || fail "the follower started the daemon"
if blunux-aictl status --no-start > "$HOME/none"; then fail "a status without a daemon"; else [ $? = 3 ] || fail "not status 3"; fi
grep -q "not running" "$HOME/none" || fail "status does not say that none runs"
[ "$(systemctl --user is-active blunux-ai-agent.service || true)" = inactive ] || fail "status --no-start started the daemon"
blunux-aictl ask "how much memory is free?" | grep -q free || fail "no answer after a stop"
until_ok grep -q "SAFE *free -h$" "$HOME/followed" || fail "the follower missed a line"
kill "$follower"; wait "$follower" || true

# 6. The watchdog ends a hung daemon, which is restarted; a live one feeds it.
systemctl --user show -p WatchdogUSec --value blunux-ai-agent.service | grep -q 1min || fail "no watchdog"
drop="$HOME/.config/systemd/user/blunux-ai-agent.service.d"
mkdir -p "$drop"
printf '[Service]\nWatchdogSec=1s\n' > "$drop/watchdog.conf"
systemctl --user daemon-reload
systemctl --user restart blunux-ai-agent.service
pid=$(systemctl --user show -p MainPID --value blunux-ai-agent.service)
sleep 2
[ "$(systemctl --user show -p MainPID --value blunux-ai-agent.service)" = "$pid" ] || fail "a live daemon does not feed its watchdog"
kill -STOP "$pid"
until_ok sh -c '[ "$(systemctl --user show -p NRestarts --value blunux-ai-agent.service)" -ge 1 ]' || fail "a hung daemon is not restarted"
blunux-aictl ask "disk full?" | grep -q % || fail "no answer after the watchdog"
rm -r "$drop"
systemctl --user daemon-reload
systemctl --user restart blunux-ai-agent.service
pid=$(systemctl --user show -p MainPID --value blunux-ai-agent.service)

# 7. A clean stop: no failure, no processes, and the socket stays.
systemctl --user stop blunux-ai-agent.service
[ "$(systemctl --user show -p Result --value blunux-ai-agent.service)" = success ] || fail "not a clean stop"
! kill -0 "$pid" 2>/dev/null || fail "still running"
[ "$(systemctl --user is-active blunux-ai-agent.socket)" = active ] || fail "the socket went with it"
blunux-aictl ask "disk full?" | grep -q % || fail "not activated again"

# 8. Without the socket unit the client starts the daemon itself, and says so if
#    it cannot.
systemctl --user stop blunux-ai-agent.socket blunux-ai-agent.service
blunux-aictl ask "disk full?" | grep -q % || fail "the client does not start the unit"
[ "$(systemctl --user is-active blunux-ai-agent.socket)" = active ] || fail "started without the unit"

# 9. A socket that is neither the daemon's nor a bridge's is not served, and a
#    warning is logged.
systemctl --user stop blunux-ai-agent.socket blunux-ai-agent.service
systemd-socket-activate -l "$XDG_RUNTIME_DIR/a.sock" -l "$XDG_RUNTIME_DIR/b.sock" "$BIN/blunux-ai" daemon 2>"$HOME/two.err" & two=$!
until_ok test -S "$XDG_RUNTIME_DIR/b.sock"
BLUNUX_AI_SOCK="$XDG_RUNTIME_DIR/a.sock" timeout $PATIENCE blunux-aictl status >/dev/null || { cat "$HOME/two.err"; fail "the first of two sockets is not served"; }
grep -q "unknown unit socket ignored.*b.sock" "$HOME/two.err" || { cat "$HOME/two.err"; fail "a second socket is ignored without a warning"; }
kill "$two"
wait "$two" || true

# 10. daemon stop turns everything off that starts it, and daemon start on again.
cp "$UNITS"/*.timer "$UNITS"/*.path "$HOME/.config/systemd/user/"
systemctl --user daemon-reload
blunux-aictl daemon start || fail "cannot be turned on"
all="blunux-ai-agent.socket blunux-ai-bridges.socket blunux-ai-agent.timer blunux-ai-agent.path"
for u in $all; do
	[ "$(systemctl --user is-active $u) $(systemctl --user is-enabled $u)" = "active enabled" ] || fail "$u is not on"
done
blunux-aictl daemon status | grep -q running || fail "no status"
old=$(systemctl --user show -p MainPID --value blunux-ai-agent.service)
blunux-aictl daemon restart
new=$(systemctl --user show -p MainPID --value blunux-ai-agent.service)
[ "$new" != 0 ] && [ "$new" != "$old" ] || fail "not restarted: $old $new"
blunux-aictl daemon stop | grep -q "blunux-aictl daemon start" || fail "does not say how to start it"
for u in $all blunux-ai-agent.service; do
	[ "$(systemctl --user is-active $u || true)" = inactive ] || fail "$u is still on"
	[ "$(systemctl --user is-enabled $u || true)" != enabled ] || fail "$u comes back with the next login"
done
[ ! -e "$XDG_RUNTIME_DIR/blunux-ai.sock" ] || fail "the socket is still there"
if blunux-aictl daemon status >/dev/null; then fail "a status without a daemon"; else [ $? = 3 ] || fail "not status 3"; fi
[ "$(systemctl --user is-active blunux-ai-agent.service || true)" = inactive ] || fail "daemon status started the daemon"
echo "story complete"
