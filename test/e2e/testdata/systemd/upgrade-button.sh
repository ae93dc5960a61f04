# The check "updates" of an automation says how many updates there are and how many need the person. The button of its real
# notification shows the preview, and changes nothing.
home=$HOME/.config/blunux-ai
mkdir -p "$home"
cat >"$home/automations.toml" <<X
[[automation]]
name = "updates"
schedule = "0 0 1 1 *"
check = "updates"
notify = ["desktop"]
X
systemctl --user unset-environment BLUNUX_AI_AUTOMATIONS; unset BLUNUX_AI_AUTOMATIONS
sudo -n bash "$WORLD/bin/repo-update"
echo mine | sudo -n tee -a /etc/htoprc >/dev/null

printf '#!/bin/sh\ntee "%s" | grep -F Preview\n' "$HOME/offered" >"$HOME/menu"; chmod 700 "$HOME/menu"
printf '[global]\n dmenu = %s\n' "$HOME/menu" >"$HOME/dunstrc"
Xvfb :18 -screen 0 800x600x24 -nolisten tcp >/dev/null 2>&1 & xvfb=$!
until_ok test -S /tmp/.X11-unix/X18 || fail "no screen"
export DISPLAY=:18
dunst -config "$HOME/dunstrc" >/dev/null 2>&1 & dunst=$!
until_ok dunstctl is-paused || fail "dunst does not start"

capture blunux-aictl automations run updates --wait
says "2 updates, 1 needs you: " "/etc/htoprc"
displayed() { [ "$(dunstctl count displayed)" -ge 1 ]; }
until_ok displayed || fail "no notification"
looked() { [ "$(grep -c "/blunux-ai preview --json --brief$" "$LOG")" = "$1" ]; }
looked 1 || fail "not one look"
dunstctl context
previewed() { looked 2 && displayed; }
until_ok previewed || fail "the button shows nothing"
grep -q Preview "$HOME/offered" || fail "no button: $(cat "$HOME/offered")"
# What dunst has shown is in its history once it is closed: the preview and, before it, what the check found.
shown() { dunstctl close-all; dunstctl history | grep -q "Reboot: yes, because of linux."; }
until_ok shown || fail "another text: $(dunstctl history)"
out=$(dunstctl history); says "2 updates, 1 needs you: " "htop, linux" "/etc/htoprc.pacnew"
kill $dunst $xvfb
installed htop 3.3.0-1
! grep -q CONFIRMED "$LOG" || fail "something was changed"
echo "story complete"
