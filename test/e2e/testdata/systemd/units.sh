# Confirmed commands in their own units, run as an ordinary user with a real
# user manager: $BIN has the programs, $UNITS the unit files.
set -eu # no pipefail: grep -q ends its writer early
export PATH="$BIN:$PATH"
RUNS="$HOME/.config/blunux-ai/runs" LOG="$HOME/.config/blunux-ai/logs"
out='' code=0
fail() { printf 'FAILED: %s\nlast answer (exit %s):\n%s\n' "$*" "$code" "$(cat "$HOME/screen" || echo "$out")"; cat "$LOG/commands.log" || :; journalctl --user --no-pager -n 60; exit 1; }
says() { local w; for w; do case $out in *"$w"*) ;; *) fail "it does not say: $w" ;; esac; done; }
# begin QUESTION: asks at a terminal and approves; finish gets the answer.
begin() {
	local keys=$HOME/keys
	screen=$HOME/screen
	rm -f "$keys" "$screen"; mkfifo "$keys"; : >"$screen"
	timeout $PATIENCE script -qefc "blunux-aictl ask '$1'" "$screen" <"$keys" >/dev/null 2>&1 &
	asking=$!
	exec 9>"$keys"
	until_ok grep -q '/?\]' "$screen" || fail "nobody asked about: $1: $(cat "$screen")"
	echo y >&9
}
finish() { code=0; wait $asking || code=$?; exec 9>&-; out=$(cat "$screen"); }
unit() { systemctl --user list-units --all --plain --no-legend 'blunux-ai-run-*' | awk '{print $1; exit}'; }
running() { [ -n "$(unit)" ]; }
prop() { systemctl --user show -p "$1" --value "$2"; }
no_units() { until_ok sh -c '[ -z "$(systemctl --user list-units --all --plain --no-legend "blunux-ai-run-*")" ]' || fail "a unit stays: $(unit)"; }
forked() { [ "$(pgrep -c -x -f 'sleep 4242')" -gt 20 ]; }
ends() { grep -c '"event":"end"' "$LOG/audit.jsonl"; }
# plot WORD SCRIPT: what the model runs for the question WORD.
plot() {
	printf '%s\n' "$2" >"$HOME/$1.sh"
	printf '[[step]]\nuser = "%s"\n[[step.tool]]\nname = "run_command"\ninput = { command = "bash ~/%s.sh" }\n[[step]]\ntext = "told"\n' "$1" "$1" >>"$HOME/plot.toml"
}

