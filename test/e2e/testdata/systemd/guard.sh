# A change that can cut the person off goes back by itself unless they say that
# it stays. Run as an ordinary user with a real user manager: $BIN has the
# programs, $UNITS the unit files.
state() { systemctl --user show -p ActiveState --value "$1"; }
timers() { systemctl --user list-units --all --plain --no-legend 'blunux-ai-back-*' | wc -l; }

mkdir -p -m 700 "$HOME/.config/systemd/user" "$HOME/.config/blunux-ai"
cp "$UNITS"/*.service "$UNITS"/*.socket "$HOME/.config/systemd/user/"
printf '[ai_agent]\nprovider = "scripted:%s"\n' "$HOME/plot.toml" >"$HOME/.config/blunux-ai/config.toml"
printf '[Service]\nExecStart=/bin/sleep 1000\n' >"$HOME/.config/systemd/user/sshd.service"
for word in keep no silent '꺼줘'; do
	printf '[[step]]\nuser = "%s"\n[[step.tool]]\nname = "run_command"\ninput = { command = "systemctl --user stop sshd" }\n[[step]]\ntext = "Stopped."\n' "$word" >>"$HOME/plot.toml"
done
systemctl --user daemon-reload
systemctl --user start sshd
systemctl --user enable --now blunux-ai-agent.socket

# 1. Nobody says that it stays: after a minute it runs again, and the answer says so.
session silent y -
says 'could cut you off' 'Keep it? Without an answer it goes back' 'taken back, because nobody said that it stays: sshd.service'
[ "$(state sshd)" = active ] || fail 'sshd did not come back'

# 2. A no takes it back at once.
session no y n
says 'taken back'
until_ok test "$(state sshd)" = active || fail 'sshd did not come back after a no'

# 3. A yes keeps it.
session keep y y
says '✓ Checked: sshd.service'
[ "$(state sshd)" = inactive ] || fail 'sshd runs'
[ "$(timers)" = 0 ] || fail 'a timer is left'

# 4. In Korean.
systemctl --user start sshd
session '꺼줘' y n
says '연결이 끊길 수 있는 변경이에요' '이대로 둘까요?' '원래대로 돌렸어요'
echo 'story complete'
