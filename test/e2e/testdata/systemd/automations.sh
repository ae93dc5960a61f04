# Run as an ordinary user with a real user manager: $BIN has the programs,
# $UNITS the unit files.
set -eu # no pipefail: grep -q ends its writer early
export PATH="$BIN:$PATH" LANG=en_US.UTF-8
fail() { echo "FAILED: $*"; blunux-aictl automations history || true; systemctl --user list-timers --all --no-pager || true; journalctl --user --no-pager -n 60; exit 1; }
state() { systemctl --user show -p ActiveState --value blunux-ai-agent.service; }
gone() { [ "$(state)" = inactive ]; }

units="$HOME/.config/systemd/user" home="$HOME/.config/blunux-ai"
mkdir -p "$units" "$home"
cp "$UNITS"/blunux-ai-agent.* "$units/"
# The daemon exits after a second of idleness.
printf '[limits]\nidle_exit = 1\n' > "$home/config.toml"
cat > "$home/automations.toml" <<RULES
# mine
[[automation]]
name = "minutely"
schedule = "* * * * *"
action = "disk full?"
notify = ["cli"]

[[automation]]
name = "touched"
on = "file:$HOME/watched"
action = "how much memory is free?"
notify = ["cli"]

[[automation]]
name = "asks"
schedule = "0 0 1 1 *"
action = "run touch $HOME/approved"
notify = ["desktop"]
RULES
systemctl --user daemon-reload
systemctl --user enable --now blunux-ai-agent.socket

# 1. Listing the rules starts the daemon; it exits, and has set the timer to the
#    next due time.
blunux-aictl automations | grep -q minutely || fail "the rules are not listed"
until_ok gone || fail "the daemon stays"
grep -q "^OnCalendar=.* UTC" "$units/blunux-ai-agent.timer.d/50-due.conf" || fail "nothing is due in the timer"
[ "$(systemctl --user is-active blunux-ai-agent.timer)" = active ] || fail "the timer is not active"
grep -q "$HOME/watched" "$units/blunux-ai-agent.path.d/50-files.conf" || fail "the file is not watched"

# 2. Without any action the timer starts the daemon, the rule runs, the daemon
#    exits.
before=$(grep -c '"state":"RAN"' "$home/automations/ledger.jsonl" || true)
until_ok sh -c '[ "$(grep -c "\"state\":\"RAN\"" "$1")" -gt "$2" ]' _ "$home/automations/ledger.jsonl" "$before" || fail "nothing ran"
grep -q "AUTOMATION  df" "$home/logs/commands.log" || fail "not logged as an automation's"
grep '"automation":"minutely"' "$home/logs/audit.jsonl" | grep -q '"command":"df' || fail "the trail does not name the rule"
until_ok gone || fail "the daemon stays after a rule has run"
blunux-aictl automations history minutely | grep -qw ran || fail "history does not tell it"
blunux-aictl notifications | grep -q "minutely" || fail "nobody is told"
! blunux-aictl automations history minutely | grep -Eqw "late|failed" || fail "late, or failed"

# 3. A file changes while no daemon runs.
until_ok gone || fail "the daemon stays"
echo x > "$HOME/watched"
until_ok grep -q "AUTOMATION  free" "$home/logs/commands.log" || fail "a changed file begins nothing"

# 3b. A reminder that is set in words wakes the daemon by the timer, is told once and is over.
until_ok gone || fail "the daemon stays"
blunux-aictl automations add --name tea --at 45s --say "drink tea" --notify cli >/dev/null || fail "no reminder"
until_ok gone || fail "the daemon stays for a reminder"
grep -q "^OnCalendar=.* UTC" "$units/blunux-ai-agent.timer.d/50-due.conf" || fail "the reminder is not in the timer"
until_ok grep -q '"rule":"tea".*"state":"RAN"' "$home/automations/ledger.jsonl" || fail "the timer does not wake it for the reminder"
[ "$(blunux-aictl notifications | grep -c 'drink tea')" = 1 ] || fail "the reminder is not told once"
! blunux-aictl automations show tea >/dev/null 2>&1 || fail "the reminder is not over"

# 3c. One waits for a unit of the service manager, and is told when it has ended.
systemd-run --user --quiet --unit=transcode sleep infinity
blunux-aictl ask "tell me when transcode.service finishes" >/dev/null || fail "no reminder for a unit"
grep -q 'unit:transcode.service' "$home/automations.d/50-managed.toml" || fail "it waits for something else: $(cat "$home/automations.d/50-managed.toml")"
! blunux-aictl notifications | grep -q transcode || fail "told although it runs"
systemctl --user stop transcode.service
until_ok sh -c 'blunux-aictl notifications | grep -q "transcode.service"' || fail "nobody is told that the unit has ended"
! blunux-aictl ask "tell me when transcode.service finishes" >"$HOME/over" || fail "a reminder for a unit that does not run: $(cat "$HOME/over")"

# 4. A real notification server on a virtual screen; a script presses the button
#    in its menu, which approves.
if command -v dunst >/dev/null && command -v Xvfb >/dev/null; then
  printf '#!/bin/sh\ngrep -F Approve\n' > "$HOME/menu"; chmod 700 "$HOME/menu"
  printf '[global]\n dmenu = %s\n' "$HOME/menu" > "$HOME/dunstrc"
  Xvfb :17 -screen 0 800x600x24 -nolisten tcp >/dev/null 2>&1 & xvfb=$!
  until_ok test -S /tmp/.X11-unix/X17 || fail "no screen"
  DISPLAY=:17 dunst -config "$HOME/dunstrc" >/dev/null 2>&1 & dunst=$!
  until_ok env DISPLAY=:17 dunstctl is-paused || fail "dunst does not start"
  blunux-aictl automations run asks --wait >/dev/null
  [ ! -e "$HOME/approved" ] || fail "run unasked"
  until_ok sh -c 'DISPLAY=:17 dunstctl count displayed | grep -q "^[1-9]"' || fail "no notification"
  DISPLAY=:17 dunstctl context
  until_ok test -e "$HOME/approved" || fail "the button does not approve"
  grep "AUTOMATION  touch" "$home/logs/commands.log" >/dev/null || fail "the approved command is not in the log"
  grep '"command":"touch' "$home/logs/audit.jsonl" | grep -q '"approver":"desktop"' || fail "the trail does not say who approved"
  kill "$dunst" "$xvfb"
else
  echo "no dunst or Xvfb: the button is not pressed"
fi

# 5. The user's file is unchanged by commands.
sum=$(sha256sum < "$home/automations.toml")
blunux-aictl automations disable minutely >/dev/null
blunux-aictl automations | grep minutely | grep -qw paused || fail "not off"
[ "$sum" = "$(sha256sum < "$home/automations.toml")" ] || fail "the person's file was changed"
blunux-aictl log --verify >/dev/null || fail "the trail does not verify"
echo "story complete"
