# shellcheck shell=bash
# An idle daemon exits; its socket, its path and its timer start the next one.
# Due automations run for users who are logged in or linger. For other users
# nothing runs, and missed runs are made up for at the next login.
install_ai "$NEW"
home() { echo "/home/$1/.config/blunux-ai"; }
left() { [ "$(state "$1" $AGENT)" = inactive ] && [ "$(prop "$1" Result $AGENT)" = success ]; }
invocation() { prop "$1" InvocationID $AGENT; }
ran() { [ "$(grep -c '"state":"RAN"' "$(home "$1")/automations/ledger.jsonl")" -gt "$2" ]; }
runs() { grep -c '"state":"RAN"' "$(home "$1")/automations/ledger.jsonl" 2>/dev/null || :; }
rule() {
	printf '[[automation]]\nname = "minutely"\nschedule = "* * * * *"\naction = "disk full?"\nnotify = ["cli"]\n' | as "$1" tee "$(home "$1")/automations.toml" >/dev/null
}
# settled NAME enables all units and lets the daemon exit immediately.
settled() {
	as "$1" mkdir -p "$(home "$1")"
	printf '[limits]\nidle_exit = 1\n' | as "$1" tee "$(home "$1")/config.toml" >/dev/null
	ctl "$1" enable --now blunux-ai-agent.socket blunux-ai-agent.timer blunux-ai-agent.path 2>/dev/null
}
timed() { grep -q '^OnCalendar=' "/home/$1/.config/systemd/user/blunux-ai-agent.timer.d/50-due.conf"; }
person mina 2001
login mina
settled mina

# 1. It exits cleanly, and the socket starts it.
answered mina
first=$(invocation mina)
until_ok left mina || fail "it does not leave: $(status mina)"
answered mina
[ "$(invocation mina)" != "$first" ] || fail "it had not left"
until_ok left mina || fail "it does not leave again"

# 2. A new file of automations starts it through the path unit. It sets the
# timer
#    to the due time.
first=$(invocation mina)
rule mina
woken() { local now; now=$(invocation mina); [ -n "$now" ] && [ "$now" != "$first" ]; }
until_ok woken || fail "a new file does not wake it: $(ctl mina status --no-pager blunux-ai-agent.path)"
until_ok timed mina || fail "no due time in the timer: $(status mina)"

# 3. One user lingers and never logs in; another has logged out.
person lin 2002
loginctl enable-linger lin
until_ok manager_runs lin || fail "who lingers has no service manager"
[ -z "$(loginctl list-sessions --no-legend | grep -w lin || :)" ] || fail "lin is logged in"
settled lin
rule lin
person gil 2003
login gil
settled gil
rule gil
for who in lin gil; do until_ok timed $who || fail "no due time in the timer of $who"; done
logout gil
[ -z "$(pgrep -u gil || :)" ] || fail "something runs for who is not there: $(pgrep -alu gil)"
[ ! -e /run/user/2003 ] || until_ok test ! -e /run/user/2003 || fail "the runtime directory stays"
declare -A had # a minute may have begun before gil was gone
for who in mina lin gil; do had[$who]=$(runs $who) && had[$who]=${had[$who]:-0}; done

# 4. The next minute.
for who in mina lin; do until_ok left $who || fail "the daemon of $who does not leave although its timer is set"; done
for who in mina lin; do
	until_ok ran $who "${had[$who]}" || fail "what was due for $who was not done: $(ctl $who list-timers --all --no-pager)"
	grep -q 'AUTOMATION  df' "$(home $who)/logs/commands.log" || fail "not logged as an automation's"
done
until_ok left lin || fail "the daemon of who lingers stays"
[ -z "$(pgrep -u gil || :)" ] || fail "something runs for who is not there: $(pgrep -alu gil)"
! ran gil "${had[gil]}" || fail "done for who is not there"

# 5. At the next login the state is unchanged, and missed runs are made up for.
login gil
until_ok ctl gil is-active -q blunux-ai-agent.timer || fail "the timer is not there after the login"
as gil blunux-aictl automations | grep -q minutely || fail "the automation is gone"
until_ok ran gil "${had[gil]}" || fail "what was missed is not made up for"

# 6. Without lingering nothing runs.
loginctl disable-linger lin
until_ok manager_gone lin || fail "the service manager stays"
[ -z "$(pgrep -u lin || :)" ] || fail "something stays: $(pgrep -alu lin)"
echo "story complete"
