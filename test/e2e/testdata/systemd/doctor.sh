# Run as an ordinary user with a real user manager: $BIN has the programs,
# $UNITS the unit files.
set -eu # no pipefail: grep -q ends its writer early
export PATH="$BIN:$PATH" XDG_STATE_HOME="$HOME/.local/state" LANG=C.UTF-8 TERM=xterm
fail() { echo "FAILED: $*"; cat "$HOME/seen" 2>/dev/null; exit 1; }
look() { "${DOCTOR:-blunux-ai}" doctor --lang en > "$HOME/seen" || true; }
seen() { grep -qE -- "$1" "$HOME/seen" || fail "doctor does not say: $1"; }
unit() { systemctl --user "$@" 2>/dev/null || true; }
# mend ANSWERS: --fix on a terminal where ANSWERS are typed.
mend() { printf "$1" | script -qec "${DOCTOR:-blunux-ai} doctor --fix --lang ${2:-en}" "$HOME/seen" >/dev/null || true; }
log="$HOME/.config/blunux-ai/logs/commands.log"

mkdir -p "$HOME/.config/systemd/user"
cp "$UNITS"/*.service "$UNITS"/*.socket "$UNITS"/*.timer "$UNITS"/*.path "$HOME/.config/systemd/user/"
systemctl --user daemon-reload

# 1. The socket is not enabled: reported with the command; not changed without a
#    yes; logged and then done after a yes.
look
seen "^warn +socket +The socket unit is not enabled .disabled."
seen "try: systemctl --user enable --now blunux-ai-agent.socket"
seen "^ok +service +The unit is installed"
[ "$(unit is-active blunux-ai-agent.socket)" = inactive ] || fail "looking started the socket"
mend 'n\nn\nn\n' ko
seen "그대로 뒀어요"
[ "$(unit is-enabled blunux-ai-agent.socket)" = disabled ] || fail "enabled without a yes"
mend '네\n네\n네\n' ko
seen "실행했어요"
[ "$(unit is-enabled blunux-ai-agent.socket)" = enabled ] || fail "not enabled"
[ "$(unit is-active blunux-ai-agent.socket)" = active ] || fail "not active"
grep -q "CONFIRMED   systemctl --user enable --now blunux-ai-agent.socket" "$log" || fail "not in the command log"
look
seen "^ok +socket +The socket is listening"
seen "^ok +daemon +The daemon is idle"
blunux-ai doctor --brief > "$HOME/seen"
seen "^○ blunux-ai .*: idle"
seen "service +blunux-ai-agent.service \(loaded, disabled, inactive\)"
seen "socket +/run/user/.*blunux-ai.sock +\(loaded, enabled, active\)"
[ "$(unit is-active blunux-ai-agent.service)" = inactive ] || fail "status or doctor started the daemon"

# 2. A changed unit file: daemon-reload is really executed.
printf '# changed\n' >> "$HOME/.config/systemd/user/blunux-ai-agent.service"
touch -d '+2 seconds' "$HOME/.config/systemd/user/blunux-ai-agent.service"
look
seen "^warn +service +The unit file changed"
seen "try: systemctl --user daemon-reload"
mend 'y\ny\n'
[ "$(systemctl --user show -p NeedDaemonReload --value blunux-ai-agent.service)" = no ] || fail "not read again"
grep -q "CONFIRMED   systemctl --user daemon-reload" "$log" || fail "the reload is not in the command log"

# 3. After an update the old daemon runs until it is restarted.
blunux-aictl ask "disk full?" | grep -q % || fail "no answer"
look
seen "^ok +daemon +The daemon is running with its unit's protections"
seen "^ok +version +Version 1.0-test"
mkdir -p "$HOME/newer"
LC_ALL=C sed 's/1\.0-test/9.9-test/g' "$BIN/blunux-ai" > "$HOME/newer/blunux-ai"
chmod +x "$HOME/newer/blunux-ai"
DOCTOR="$HOME/newer/blunux-ai"
look
seen "^warn +version +The daemon is 1.0-test, but this program is 9.9-test"
seen "try: systemctl --user restart blunux-ai-agent.service"
old=$(systemctl --user show -p MainPID --value blunux-ai-agent.service)
mend 'y\ny\n'
new=$(systemctl --user show -p MainPID --value blunux-ai-agent.service)
[ "$old" != "$new" ] || fail "the daemon was not restarted"
grep -q "CONFIRMED   systemctl --user restart blunux-ai-agent.service" "$log" || fail "the restart is not in the command log"
DOCTOR=blunux-ai
blunux-ai doctor --brief > "$HOME/seen"
seen "^● blunux-ai 1.0-test: running"

# 4. Automations without a timer.
unset BLUNUX_AI_AUTOMATIONS
printf '[[automation]]\nname = "report"\nschedule = "0 9 * * *"\naction = "how full is the disk?"\n' > "$HOME/.config/blunux-ai/automations.toml"
systemctl --user stop blunux-ai-agent.service
systemctl --user disable --now blunux-ai-agent.timer blunux-ai-agent.path
look
seen "^warn +timer +blunux-ai-agent.timer is off, so 1 automation runs only while the daemon is running"
mend 'y\ny\ny\n'
[ "$(unit is-active blunux-ai-agent.timer)" = active ] || fail "the timer is not on"
mend 'y\ny\ny\n'
[ "$(unit is-active blunux-ai-agent.path)" = active ] || fail "the path unit is not on"
look
seen "^ok +timer "
blunux-aictl log --verify >/dev/null || fail "the command log is not intact"

# 5. A report contains the units, but nothing about the user.
cd "$HOME"
blunux-ai doctor --report out.tar.gz >/dev/null 2>&1 || true
mkdir out && tar -xzf out.tar.gz -C out
grep -q "blunux-ai-agent.socket: loaded active enabled" out/*/units.txt || fail "no units in the report"
! grep -rq "$HOME\|$USER" out || fail "the report names somebody"

# 6. Whoever restores the log, its chain and both heads to an older state is found out
#    by the systemd journal.
state="$HOME/.config/blunux-ai"
cp -a "$state/logs" "$state/tasks" "$HOME/"
mv "$HOME/logs" "$HOME/old-logs"; mv "$HOME/tasks" "$HOME/old-tasks"
blunux-aictl ask --lang en "disk full?" >/dev/null || fail "no answer"
blunux-aictl log --verify --lang en >"$HOME/seen" || fail "the log is not intact"
seen "checked against the system journal: [1-9]"
systemctl --user stop blunux-ai-agent.service
cp "$HOME"/old-logs/audit.* "$HOME/old-logs/commands.log" "$state/logs/"
cp "$HOME/old-tasks/audit.head" "$state/tasks/"
code=0; blunux-aictl log --verify --lang en >"$HOME/seen" || code=$?
[ $code = 1 ] || fail "an older log passes (exit $code)"
seen "^audit.jsonl, line .*: missing$"
echo "story complete"
