# Changes of units are checked afterwards, and the last line of the answer is
# the check's, whatever the model says. Run as an ordinary user with a real user
# manager: $BIN has the programs, $UNITS the unit files.
set -eu # no pipefail: grep -q ends its writer early
export PATH="$BIN:$PATH"
LOG="$HOME/.config/blunux-ai/logs"
out='' code=0
fail() { printf 'FAILED: %s\nlast answer (exit %s):\n%s\n' "$*" "$code" "$out"; cat "$LOG/commands.log" || :; exit 1; }
says() { local w; for w; do case $out in *"$w"*) ;; *) fail "it does not say: $w" ;; esac; done; }
silent_on() { local w; for w; do case $out in *"$w"*) fail "it says: $w" ;; esac; done; }
# ends TEXT: the last line of the answer is this, after what an animation erased.
ends() { [ "$(printf '%s\n' "$out" | sed 's/.*\x1b\[K//; s/\r//g' | grep -v ↩ | grep . | tail -n 1)" = "$1" ] || fail "it does not end with: $1"; }
# yes QUESTION: asks at a terminal and approves.
yes() {
	local keys=$HOME/keys screen=$HOME/screen asking
	rm -f "$keys" "$screen"; mkfifo "$keys"; : >"$screen"
	timeout $PATIENCE script -qefc "blunux-aictl ask '$1'" "$screen" <"$keys" >/dev/null 2>&1 & asking=$!
	exec 9>"$keys"
	until_ok grep -q '/?\]' "$screen" || fail "nobody asked about: $1: $(cat "$screen")"
	echo y >&9
	code=0; wait $asking || code=$?; exec 9>&-
	out=$(grep -v '^Script' "$screen")
}
# plot WORD COMMAND CLAIM: the model runs a command, and claims something.
plot() { printf '[[step]]\nuser = "%s"\n[[step.tool]]\nname = "run_command"\ninput = { command = "%s" }\n[[step]]\ntext = "%s"\n' "$1" "$2" "$3" >>"$HOME/plot.toml"; }
unit() { printf "$2" >"$HOME/.local/share/systemd/user/$1"; }
prop() { systemctl --user show -p "$1" --value "$2"; }

