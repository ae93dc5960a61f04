# shellcheck shell=bash
# The package is replaced by another version while a task runs. version_is NAME
# VERSION: checks the version of the running daemon.
version_is() { as "$1" blunux-aictl status --no-start --json | grep -q "\"version\":\"$2\""; }
told() { [ "$(as "$1" blunux-aictl notifications | grep -c '^●')" = 1 ] && as "$1" blunux-aictl notifications | grep -q '(exit 0)'; }
untold() { [ -z "$(as "$1" blunux-aictl notifications | grep '^●' || :)" ]; }
left() { [ "$(state "$1" $AGENT)" = inactive ] && [ "$(prop "$1" Result $AGENT)" = success ]; }

install_ai "$OLD"
person mina 2001
login mina
ctl mina enable --now blunux-ai-agent.socket 2>/dev/null
answered mina
long mina
ctl mina restart $AGENT
version_is mina "$OLD_VERSION" || fail "not the old version: $(status mina)"

# 1. The package is replaced while its command runs, without any other action:
# the
#    old daemon logs it, finishes the task and reports the result. Then it exits,
#    and the new one answers the next question.
begin mina finish
old=$(daemon_of mina)
install_ai "$NEW"
[ "$(readlink "/proc/$old/exe")" = '/usr/bin/blunux-ai (deleted)' ] || fail "the program was not replaced"
giving() { status mina | grep -q 'systemctl --user restart blunux-ai-agent'; }
until_ok giving || fail "status does not tell that it will give way: $(status mina)"
version_is mina "$OLD_VERSION" && [ "$(daemon_of mina)" = "$old" ] || fail "the daemon did not stay with its task"
[ -n "$(runs mina)" ] || fail "the command went"
go mina
finish; exits 0; says told
once mina
untold mina || fail "told twice"
until_ok left mina || fail "the old daemon does not give way: $(status mina)"
said mina blunux-aictl status --json; says "\"version\":\"$NEW_VERSION\""
[ "$(readlink "/proc/$(daemon_of mina)/exe")" = /usr/bin/blunux-ai ] || fail "not the new program"
! giving || fail "the new one would give way, too"
said mina blunux-aictl sessions show default; says 'run_command · CONFIRM · exit 0' told

# 2. The other way, to an older version, without waiting: the daemon is
# restarted
#    while the command runs. The waiting client reports it, the command continues,
#    and the other daemon reports its result once.
begin mina finish
install_ai "$OLD"
ctl mina daemon-reload
ctl mina try-restart blunux-ai-agent 'blunux-*-bridge.service' || fail "the documented way does not work"
finish
[ "$code" != 0 ] || fail "who waits is told nothing"
version_is mina "$OLD_VERSION" || fail "not the older version: $(status mina)"
[ -n "$(runs mina)" ] || fail "the restart ended the command"
[ "$(runs mina | wc -l)" = 1 ] || fail "it was begun twice: $(runs mina)"
go mina
until_ok none_runs mina || fail "a unit stays: $(runs mina)"
once mina
until_ok told mina || fail "its result is not told, once: $(as mina blunux-aictl notifications)"
as mina blunux-aictl notifications --clear >/dev/null
said mina blunux-aictl sessions show default; says '(exit 0)'
said mina blunux-aictl log --verify; exits 0

# 3. And up again, with a kill in the middle.
begin mina finish
install_ai "$NEW"
kill -9 "$(daemon_of mina)"
finish; exits 3
until_ok version_is mina "$NEW_VERSION" || fail "the new version does not take over: $(status mina)"
[ -n "$(runs mina)" ] || fail "the command went with the daemon"
go mina
until_ok none_runs mina || fail "a unit stays: $(runs mina)"
once mina
until_ok told mina || fail "its result is not told, once: $(as mina blunux-aictl notifications)"
[ -z "$(ctl mina --failed --no-legend)" ] || fail "a unit failed: $(ctl mina --failed)"
echo "story complete"
