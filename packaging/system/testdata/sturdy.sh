# shellcheck shell=bash
# The daemon hangs, is killed, and reloads its configuration.
install_ai "$NEW"
person mina 2001
login mina
ctl mina enable --now blunux-ai-agent.socket 2>/dev/null

# 1. Hung: the watchdog ends it, it is restarted, and answers the next question.
# A
#    live one feeds the watchdog.
answered mina
[ "$(prop mina WatchdogUSec $AGENT)" = 1min ] || fail "the package's unit has no watchdog"
drop=/home/mina/.config/systemd/user/$AGENT.d
as mina mkdir -p "$drop"
printf '[Service]\nWatchdogSec=1s\n' | as mina tee "$drop/watchdog.conf" >/dev/null
ctl mina daemon-reload
ctl mina restart $AGENT
first=$(daemon_of mina)
fed() { [ "$(prop mina WatchdogTimestampMonotonic $AGENT)" -gt $((began + 2000000)) ]; }
began=$(prop mina WatchdogTimestampMonotonic $AGENT)
until_ok fed || fail "nobody feeds the watchdog"
[ "$(daemon_of mina)" = "$first" ] && [ "$(prop mina NRestarts $AGENT)" = 0 ] || fail "a live daemon was ended"
kill -STOP "$first"
restarted() { [ "$(prop mina NRestarts $AGENT)" = "$1" ] && [ "$(prop mina SubState $AGENT)" = running ]; }
until_ok restarted 1 || fail "a hung daemon is not started again: $(ctl mina status --no-pager $AGENT)"
! kill -0 "$first" 2>/dev/null || fail "the hung one is still there"
journalctl --no-pager -q _UID=2001 | grep -q 'Watchdog timeout' || fail "not by the watchdog"
answered mina
as mina rm -r "$drop"
ctl mina daemon-reload

# 2. Killed while a client waits for an answer: the client reports it
# immediately,
#    with its status. The command continues, its result is reported once, and the
#    next question is answered.
long mina
ctl mina restart $AGENT
begin mina finish
kill -9 "$(daemon_of mina)"
finish
exits 3
until_ok restarted 1 || fail "a killed daemon is not started again"
[ -n "$(runs mina)" ] || fail "the command went with the daemon"
go mina
until_ok none_runs mina || fail "a unit stays: $(runs mina)"
once mina
told() { [ "$(as mina blunux-aictl notifications | grep -c '^●')" = 1 ] && as mina blunux-aictl notifications | grep -q '(exit 0)'; }
until_ok told || fail "its result is not told, once: $(as mina blunux-aictl notifications)"
as mina blunux-aictl notifications --clear >/dev/null
said mina blunux-aictl log --verify; exits 0

# 3. Reload during a turn: the new settings apply, the turn continues in the
# same
#    process. A mistake is reported and changes nothing.
pid=$(daemon_of mina)
begin mina finish
printf '[limits]\nidle_exit = 1260\n' | as mina tee -a /home/mina/.config/blunux-ai/config.toml >/dev/null
ctl mina reload $AGENT || fail "cannot reload"
idle_is() { as mina blunux-aictl status --json | grep -q "\"idle_exit_s\":$1[,}]"; }
until_ok idle_is 1260 || fail "the new setting does not count: $(status mina)"
printf 'nonsense = 1\n' | as mina tee -a /home/mina/.config/blunux-ai/config.toml >/dev/null
ctl mina reload $AGENT || fail "cannot reload"
mistaken() { status mina | grep -q 'config.toml:5:1'; }
until_ok mistaken || fail "the mistake is not told: $(status mina)"
idle_is 1260 || fail "the last good settings are gone"
[ -n "$(runs mina)" ] || fail "the command went"
go mina
finish; exits 0; says told
once mina
[ "$(daemon_of mina)" = "$pid" ] || fail "not the same process"
[ -z "$(as mina blunux-aictl notifications | grep '^●' || :)" ] || fail "told twice"
echo "story complete"
