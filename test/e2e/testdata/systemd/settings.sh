# Settings that a single command changes are checked by a look before and after,
# whatever the model says: the time zone, the host name and the language with
# root's rights, a default application and a mode without, and a timer of a plan.
plot() { # plot WORD COMMAND CLAIM
	printf '[[step]]\nuser = "%s"\n[[step.tool]]\nname = "run_command"\ninput = { command = "%s" }\n[[step]]\ntext = "%s"\n' "$1" "$2" "$3" >>"$HOME/plot.toml"
}
chmod 700 "$HOME/.config/blunux-ai"
printf '[ai_agent]\nprovider = "scripted:%s/plot.toml"\n' "$HOME" >"$HOME/.config/blunux-ai/config.toml"
mkdir -p "$HOME/.local/share/applications" "$HOME/.config/systemd/user"
for app in viewer painter; do
	printf '[Desktop Entry]\nType=Application\nName=%s\nExec=true %%f\nMimeType=image/png;\n' $app >"$HOME/.local/share/applications/$app.desktop"
done
touch "$HOME/key"
chmod 644 "$HOME/key"
plot '서울 시간대' 'sudo -n timedatectl set-timezone Asia/Seoul' '바꿨어요.'
plot 'Berlin time' 'sudo -n timedatectl set-timezone Europe/Berlin' 'Changed.'
plot 'nowhere time' 'sudo -n timedatectl set-timezone Europe/Nowhere' 'Changed!'
plot 'name seoul' 'sudo -n hostnamectl set-hostname seoul' 'Renamed.'
plot 'language' 'sudo -n localectl set-locale LANG=C.UTF-8' 'Set.'
plot '기본 앱' 'xdg-mime default painter.desktop image/png' '바꿨어요.'
plot 'default viewer' 'xdg-mime default viewer.desktop image/png' 'Done.'
plot 'default missing' 'xdg-mime default missing.desktop image/png' 'It opens with missing now!'
plot 'close key' "chmod 600 $HOME/key" 'Closed.'
cat >>"$HOME/plot.toml" <<-E
	[[step]]
	user = "water timer"
	[[step.tool]]
	name = "plan"
	input = { goal = "water", steps = [{ id = "t", verb = "timer", args = { name = "water", when = "*-*-* 10:00:00", command = "echo 100% >~/watered" } }] }
	[[step]]
	text = "Made it."
	[[step]]
	user = "take back"
	[[step.tool]]
	name = "undo"
	input = {}
	[[step]]
	text = "Taken back."
E

# 1. With root's rights, in the person's language.
at_terminal y '서울 시간대로 바꿔줘'; exits 0
says 'sudo -n timedatectl set-timezone Asia/Seoul' '✓ 확인: 시간대는 Asia/Seoul이에요 (`timedatectl show -p Timezone --value`)'
[ "$(timedatectl show -p Timezone --value)" = Asia/Seoul ] || fail "another time zone"
logged_times 2 'SAFE timedatectl show -p Timezone --value'
at_terminal y 'Berlin time'; exits 0
says '✓ Checked: the time zone is Europe/Berlin (`timedatectl show -p Timezone --value`)'
at_terminal y 'take back the time'; exits 0
says 'timedatectl set-timezone Asia/Seoul' '✓ Checked: the time zone is Asia/Seoul (`timedatectl show -p Timezone --value`)'
at_terminal y 'name seoul'; exits 0
says '✓ Checked: the host name is seoul (`hostnamectl --static`)'
[ "$(hostnamectl --static)" = seoul ] || fail "another host name"
at_terminal y 'language'; exits 0
says '✓ Checked: the system language is LANG=C.UTF-8 (`localectl status`)'

# 2. A failure that the model calls a success.
at_terminal y 'nowhere time'
says 'Changed!' '✗ Checked: the time zone is Asia/Seoul, not Europe/Nowhere'
at_terminal y 'default missing'
says 'It opens with missing now!' '✗ Checked: the default application for image/png is'

# 3. Without root's rights.
at_terminal y '기본 앱 바꿔줘'; exits 0
says '✓ 확인: image/png의 기본 앱은 painter.desktop이에요 (`xdg-mime query default image/png`)'
at_terminal y 'default viewer'; exits 0
says '✓ Checked: the default application for image/png is viewer.desktop (`xdg-mime query default image/png`)'
at_terminal y 'close key'; exits 0
says "✓ Checked: the mode of $HOME/key is 600"

# 4. A timer of a plan becomes files and a unit.
at_terminal y 'water timer'; exits 0
says 'water.service' 'water.timer' '✓ Checked: water.timer is running and set to start automatically'
[ "$(systemctl --user is-active water.timer)" = active ] || fail "the timer does not run"
systemctl --user start water.service
[ "$(cat "$HOME/watered")" = 100% ] || fail "it ran something else: $(cat "$HOME/watered")"
echo "story complete"
