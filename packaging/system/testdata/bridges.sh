# shellcheck shell=bash
# The bridges' packages: nothing starts before a messenger is set up, removing
# running packages breaks nothing, and the exposure rating of the units.
install_all "$NEW"
person mina 2001
login mina
bridges="blunux-wa-bridge.service blunux-telegram-bridge.service blunux-discord-bridge.service"

# 1. Enabled before the setup: no failure, and nothing runs.
ctl mina enable --now blunux-ai-agent.socket 2>/dev/null
for unit in $bridges; do
	ctl mina enable --now "$unit" 2>/dev/null || fail "cannot enable $unit"
	[ "$(state mina "$unit")" = inactive ] || fail "$unit runs, and nobody set it up"
	[ "$(prop mina ConditionResult "$unit")" = no ] || fail "$unit was not kept by its condition"
	said mina systemctl --user status --no-pager "$unit"
	exits 3; says "inactive (dead)" ConditionPathExists
done
said mina blunux-aictl status; exits 0
[ -z "$(ctl mina --failed --no-legend)" ] || fail "a unit failed: $(ctl mina --failed)"

# 2. Set up: the installed program starts with the next login. Without a network
#    it waits for its messenger and says so.
dir=/home/mina/.config/blunux-ai
as mina mkdir -p -m 700 $dir $dir/telegram
printf '123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-abc' | as mina bash -c "umask 077; cat >$dir/telegram/token"
logout mina
login mina
until_ok ctl mina is-active -q blunux-telegram-bridge.service || fail "it does not start: $(ctl mina status --no-pager blunux-telegram-bridge.service)"
for unit in blunux-wa-bridge.service blunux-discord-bridge.service; do
	[ "$(state mina "$unit")" = inactive ] || fail "$unit runs"
done
pid=$(prop mina MainPID blunux-telegram-bridge.service)
[ "$(readlink "/proc/$pid/exe")" = /usr/bin/blunux-telegram-bridge ] || fail "not the installed program: $(readlink "/proc/$pid/exe")"
said mina systemctl --user status --no-pager blunux-telegram-bridge.service; exits 0; says "active (running)"
! grep -q AAEhBOweik6ad9r <(journalctl -q --no-pager) || fail "the token is in the journal"
known() { as mina blunux-aictl status --json | grep -q '"channel":"telegram"'; }
until_ok known || fail "the daemon does not know of it: $(status mina)"
answered mina

# 3. systemd's rating of the units, which the test compares.
for unit in $AGENT $bridges; do
	printf 'exposure %s %s\n' "$unit" "$(as mina systemd-analyze --user security --no-pager "$unit" | sed -n 's/.*Overall exposure level for [^:]*: \([0-9.]*\) .*/\1/p')"
done

# 4. All packages are removed while they run: processes run until the session
#    ends, and the next session has no leftovers.
answered mina
pacman -Rns --noconfirm --noprogressbar blunux-wa-bridge blunux-telegram-bridge blunux-discord-bridge blunux-ai >/tmp/pacman.log 2>&1 || fail "$(cat /tmp/pacman.log)"
[ ! -e /usr/bin/blunux-ai ] || fail "not removed"
[ -n "$(ls -A $dir/sessions)" ] || fail "the conversations went with the package"
[ -e $dir/telegram/token ] || fail "the token went with the package"
kill -0 "$(daemon_of mina)" || fail "the daemon did not stay"
logout mina
[ -z "$(pgrep -u mina || :)" ] || fail "something stays: $(pgrep -alu mina)"
login mina
[ "$(as mina systemctl --user is-system-running --wait)" = running ] || fail "the next login is degraded: $(ctl mina --failed)"
[ -z "$(ctl mina list-units --all --no-legend 'blunux-*' | grep -v not-found || :)" ] || fail "a unit stays: $(ctl mina list-units --all 'blunux-*')"

# 5. Installed again, it continues where it was.
install_ai "$NEW"
ctl mina daemon-reload
ctl mina enable --now blunux-ai-agent.socket 2>/dev/null
answered mina
said mina blunux-aictl sessions show default; exits 0; says "disk full?"
echo "story complete"
