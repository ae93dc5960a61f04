# What a person tells the desktop, and the built-in helper alone: the request, one question with the literal command, a
# yes, what is so then, and the way back. PipeWire, WirePlumber, timedatectl and systemd are real. The other programs of
# the desktop print what the real ones print; the source is above each.
program() { sudo -n tee "/usr/bin/$1" >/dev/null; sudo -n chmod 755 "/usr/bin/$1"; }
state=/srv/desk
sudo -n install -d -m 777 $state
cd $state
echo 9600 >brightness; echo enabled >wifi; echo true >banners; echo no >locked; echo default >colours; echo 300 >idle

# The real PipeWire and WirePlumber, with a sink that plays nothing.
systemctl --user start wireplumber
pw-cli create-node adapter '{ factory.name=support.null-audio-sink node.name=speaker media.class=Audio/Sink object.linger=true audio.position=[FL,FR] }' >/dev/null
volume() { wpctl get-volume @DEFAULT_AUDIO_SINK@ 2>/dev/null | sed -n 's/^Volume: //p'; }
loud() { wpctl set-volume @DEFAULT_AUDIO_SINK@ "$1" && [ "$(volume)" = "$2" ]; }
until_ok loud 40% 0.40 || fail "no sink: $(wpctl status; journalctl --user --no-pager -n 20 -u wireplumber)"
# brightnessctl(1), -m: device, class, current, percent, maximum.
program brightnessctl <<'X'
#!/bin/sh
n=$(cat /srv/desk/brightness)
case "$1" in
-m) echo "intel_backlight,backlight,$n,$((n * 100 / 19200))%,19200" ;;
set) p=${2%\%}; echo $((p * 192)) >/srv/desk/brightness ;;
esac
X
# NetworkManager, src/nmcli: general.c, devices.c, connections.c.
program nmcli <<'X'
#!/bin/sh
case "$*" in
"radio wifi") cat /srv/desk/wifi ;;
"radio wifi on") echo enabled >/srv/desk/wifi ;;
"radio wifi off") echo disabled >/srv/desk/wifi ;;
"-t -f NAME,TYPE,AUTOCONNECT,DEVICE connection show") printf '우리집 와이파이:802-11-wireless:yes:wlan0\nlo:loopback:no:lo\n' ;;
"-t -f IN-USE,SSID,SIGNAL,SECURITY device wifi list") printf '*:우리집 와이파이:71:WPA2\n :iptime Guest:55:\n :Cafe\\: 2F:40:WPA2 WPA3\n' ;;
*) exit 2 ;;
esac
X
# loginctl(1): list-sessions, show-session.
program loginctl <<'X'
#!/bin/sh
case "$1" in
list-sessions) echo "3 1000 kim seat0 1234 user tty2 no -" ;;
show-session) echo "LockedHint=$(cat /srv/desk/locked)" ;;
lock-session) echo yes >/srv/desk/locked ;;
esac
X
# gsettings(1): get, set.
program gsettings <<'X'
#!/bin/sh
case "$1 $3" in
"get show-banners") cat /srv/desk/banners ;;
"set show-banners") echo "$4" >/srv/desk/banners ;;
"get color-scheme") echo "'$(cat /srv/desk/colours)'" ;;
"set color-scheme") echo "$4" >/srv/desk/colours ;;
"get idle-delay") echo "uint32 $(cat /srv/desk/idle)" ;;
"set idle-delay") echo "$4" >/srv/desk/idle ;;
*) exit 1 ;;
esac
X
# gnome-screenshot(1): -f.
program gnome-screenshot <<'X'
#!/bin/sh
printf PNG >"$2"
X
mkdir "$HOME/Pictures"
cp /bin/sleep "$HOME/gnome-shell"; "$HOME/gnome-shell" 1000 & shell=$!
until_ok pgrep -x gnome-shell || fail "no gnome-shell"

# 1. Volume: in Korean, and taken back; in English.
say v1 "소리 30%로 줄여줘"; exits 0
says "지금 음량은 40%예요." "음량을 30%로 바꿀까요? (\`wpctl set-volume @DEFAULT_AUDIO_SINK@ 30%\`)"
[ "$(volume)" = 0.40 ] || fail "it did not ask"
yes v1 "응"; exits 0; says "✓ 확인: 음량은 30%"; [ "$(volume)" = 0.30 ] || fail "another volume"
yes v1 "되돌려줘"; exits 0; says "음량은 40%"; [ "$(volume)" = 0.40 ] || fail "not taken back"
say v2 "it's too loud"; exits 0; says "The volume is 40%." "Shall I set the volume to 30%?"
say v2 "no"; [ "$(volume)" = 0.40 ] || fail "changed after a no"

# 2. Brightness.
say b1 "화면이 너무 어두워"; exits 0; says "지금 화면 밝기는 50%예요." "화면 밝기를 60%로 바꿀까요? (\`brightnessctl set 60%\`)"
yes b1 "네"; exits 0; says "✓ 확인: 화면 밝기는 60%"
yes b1 "되돌려줘"; exits 0; says "화면 밝기는 50%"
say b2 "set the brightness to 40%"; says "Shall I set the brightness to 40%?"; yes b2 "yes"; says "✓ Checked: the screen brightness is 40%"