mkdir -p -m 700 "$HOME/.config/systemd/user" "$HOME/.local/share/systemd/user" "$HOME/.config/blunux-ai"
cp "$UNITS"/*.service "$UNITS"/*.socket "$HOME/.config/systemd/user/"
printf '[ai_agent]\nprovider = "scripted:%s"\n' "$HOME/plot.toml" >"$HOME/.config/blunux-ai/config.toml"
unit good.service '[Service]\nExecStart=/bin/sleep 1000\nExecReload=/bin/true\n[Install]\nWantedBy=default.target\n'
unit broken.service '[Service]\nExecStart=/bin/false\n[Install]\nWantedBy=default.target\n'
unit work.service '[Service]\nType=oneshot\nExecStart=/bin/true\n'
unit slow.service '[Service]\nType=oneshot\nExecStart=/bin/sh -c "touch %%h/begun; read x <%%h/go; exit 4"\n'
mkfifo "$HOME/go"
systemctl --user daemon-reload

printf '[[step]]\nuser_match = "now approved .* request .start broken"\ntext = "It runs now."\n[[step]]\nuser_match = "now approved .* request .broken 시작"\ntext = "이제 돌아가요."\n' >"$HOME/plot.toml"
plot 'start broken' 'systemctl --user start broken' 'I started it. Everything works!'
plot 'broken 시작' 'systemctl --user start broken' '시작했어요. 잘 돌아가요!'
plot 'start good' 'systemctl --user start good.service' 'Started.'
plot 'good 다시' 'systemctl --user restart good' '다시 시작했어요.'
plot 'reload good' 'systemctl --user reload good' 'Reloaded.'
plot 'enable good' 'systemctl --user enable --now good' 'Enabled.'
plot 'good 막아' 'systemctl --user mask --now good' '막았어요.'
plot 'free good' 'systemctl --user unmask good' 'Freed.'
plot 'disable broken' 'systemctl --user disable --now broken' 'Disabled.'
plot 'work work' 'systemctl --user start work' 'Done.'
plot 'start nowhere' 'systemctl --user start nowhere' 'Started!'
plot 'start slow' 'systemctl --user start slow' 'It runs.'
plot 'shell good' 'systemctl --user stop good; echo stopped' 'Stopped.'
systemctl --user enable --now blunux-ai-agent.socket

# 1. The service ends a moment after its start. systemctl succeeds, the model
#    claims success, and the answer ends with what is true.
yes 'start broken'
says 'Everything works!' 'systemctl --user start broken'
ends '✗ Checked: broken.service is not running: failed (exit-code) (`systemctl --user show broken`)'
[ $code = 1 ] || fail "exit $code"
yes 'broken 시작해'
says '잘 돌아가요!'
ends '✗ 확인해 보니 broken.service는 실행 중이 아니에요: failed (exit-code) (`systemctl --user show broken`)'
[ "$(prop ActiveState broken)" = failed ] || fail "it is not broken"

# 2. What worked is proved.
yes 'start good'
ends '✓ Checked: good.service is running: active (running) (`systemctl --user show good.service`)'
pid=$(prop MainPID good)
yes 'good 다시 시작해'
ends '✓ 확인: good.service가 다시 시작되어 실행 중이에요: active (running) (`systemctl --user show good`)'
[ "$(prop MainPID good)" != "$pid" ] || fail "it did not restart"
yes 'reload good'
ends '✓ Checked: good.service has reloaded and is running: active (running) (`systemctl --user show good`)'
yes 'enable good'
ends '✓ Checked: good.service is running and set to start automatically: enabled, active (running) (`systemctl --user show good`)'
# The home is below /run, so the mask is too.
yes 'good 막아'
ends '✓ 확인: good.service는 멈춰 있고, 시작이 막혀 있어요: masked-runtime, inactive (dead) (`systemctl --user show good`)'
yes 'start good'
says 'Started.'
ends '✗ Checked: good.service is not running: inactive (dead), masked (`systemctl --user show good.service`)'
yes 'free good'
ends "✓ Checked: good.service isn't masked: enabled (\`systemctl --user show good\`)"

# 3. What nothing proves is not claimed, and a failed command is not either.
yes 'work work'
ends "· Not proved. This doesn't show whether it worked: inactive (dead) (\`systemctl --user show work\`)"
yes 'start nowhere'
ends '✗ Checked: nowhere.service is not running: inactive (dead), not-found (`systemctl --user show nowhere`)'
yes 'disable broken'
ends "✓ Checked: broken.service is stopped and doesn't start automatically: disabled, failed (exit-code) (\`systemctl --user show broken\`)"
yes 'shell good' # more than one command: nothing is recognised
silent_on Checked proved
ends 'Stopped.'

# 4. Looks are ordinary reading commands in the log, before and after.
sed 's/^\[[^]]*\] *//; s/  */ /' "$LOG/commands.log" | head -n 3 >"$HOME/first"
look='SAFE systemctl --user show -p Id,Type,LoadState,ActiveState,SubState,Result,UnitFileState,ActiveEnterTimestampMonotonic,StateChangeTimestampMonotonic -- broken'
printf '%s\nCONFIRMED systemctl --user start broken\n%s\n' "$look" "$look" | cmp - "$HOME/first" || fail "not in the log: $(cat "$HOME/first")"

# 5. An approval that comes later, and the data of the answer.
code=0; out=$(blunux-aictl ask 'start broken' </dev/null 2>&1) || code=$?
[ $code = 5 ] || fail "exit $code"
silent_on Checked
id=$(blunux-aictl approvals)
code=0; out=$(blunux-aictl approve "${id%% *}" 2>&1) || code=$?
[ $code = 1 ] || fail "exit $code"
ends '✗ Checked: broken.service is not running: failed (exit-code) (`systemctl --user show broken`)'
code=0; out=$(blunux-aictl ask 'broken 시작' </dev/null 2>&1) || code=$?
id=$(blunux-aictl approvals); out=$(blunux-aictl approve --json "${id%% *}" 2>&1) || :
says '"checks":[{"action":"start","subject":"broken.service","user":true,"result":"failed","code":"not_running","state":"failed (exit-code)","command":"systemctl --user show broken"}]'

# 6. A change that outlives the daemon is checked by the next one.
yes 'start slow' & asking=$!
until_ok test -e "$HOME/begun" || fail "it does not start"
kill -9 "$(prop MainPID blunux-ai-agent.service)"
wait $asking || :
echo go >"$HOME/go"
until_ok sh -c 'blunux-aictl notifications 2>/dev/null | grep -q "Checked: slow.service is not running: failed (exit-code) (.systemctl --user show slow.)"' ||
	fail "not checked: $(blunux-aictl notifications)"
echo "story complete"
