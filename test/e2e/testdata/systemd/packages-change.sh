# Installing, removing and updating: nothing happens before a yes, exactly the
# command shown runs after it, and pacman's result is reported.
hello="sudo -n pacman -S --noconfirm -- blunux-hello"
nothello="sudo -n pacman -Rns --noconfirm -- blunux-hello"

# 1. Without a terminal: it waits, and nothing is installed.
ask "install blunux-hello"; exits 5; says "blunux-aictl approve"
absent blunux-hello
[ ! -s "$LOG" ] || ! grep -q pacman "$LOG" || fail "logged before it was approved"
parked approve "$hello"; exits 0; says "installing blunux-libdemo" "installing blunux-hello"
installed blunux-hello 1.0-1; installed blunux-libdemo 1.0-1
[ "$(blunux-hello)" = "blunux-hello 1.0" ] || fail "not really installed"
logged_times 1 "CONFIRMED $hello"

# 2. Removed the same way, with unneeded dependencies.
ask "blunux-hello 삭제해줘"; exits 5
installed blunux-hello 1.0-1
parked approve "$nothello"; exits 0; says "removing blunux-hello"
absent blunux-hello; absent blunux-libdemo
[ ! -e /usr/bin/blunux-hello ] || fail "its file is still there"
logged_times 1 "CONFIRMED $nothello"

# 3. Denied.
ask "install blunux-hello"; exits 5
parked deny "$hello"
absent blunux-hello
logged_times 1 "CANCELLED $hello"

# 4. An original peer: the command in full, then 네.
peer "blunux-hello 설치해줘"; says "$hello" '"actions":["allow_once","reject"]' "관리자 권한"
absent blunux-hello
peer "네"; says "blunux-hello를 설치했어요"
installed blunux-hello 1.0-1
peer "blunux-hello 설치해줘"; peer "네"; says "이미 설치되어 있어서"
peer "blunux-hello 삭제해줘"; says "$nothello"
peer "아니요"; says "실행하지 않았어요"
installed blunux-hello 1.0-1
logged_times 1 "CANCELLED $nothello"
# Other text is a no too.
peer "blunux-hello 삭제해줘"; peer "htop 버전 뭐야"; says "3.3.0-1"
installed blunux-hello 1.0-1
logged_times 2 "CANCELLED $nothello"

# 5. At a terminal.
at_terminal n "remove blunux-hello"; exits 5; says "$nothello"
installed blunux-hello 1.0-1
at_terminal y "remove blunux-hello"; exits 0; says "$nothello" "Removed blunux-hello"
absent blunux-hello

# 6. Failures are reported in pacman's words.
peer "install blunux-nosuch"; peer yes; says "Couldn't install blunux-nosuch" "error: target not found: blunux-nosuch"
peer "blunux-nosuch 설치해줘"; peer 네; says "설치하지 못했어요(종료 코드 1)" "error: target not found: blunux-nosuch"
peer "remove blunux-nosuch"; peer yes; says "blunux-nosuch isn't installed" "error: target not found: blunux-nosuch"
peer "install blunux-clash"; peer yes; says "Couldn't install blunux-clash" "/usr/bin/htop exists in filesystem"
absent blunux-clash
peer "remove blunux-base"; peer yes; says "Couldn't remove blunux-base" "HoldPkg"
installed blunux-base 2026.1-1
peer "install blunux-hello"; peer yes; peer "remove blunux-libdemo"; peer yes; says "Couldn't remove blunux-libdemo" "required by blunux-hello"
installed blunux-libdemo 1.0-1
sudo -n touch /var/lib/pacman/db.lck
peer "blunux-hello 삭제해줘"; peer 네; says "blunux-hello를 삭제하지 못했어요" "unable to lock database"
installed blunux-hello 1.0-1
sudo -n rm /var/lib/pacman/db.lck

# 7. The whole system.
peer "시스템 업데이트 해줘"; says "모든 패키지가 최신이에요"
printf 'color=mine\n' | sudo -n tee /etc/htoprc >/dev/null # so that the new file is installed as .pacnew
sudo -n bash "$WORLD/bin/repo-update"
peer "update my system"; says "3 updates, " "Reboot: yes, because of linux" "/etc/htoprc.pacnew" "sudo -n pacman -Syu --noconfirm"
installed htop 3.3.0-1
peer yes; says "Updated the system (3 packages)" "reboot" "/etc/htoprc.pacnew"
installed htop 3.4.1-1; installed linux 6.10.2.arch1-1; installed blunux-hello 1.1-1
grep -q mine /etc/htoprc || fail "the person's configuration was overwritten"
echo "story complete"
