# shellcheck shell=bash
# A new user: the package, one command, a question. And another user who enables
# it by its name alone.
install_ai "$NEW"
person mina 2001
login mina
[ ! -e /home/mina/.config/blunux-ai ] || fail "the package put something into a home directory"
[ "$(state mina blunux-ai-agent.socket)" = inactive ] || fail "the package enabled something"

# 1. Only the socket is enabled, and nothing runs; a question starts the daemon,
#    in both languages.
ctl mina enable --now blunux-ai-agent.socket 2>/dev/null
[ "$(state mina blunux-ai-agent.socket)" = active ] || fail "the socket is not active"
[ "$(state mina $AGENT)" = inactive ] || fail "the daemon runs unasked"
[ "$(stat -c '%a %U %F' /run/user/2001/blunux-ai.sock)" = "600 mina socket" ] || fail "the socket is open to others"
ask mina "disk full?"; exits 0; says %
[ "$(readlink "/proc/$(daemon_of mina)/exe")" = /usr/bin/blunux-ai ] || fail "not the installed daemon answers"
ask mina "디스크 용량 얼마나 남았어?"; exits 0; says 남음
[ "$(prop mina ActiveState $AGENT)" = active ] || fail "not READY"
said mina blunux-aictl status --json; says "\"version\":\"$NEW_VERSION\""

# 2. The journal contains its lines, with fields.
line() { as mina journalctl --user --no-pager -u $AGENT -o json | grep '"TOOL":"check_disk"' | grep '"CLASS":"SAFE"' | grep '"CHANNEL":"cli"' | grep '"SESSION":"agent:main' | grep '"TASK":"t'; }
until_ok line || fail "no fields in the journal: $(as mina journalctl --user --no-pager -u $AGENT -o json | tail -3)"
as mina journalctl --user --no-pager -u $AGENT | grep -q ready || fail "no ready line"
[ -z "$(ctl mina --failed --no-legend)" ] || fail "a unit failed"

# 3. Enabled by its name: its other units are enabled too, and from the next
# login
#    on it is available.
person jun 2002
login jun
ctl jun enable blunux-ai-agent 2>/dev/null
enabled=$(ctl jun list-unit-files --state=enabled --no-legend 'blunux-*' | awk '{print $1}' | sort | tr '\n' ' ')
[ "$enabled" = "blunux-ai-agent.path blunux-ai-agent.service blunux-ai-agent.socket blunux-ai-agent.timer blunux-ai-bridges.socket " ] || fail "enabled: $enabled"
[ "$(state jun blunux-ai-agent.socket)" = inactive ] || fail "enable started something"
logout jun
login jun
for unit in blunux-ai-agent.socket blunux-ai-bridges.socket blunux-ai-agent.timer blunux-ai-agent.path $AGENT; do
	until_ok ctl jun is-active -q "$unit" || fail "$unit is not there after the login: $(ctl jun status --no-pager "$unit")"
done
answered jun
ask jun "디스크 용량 얼마나 남았어?"; exits 0; says 남음
[ -z "$(ctl jun --failed --no-legend)" ] || fail "a unit failed"
echo "story complete"
