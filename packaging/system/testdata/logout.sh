# shellcheck shell=bash
# A user logs out while a command runs, logs in again, and gets the report.
install_ai "$NEW"
person mina 2001
login mina
ctl mina enable blunux-ai-agent 2>/dev/null
ctl mina start blunux-ai-agent.socket
answered mina
long mina
began=$(cut -d. -f1 /proc/uptime)
ctl mina restart $AGENT
[ $(($(cut -d. -f1 /proc/uptime) - began)) -lt 3 ] || fail "a restart takes $(($(cut -d. -f1 /proc/uptime) - began)) s"
began=$(cut -d. -f1 /proc/uptime)
begin mina finish
logout mina
finish
[ $(($(cut -d. -f1 /proc/uptime) - began)) -lt 20 ] || fail "a logout takes $(($(cut -d. -f1 /proc/uptime) - began)) s"
shown=0
case $out in *'exit 143'* | *'exit 1'*) shown=1 ;; *) [ "$code" != 0 ] || fail "who waits is told nothing" ;; esac
[ -z "$(pgrep -u mina || :)" ] || fail "something stays: $(pgrep -alu mina)"
until_ok test ! -e /run/user/2001 || fail "the runtime directory stays"
journalctl --no-pager -q _UID=2001 | grep 'blunux-ai' | grep -q stopped || fail "the daemon did not end in order"
! journalctl --no-pager -q _UID=2001 | grep 'cannot set wake timer' || fail "its timer could not be started while it was stopped"
! journalctl --no-pager -q _UID=2001 | grep -E 'blunux-ai-(agent|bridges)' | grep -E "Failed with|SIGKILL|timed out" || fail "not in order"
[ "$(cat /home/mina/count)" = begun ] || fail "the command did not go with the session: $(cat /home/mina/count)"

# The next login: the conversation exists, the ended command is reported
# correctly once, and does not run again.
login mina
until_ok ctl mina is-active -q blunux-ai-agent.socket || fail "the socket is not there"
said mina blunux-aictl sessions show default; exits 0; says "disk full?" "finish"
# The waiting client may have seen the result; otherwise it is reported now.
told() { [ $(($(as mina blunux-aictl notifications | grep -c '^●') + shown)) = 1 ]; }
until_ok told || fail "the command is not told of, once: $(as mina blunux-aictl notifications)"
said mina blunux-aictl sessions show default; says "run_command"
[ "$(cat /home/mina/count)" = begun ] || fail "it was run again: $(cat /home/mina/count)"
said mina blunux-aictl log --verify; exits 0
said mina blunux-aictl log; says "finish.sh"
none_runs mina || fail "a unit: $(runs mina)"
[ -z "$(ctl mina --failed --no-legend)" ] || fail "a unit failed: $(ctl mina --failed)"
echo "story complete"
