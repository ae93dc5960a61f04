# What a person tells the desktop, with the real programs: xclip and a window on a virtual screen. Run as an
# ordinary user with a real user manager: $BIN has the programs, $UNITS the unit files.
export LANG=en_US.UTF-8 XDG_SESSION_TYPE=x11
for program in Xvfb xclip xev xwininfo; do
  command -v $program >/dev/null || { echo "not here: $program"; exit 0; }
done
say() { out=$(blunux-aictl ask --session "$1" -- "$2" 2>&1) || :; }
# yes SESSION WORD: accepts the offer, and then the question at a terminal.
yes() { session --session "$1" "$2" y; }

# A virtual screen with a number that is free: the socket of an earlier one may still be there.
Xvfb -displayfd 3 -screen 0 800x600x24 -nolisten tcp 3>"$HOME/display" >/dev/null 2>&1 &
screen=$!
trap 'kill $screen || :' EXIT
until_ok grep -q . "$HOME/display" || fail "no screen"
DISPLAY=:$(cat "$HOME/display")
export DISPLAY

units="$HOME/.config/systemd/user"
mkdir -p "$units"
cp "$UNITS"/blunux-ai-agent.* "$units/"
systemctl --user daemon-reload
systemctl --user set-environment DISPLAY=$DISPLAY XDG_SESSION_TYPE=x11
systemctl --user enable --now blunux-ai-agent.socket

# 1. The clipboard holds the text, and a program is opened with its window.
say c "copy hello there to the clipboard"; yes c "yes"; says "is running: run-"
[ "$(xclip -selection clipboard -o)" = "hello there" ] || fail "the clipboard has: $(xclip -selection clipboard -o)"

mkdir -p "$HOME/.local/share/applications"
printf '[Desktop Entry]\nType=Application\nName=Watcher\nExec=xev -name watcher\n' >"$HOME/.local/share/applications/watcher.desktop"
say o "open watcher"; says "xev -name watcher"; yes o "yes"; says "is running: run-"
until_ok sh -c 'xwininfo -root -tree | grep -q "\"watcher\""' || fail "no window"

# 2. One that ends at once is not proved.
printf '[Desktop Entry]\nType=Application\nName=Gone\nExec=true gone\n' >"$HOME/.local/share/applications/gone.desktop"
say g "open gone"; yes g "yes"; says "Not proved."
echo "story complete"
