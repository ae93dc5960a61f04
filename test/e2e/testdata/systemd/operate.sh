# What a person tells the desktop, with the real programs: xclip and a window on a virtual screen, a player that
# playerctl finds over MPRIS, and a session of Sway. Run as an ordinary user with a real user manager: $BIN has the
# programs, $UNITS the unit files.
export LANG=en_US.UTF-8 XDG_SESSION_TYPE=x11
for program in Xvfb xclip xev xwininfo chromium playerctl sway grim swaylock wl-paste; do
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

# 3. Music: a page that plays. Chromium is an MPRIS player; the page has two songs.
python3 - "$HOME" <<'PY'
import struct, sys
samples = b''.join(struct.pack('<h', i % 2 * 300) for i in range(8000 * 30))
head = struct.pack('<4sI4s4sIHHIIHH4sI', b'RIFF', 36 + len(samples), b'WAVE', b'fmt ', 16, 1, 1, 8000, 16000, 2, 16, b'data', len(samples))
open(sys.argv[1] + '/song.wav', 'wb').write(head + samples)
PY
cat >"$HOME/player.html" <<'HTML'
<audio src="song.wav" loop autoplay></audio><script>
const songs = ['아리랑', 'Second Song']; let at = 0
const show = () => { navigator.mediaSession.metadata = new MediaMetadata({ title: songs[at], artist: 'Choir' }) }
for (const key of ['nexttrack', 'previoustrack']) navigator.mediaSession.setActionHandler(key, () => { at = 1 - at; show() })
document.querySelector('audio').onplay = show
</script>
HTML
chromium --no-sandbox --no-first-run --autoplay-policy=no-user-gesture-required --user-data-dir="$HOME/browser" --app="file://$HOME/player.html" >"$HOME/browser.log" 2>&1 & player=$!
plays() { [ "$(playerctl status)" = "$1" ] && [ "$(playerctl metadata title)" = "$2" ]; }
until_ok plays Playing 아리랑 || fail "no player: $(cat "$HOME/browser.log")"
say m "what song is playing?"; says "Choir - 아리랑"
say m "pause the music"; says "playerctl pause"; yes m "yes"; until_ok plays Paused 아리랑 || fail "it still plays"
yes m "undo that"; until_ok plays Playing 아리랑 || fail "it does not play again"
say m "다음 곡 틀어줘"; says "playerctl next"; yes m "응"; until_ok plays Playing "Second Song" || fail "the same song"
say m "stop the music"; yes m "yes"; until_ok plays Paused "Second Song" || fail "it still plays"
kill $player; wait $player || :
say m "play music"; says "No player"

# 4. A session of Sway: a picture, the scale, the clipboard, the lock, and its end. Sway tells the user manager of
# its screen as the file of the Arch package does (/etc/sway/config.d/50-systemd-user.conf).
systemctl --user stop blunux-ai-agent.service
systemctl --user unset-environment DISPLAY
mkdir -p "$HOME/.config/sway"
cat >"$HOME/.config/sway/config" <<'SWAY'
output HEADLESS-1 resolution 1280x720
exec systemctl --user import-environment WAYLAND_DISPLAY SWAYSOCK XDG_CURRENT_DESKTOP XDG_SESSION_TYPE
SWAY
env -u DISPLAY WLR_BACKENDS=headless WLR_RENDERER=pixman WLR_LIBINPUT_NO_DEVICES=1 XDG_CURRENT_DESKTOP=sway XDG_SESSION_TYPE=wayland sway >"$HOME/sway.log" 2>&1 & compositor=$!
known() { systemctl --user show-environment | grep -q '^SWAYSOCK='; }
until_ok known || fail "no Sway: $(cat "$HOME/sway.log")"
eval "$(systemctl --user show-environment | grep -E '^(SWAYSOCK|WAYLAND_DISPLAY)=' | sed 's/^/export /')"
say s "take a screenshot"; says "grim "; yes s "yes"; says "screenshot-"
picture=$(ls "$HOME"/screenshot-*.png) || fail "no picture"
[ "$(od -An -tx1 -N4 "$picture" | tr -d ' ')" = 89504e47 ] || fail "no PNG"
say s "스크린샷 어디 있어?"; says "$HOME"
say z "make everything bigger, 150%"; says "swaymsg output HEADLESS-1 scale 1.5"; yes z "yes"
swaymsg -p -t get_outputs | grep -q 'Scale factor: 1.5' || fail "another scale"
yes z "되돌려줘"; swaymsg -p -t get_outputs | grep -q 'Scale factor: 1.0' || fail "not taken back"
say z3 "글씨가 너무 작아"; says "swaymsg output HEADLESS-1 scale 1.25"
say z3 "지금 뉴욕 몇 시야?"; says "New York" "$(TZ=America/New_York date +%F)"
say z "what's my screen resolution?"; says "HEADLESS-1: 1280×720"
say c2 "copy see you soon to the clipboard"; yes c2 "yes"; [ "$(wl-paste -n)" = "see you soon" ] || fail "the clipboard has: $(wl-paste -n)"
say l "lock the screen"; says "swaylock"; yes l "yes"; pgrep -x swaylock >/dev/null || fail "not locked"
pkill -x swaylock || :
say e "log me out"; says "swaymsg exit"; [ -d "/proc/$compositor" ] || fail "it did not ask"
yes e "yes"; wait $compositor || :
pgrep -x sway >/dev/null && fail "Sway runs"
echo "story complete"