mkdir -p "$HOME/.config/systemd/user" "$HOME/.config/blunux-ai"
cp "$UNITS"/*.service "$UNITS"/*.socket "$HOME/.config/systemd/user/"
systemctl --user daemon-reload
chmod 700 "$HOME/.config/blunux-ai"
configure() { printf '[ai_agent]\nprovider = "scripted:%s"\n[limits]\ncommand_timeout = %s\n' "$HOME/plot.toml" "$1" >"$HOME/.config/blunux-ai/config.toml"; }
configure 30
mkfifo "$HOME/go"

plot look 'cat /proc/self/cgroup > ~/seen; umask >> ~/seen; grep NoNewPrivs /proc/self/status >> ~/seen; env > ~/environment; (tty || true) >> ~/seen; touch ~/there; read x < ~/go; echo done $x'
plot finish 'echo begun >> ~/count; touch ~/begun; read x < ~/go; echo ended >> ~/count'
plot giant 'head -c 268435456 /dev/zero | tr "\0" x; touch ~/printed; read x < ~/go'
plot stubborn 'for i in $(seq 40); do setsid sh -c "trap : TERM; while :; do sleep 4242 & wait; done" & done; touch ~/forked; trap : TERM; while :; do sleep 4242; done'
plot leave 'setsid sleep 5252 & (while :; do echo still here; sleep 0.1; done) & echo $! > ~/left'

systemctl --user enable --now blunux-ai-agent.socket

# 1. Its own unit, with limits and without restrictions of rights.
begin look
until_ok test -e "$HOME/there" || fail "it does not run"
u=$(unit)
case $u in blunux-ai-run-t*.service) ;; *) fail "no unit: $u" ;; esac
grep -q "/$u\$" "$HOME/seen" || fail "not in a cgroup of its own: $(cat "$HOME/seen")"
grep -qx 0022 "$HOME/seen" || fail "not the person's umask: $(cat "$HOME/seen")"
grep -q 'NoNewPrivs:.0' "$HOME/seen" || fail "it could not use sudo"
grep -q 'not a tty' "$HOME/seen" || fail "it has a terminal"
! grep -qE '^(NOTIFY_SOCKET|INVOCATION_ID|JOURNAL_STREAM|LISTEN_)' "$HOME/environment" || fail "the manager's variables got in"
grep -q '^LC_ALL=C.UTF-8$' "$HOME/environment" || fail "not the executor's environment"
for kv in Type=notify TasksMax=4096 KillMode=control-group SendSIGKILL=yes SyslogIdentifier=blunux-ai-run RuntimeMaxUSec=35s TimeoutStopUSec=2s \
	CollectMode=inactive-or-failed NoNewPrivileges=no UMask=0022 OOMPolicy=continue StandardInput=null IgnoreSIGPIPE=no ActiveState=active; do
	[ "$(prop "${kv%%=*}" "$u")" = "${kv#*=}" ] || fail "$kv: $(prop "${kv%%=*}" "$u")"
done
memory=$(prop MemoryMax "$u")
[ "$memory" -gt 67108864 ] || fail "MemoryMax=$memory"
case $(prop Description "$u") in 'bash ~/look.sh') ;; *) fail "Description=$(prop Description "$u")" ;; esac
[ "$(stat -c %a "$RUNS")" = 700 ] || fail "the runs are open to others"
[ -z "$(find "$RUNS" -type f ! -perm 600)" ] || fail "a run's file is open to others"
echo well >"$HOME/go"
finish; says told
[ "$(ends)" = 1 ] || fail "no end in the log"
no_units
[ -z "$(ls "$RUNS")" ] || fail "something is kept of what was told"
until_ok sh -c 'journalctl --user --no-pager -t blunux-ai-run | grep -q "ended with 0"' || fail "not in the journal under its name"
# journald learns a line's unit from /proc, too late on a busy machine if the process has ended.
journalctl --user --no-pager -u "$u" | grep -qE 'ended with 0|Started ' || fail "not in the journal under its unit"

# The next daemon reports the result once, completes the record and removes it.
followed_up() {
	until_ok sh -c 'blunux-aictl notifications 2>/dev/null | grep -q "(exit 0)"' || fail "nobody is told: $(blunux-aictl notifications; blunux-aictl tasks; ls -R "$RUNS")"
	[ "$(blunux-aictl notifications | grep -c '^●')" = 1 ] || fail "told more than once: $(blunux-aictl notifications)"
	blunux-aictl notifications --clear >/dev/null
	until_ok sh -c "[ -z \"\$(ls $RUNS)\" ]" || fail "something is kept of what was told"
	blunux-aictl log --verify >/dev/null || fail "the log does not verify"
	blunux-aictl sessions show default | grep -q '(exit 0)' || fail "it is not in the conversation"
}

# 2. The daemon is killed, restarted, and killed again: the command ends once.
begin finish
until_ok test -e "$HOME/begun" || fail "it does not run"
kill -9 "$(prop MainPID blunux-ai-agent.service)"
finish
blunux-aictl status >/dev/null
running || fail "it went with the daemon"
systemctl --user restart blunux-ai-agent.service
running || fail "it went with the restart"
kill -9 "$(prop MainPID blunux-ai-agent.service)"
echo >"$HOME/go"
no_units
[ "$(cat "$HOME/count")" = "$(printf 'begun\nended')" ] || fail "not exactly once: $(cat "$HOME/count")"
followed_up

# 3. The daemon is stopped while the command runs and its client waits: it
# continues.
rm "$HOME/begun" "$HOME/count"
begin finish
until_ok test -e "$HOME/begun" || fail "it does not run"
systemctl --user restart blunux-ai-agent.service
finish
running || fail "an orderly restart ended it"
echo >"$HOME/go"
no_units
[ "$(cat "$HOME/count")" = "$(printf 'begun\nended')" ] || fail "not exactly once: $(cat "$HOME/count")"
followed_up

# 4. 256 MiB of output does not fill the disk.
begin giant
until_ok test -e "$HOME/printed" || fail "it does not print"
size=$(du -sk "$RUNS" | cut -f1)
[ "$size" -lt 4096 ] || fail "the disk holds $size KiB of it"
echo >"$HOME/go"
finish; says told
no_units

# 5. Cancelled and timed out: all its processes end, in any session.
for way in cancel timeout; do
	rm -f "$HOME/forked"
	[ $way = cancel ] || { configure 3; systemctl --user reload blunux-ai-agent.service; }
	begin stubborn
	if [ $way = cancel ]; then # the timeout ends it while it forks, or later
		until_ok test -e "$HOME/forked" || fail "it does not run"
		until_ok forked || fail "it has not forked"
		task=$(unit); task=${task#blunux-ai-run-}
		blunux-aictl cancel "${task%.service}" || fail "cannot cancel $task"
	fi
	finish
	until_ok sh -c '! pgrep -f "[s]leep 4242"' || fail "$way: something outlived it: $(pgrep -af '[s]leep 4242')"
	no_units
	until_ok sh -c '[ -z "$(systemctl --user --failed --no-legend "blunux-ai-*")" ]' || fail "a failed unit stays: $(systemctl --user --failed --no-legend "blunux-ai-*")"
done

# 6. Its background processes continue beyond the command's timeout, and end
# with
#    the unit.
begin leave
finish; says told
left=$(cat "$HOME/left")
u=$(unit)
kill -0 "$left" || fail "its background program died"
grep -q "/$u\$" "/proc/$left/cgroup" || fail "it is not in the unit"
prop StatusText "$u" | grep -q background || fail "systemctl status does not tell: $(prop StatusText "$u")"
sleep 9 # command_timeout is 3 s, RuntimeMaxSec 8
kill -0 "$left" || fail "RuntimeMaxSec ended what was left in the background"
pgrep -x -f 'sleep 5252' >/dev/null || fail "what has a session of its own is gone"
systemctl --user stop "$u"
! kill -0 "$left" 2>/dev/null || fail "it outlived its unit"
! pgrep -f '[s]leep 5252' || fail "it outlived its unit"
no_units

blunux-aictl log --verify >/dev/null || fail "the log does not verify: $(blunux-aictl log --verify)"
echo "story complete"