# 3. Wi-Fi: the list, one that needs a password, and the passwords, which are not shown here.
say w1 "connect to the wifi called Nowhere"; exits 0; says "✓ 우리집 와이파이 · 71% 🔒" "iptime Guest · 55%" "Cafe: 2F" "isn't in range"
say w2 "connect to the wifi called Cafe: 2F"; says "nmcli --ask device wifi connect 'Cafe: 2F'" "Don't write it here"
say w3 "와이파이 비밀번호 뭐였지?"; says "nmcli device wifi show-password"; silent_on "psk"
say w4 "와이파이 꺼줘"; says "와이파이를 끌까요? (\`nmcli radio wifi off\`)"
[ "$(cat wifi)" = enabled ] || fail "it did not ask"

# 4. The lock, a screenshot, do not disturb.
say l1 "lock the screen"; says "Shall I lock the screen? (\`loginctl lock-session 3\`)"; yes l1 "yes"; says "LockedHint=yes"
say s1 "스크린샷 찍어줘"; says "화면을 찍을까요? (\`gnome-screenshot -f ~/Pictures/screenshot-"; yes s1 "응"; exits 0
ls "$HOME"/Pictures/screenshot-*.png >/dev/null || fail "no picture"
say s2 "where are my screenshots?"; says "Your screenshots are in $HOME/Pictures"
say d1 "방해 금지 모드 켜줘"; says "방해 금지를 켤까요?"; yes d1 "네"; exits 0; says "알림 표시는 꺼져 있어요"; [ "$(cat banners)" = false ] || fail "banners"
yes d1 "되돌려줘"; says "알림 표시는 켜져 있어요"
say d2 "turn on do not disturb"; says "Shall I turn on do not disturb?"

# 5. Dark colours, and after how long the screen goes off.
say k1 "다크 모드로 바꿔줘"; says "화면을 어두운 테마로 바꿀까요?"; yes k1 "응"; exits 0; [ "$(cat colours)" = prefer-dark ] || fail "the colours are $(cat colours)"
yes k1 "되돌려줘"; exits 0; [ "$(cat colours)" = default ] || fail "the colours stay $(cat colours)"
say i1 "화면 꺼지는 시간 10분으로"; says "10분 동안 쓰지 않으면 화면이 꺼지게 할까요?"; yes i1 "네"; exits 0; [ "$(cat idle)" = 600 ] || fail "$(cat idle) seconds"
say i2 "when does the screen turn off?"; says "after 10 minutes without use"

# 6. What starts at a login: the person's own files, and one that hides the system's.
mkdir -p "$HOME/.config/autostart"
own=$HOME/.config/autostart/steam.desktop
printf '[Desktop Entry]\nType=Application\nName=Steam\nExec=steam -silent\n' >"$own"
cp "$own" "$HOME/steam.before"
sudo -n mkdir -p /etc/xdg/autostart
printf '[Desktop Entry]\nType=Application\nName=Files indexer\nExec=indexer\n' | sudo -n tee /etc/xdg/autostart/indexer.desktop >/dev/null
say a1 "시작 프로그램에 뭐가 있어?"; exits 0; says "✓ Steam" "✓ Files indexer"
say a2 "컴퓨터 켤 때 스팀 안 뜨게 해줘"; says "로그인할 때 Steam이 시작하지 않게 할까요?"; yes a2 "응"; exits 0
sed -n 2p "$own" | grep -qx Hidden=true || fail "steam still starts: $(cat "$own")"
say a3 "what starts at login?"; says "✗ Steam"
yes a2 "되돌려줘"; exits 0; cmp "$own" "$HOME/steam.before" || fail "not as before"
say a4 "stop indexer from starting at login"; says "Shall I keep Files indexer from starting when you log in?"; yes a4 "yes"; exits 0
grep -qx Hidden=true "$HOME/.config/autostart/indexer.desktop" || fail "the indexer still starts"
say a5 "what starts at login?"; says "✗ Files indexer"
say a6 "start indexer at login"; yes a6 "yes"; exits 0; cmp "$HOME/.config/autostart/indexer.desktop" /etc/xdg/autostart/indexer.desktop || fail "the indexer does not start"

# 7. The time zone, with root's rights. A desktop that runs would ask for the password in a window.
kill $shell; wait $shell 2>/dev/null || :
say t1 "시간대를 도쿄로 바꿔줘"; says "시간대를 Asia/Tokyo로 바꿀까요? (\`sudo timedatectl set-timezone Asia/Tokyo\`)"; yes t1 "응"; exits 0
says "✓ 확인: 시간대는 Asia/Tokyo"; [ "$(timedatectl show -p Timezone --value)" = Asia/Tokyo ] || fail "another zone"
say t2 "set timezone to Seoul"; yes t2 "yes"; says "✓ Checked: the time zone is Asia/Seoul"

# 8. Two wishes are one plan.
say p1 "볼륨 20%로 하고 밝기 50%로 해줘"; says "wpctl set-volume @DEFAULT_AUDIO_SINK@ 20%" "brightnessctl set 50%"
yes p1 "네"; exits 0; [ "$(volume)" = 0.20 ] || fail "the volume is $(volume)"; [ "$(cat brightness)" = 9600 ] || fail "the brightness is $(cat brightness)"
echo "story complete"
