# Machines that are really broken, and the built-in helper alone: what it finds,
# the plan, a yes, what the check shows, and the way back, in Korean and English.
# undone SESSION WORDS: takes the last change back.
undone() { yes "$1" "$2"; exits 0; says "U"; }
read_only() { ! sed 's/^\[[^]]*\] *//' "$LOG" | grep -qv '^SAFE ' || fail "not only SAFE"; }

say w "what can be undone?"; exits 0; says "Nothing that I changed can be taken back"

# 1. A lock that nothing holds. While a package program lives, nothing is offered.
lock=/var/lib/pacman/db.lck
sudo -n touch -d '2026-03-04 05:06' $lock
cp /bin/sleep "$HOME/makepkg"; "$HOME/makepkg" 1000 & holder=$!
until_ok pgrep -x makepkg || fail "no makepkg"
say l0 "unable to lock database"; exits 0; says "$holder makepkg" "Wait until it finishes"; silent_on "This would fix it"
say l0 "데이터베이스가 잠겼대"; exits 0; says "$holder makepkg"; silent_on "고칠 수 있어요"
kill $holder; wait $holder 2>/dev/null || :
say l1 "unable to lock database"; exits 0
says "$lock" "2026-03-04 05:06" "no package program is running" "Remove the lock file" "pacman -Dk"; silent_on "pacman -Syu"
read_only
yes l1 "yes"; exits 0
says "only reads" "rm -- $lock" "checked with: pacman -Dk" "✓ Checked" "$lock is gone" "No database errors"
[ ! -e $lock ] || fail "the lock is still there"
undone l1 "undo that"; [ -e $lock ] || fail "it is not as before"
sudo -n chmod 000 $lock # as pacman makes it
say l2 "데이터베이스가 잠겼대"; exits 0; says "2026-" "실행 중인 패키지 프로그램은 없어요" "되돌릴 수 없어요"
yes l2 "네"; exits 0; says "되돌릴 수 없어요" "✓ 확인" "No database errors"
[ ! -e $lock ] || fail "the lock is still there"
say l3 "unable to lock database"; says "isn't locked"

# 2. Packages that nobody needs. One of them is of use for another.
sudo -n pacman -S --noconfirm --asdeps blunux-libdemo >/dev/null
sudo -n sed -i 's/^strace: .*/blunux-libdemo: shows more/' /var/lib/pacman/local/htop-3.3.0-1/desc
before=$(pacman -Q; pacman -Qd)
say o1 "remove what nobody needs"; exits 0
says "1 orphaned package:" "blunux-orphan 0.1-1" "blunux-libdemo 1.0-1" "optional for htop" "can be taken back"; silent_on "-Rdd"
yes o1 "yes"; exits 0; says "pacman -R --noconfirm -- blunux-orphan" "can be taken back" "✓ Checked: no longer installed: blunux-orphan"
absent blunux-orphan; installed blunux-libdemo 1.0-1
undone o1 "undo that"; says "--asdeps" "✓ Checked: installed: blunux-orphan 0.1-1"
[ "$(pacman -Q; pacman -Qd)" = "$before" ] || fail "not as before: $(pacman -Q; pacman -Qd)"
say o2 "필요 없는 패키지 지워줘"; exits 0; says "blunux-orphan 0.1-1" "blunux-libdemo 1.0-1" "선택적으로 사용: htop" "되돌릴 수 있어요"
yes o2 "네"; exits 0; says "✓ 확인"; absent blunux-orphan
undone o2 "아까 지운 거 되돌려줘"; says "✓ 확인"
[ "$(pacman -Q; pacman -Qd)" = "$before" ] || fail "not as before"
sudo -n sh -c "rm '$(pacman-conf CacheDir)'blunux-orphan-*"
say o3 "remove what nobody needs"; says "Not in the package cache" "can't be taken back"
yes o3 "yes"; exits 0; says "can't be taken back"; absent blunux-orphan
say o3 "remove what nobody needs"; says "Nothing should be removed" "optional for htop"; silent_on "This would fix it"

# 3. A locale that is set but not generated.
printf 'LANG=ko_KR.UTF-8\n' | sudo -n tee /etc/locale.conf >/dev/null
sudo -n sed -i 's/^\([a-z]\)/# \1/' /etc/locale.gen
gen=$(sha256sum /etc/locale.gen); made=$(locale -a)
case $made in *ko_KR.utf8*) fail "it is there already" ;; esac
say g1 "Korean is garbled in the terminal"; exits 0; says "ko_KR.UTF-8" "was not generated" "/etc/locale.gen" "locale-gen"
yes g1 "yes"; exits 0; says "+ko_KR.UTF-8 UTF-8" "locale-gen" "✓ Checked" "locale -a"
locale -a | grep -qx ko_KR.utf8 || fail "not generated"
undone g1 "undo that"
[ "$(sha256sum /etc/locale.gen)" = "$gen" ] || fail "locale.gen is not as before"
[ "$(locale -a)" = "$made" ] || fail "locales are not as before: $(locale -a)"
say g2 "터미널에 한글이 깨져 나와"; exits 0; says "만들어져 있지 않아요" "#" "locale-gen"
yes g2 "네"; exits 0; says "✓ 확인" "locale -a"
locale -a | grep -qx ko_KR.utf8 || fail "not generated"
undone g2 "방금 그거 취소해줘"
[ "$(sha256sum /etc/locale.gen)" = "$gen" ] || fail "locale.gen is not as before"

# 4. A service whose directory belongs to root. Its directory is not a
# StateDirectory of systemd, which would take it back by itself at each start.
sudo -n useradd -r ledger 2>/dev/null || :
sudo -n install -d -o ledger -g ledger -m 700 /var/lib/ledger/books
sudo -n chown ledger: /var/lib/ledger
sudo -n tee /usr/local/bin/ledgerd >/dev/null <<'X'
#!/bin/sh
touch /var/lib/ledger/books/today || { until journalctl -q -u ledger | grep -q denied; do sleep 0.02; done; exit 1; }
exec sleep infinity
X
sudo -n chmod 755 /usr/local/bin/ledgerd
sudo -n tee /etc/systemd/system/ledger.service >/dev/null <<'X'
[Unit]
Description=Keeps the books
StartLimitIntervalSec=600
StartLimitBurst=3
[Service]
User=ledger
SupplementaryGroups=systemd-journal
StateDirectory=ledger
ExecStart=/usr/local/bin/ledgerd
Restart=always
RestartSec=10ms
X
broken() {
	sudo -n systemctl stop ledger; sudo -n systemctl reset-failed ledger 2>/dev/null || :
	sudo -n chown root:root /var/lib/ledger/books
	sudo -n systemctl daemon-reload; sudo -n systemctl start ledger || :
	until_ok sh -c '[ "$(systemctl show -p ActiveState --value ledger)" = failed ]' || fail "ledger has not failed"
	until_ok sh -c 'journalctl -q -u ledger | grep -q "repeated too quickly"' || fail "no limit"
}
owner() { sudo -n stat -c '%U:%G:%a' /var/lib/ledger/books; }
broken; was=$(owner)
say r1 "why does it keep restarting?"; exits 0
says "Permission denied" "ledger.service runs as ledger, who may not use /var/lib/ledger/books (owned by root" "failed too often" "chown -h ledger: -- /var/lib/ledger/books" "reset-failed"
silent_on "777" "User=root" "chown -R"
yes r1 "yes"; exits 0
says "chown -h ledger:" "✓ Checked" "ledger.service is running" "active (running)"
[ "$(owner)" = ledger:ledger:700 ] || fail "owner: $(owner)"
restarts=$(systemctl show -p NRestarts --value ledger)
sleep 1; [ "$(systemctl is-active ledger) $(systemctl show -p NRestarts --value ledger)" = "active $restarts" ] || fail "it restarts"
undone r1 "undo that"
[ "$(owner)" = "$was" ] || fail "not as before: $(owner)"
[ "$(systemctl is-active ledger)" != active ] || fail "it runs"
broken
say r2 "왜 자꾸 재시작돼?"; exits 0; says "ledger 사용자로 도는데 /var/lib/ledger/books" "주인 root" "여러 번 실패"
yes r2 "네"; exits 0; says "✓ 확인" "active (running)"
undone r2 "방금 한 거 되돌려줘"
[ "$(owner)" = "$was" ] || fail "not as before: $(owner)"

# 5. A printer that is paused.
command -v cupsd >/dev/null || fail "no cups"
sudo -n systemctl start cups
until_ok lpstat -r || fail "cups does not answer"
printf 'FileDevice Yes\n' | sudo -n tee -a /etc/cups/cups-files.conf >/dev/null
sudo -n systemctl restart cups; until_ok lpstat -r
sudo -n lpadmin -p office -E -v file:///dev/null 2>/dev/null; sudo -n lpadmin -d office
sudo -n cupsdisable -r "paper jam" office
until_ok sh -c 'lpstat -p office | grep -q "paper jam"' || fail "not paused: $(lpstat -t)"
state() { lpstat -p office | sed 's/since.*-/-/'; }
was=$(state)
say p1 "the printer does not print"; exits 0; says "office" "paper jam" "since" "Is the stuck paper out" "cupsenable office"; silent_on "lpadmin -x"
yes p1 "yes"; exits 0; says "sudo -n cupsenable office" "can be taken back" "✓ Checked" "lpstat -p office" "idle"
undone h1 "undo that"; [ "$(state)" = "$was" ] || fail "not as before: $(state)"
say p2 "프린터가 인쇄를 안 해"; exits 0; says "office" "paper jam" "걸린 종이" "cupsenable office"
yes p2 "네"; exits 0; says "✓ 확인" "idle"
undone p2 "아까 한 거 되돌려줘"; [ "$(state)" = "$was" ] || fail "not as before: $(state)"

# 6. What can be undone, and what this program did not change.
say w "install blunux-hello"; exits 5; parked approve "sudo -n pacman -S --noconfirm -- blunux-hello"; exits 0
say w "뭘 되돌릴 수 있어?"; exits 0; says "되돌릴 수 있는 변경" "blunux-hello"
say w "undo the update"; says "I didn't make that change" "/var/log/pacman.log"
say w "undo the installation"; exits 5; says "blunux-aictl approve"
parked approve "sudo -n pacman -R --noconfirm -- blunux-hello"; exits 0; says "✓ Checked"
absent blunux-hello
# 7. A program that does not start.
program=$(readlink -e /usr/bin/htop); mode=$(stat -c %a "$program")
sudo -n chmod 644 "$program"
say h1 "htop does not start"; exits 0; says "may not be executed (mode 644)" "chmod a+rx $program" "can be taken back"
yes h1 "yes"; exits 0; says "✓ Checked"
[ -x "$program" ] || fail "it is not executable"
undone h1 "undo that"; [ "$(stat -c %a "$program")" = 644 ] || fail "not as before"
say h2 "htop이 안 켜져"; exits 0; says "실행할 권한이 없어서" "되돌릴 수 있어요"
yes h2 "네"; exits 0; says "✓ 확인"
[ -x "$program" ] || fail "it is not executable"
sudo -n cp --preserve=all "$program" "$program.kept"
sed 's/libselinux\.so\.1/libselinux.so.9/' /bin/ls | sudo -n tee "$program" >/dev/null
"$program" 2>&1 | grep -q 'libselinux.so.9: cannot open' || fail "it starts"
say h3 "htop won't open since the update"; exits 0
says "the library libselinux.so.9 that it needs is missing" "libselinux.so.1, another version" "sudo pacman -Syu"; silent_on "ln -s" "-Sy "
say h4 "htop이 실행이 안돼요"; exits 0; says "필요한 라이브러리 libselinux.so.9가 없어서" "sudo pacman -Syu"
: | sudo -n tee "$program" >/dev/null
say h5 "htop打不开"; exits 0; says "是空文件" "pacman -S --noconfirm htop"
sudo -n mv "$program.kept" "$program"; sudo -n chmod "$mode" "$program"
say h6 "htop does not start"; exits 0; says "Nothing that was looked at explains this (a program does not start: htop)" "Looked at: \`"; silent_on "This would fix it"
say h7 "vlc does not start"; exits 0; says "There is no /usr/bin/vlc" "the package vlc is not installed"

# 8. A system that cannot be updated.
conf=/etc/pacman.conf; sudo -n cp "$conf" "$conf.kept"
sudo -n sed -i 's/^Server/#Server/; s/^Include/#Include/' "$conf"
say u1 "the update fails"; exits 0; says "has no server" "pacman-conf --repo=" "mirrorlist"; silent_on "-Sy "
sudo -n cp "$conf.kept" "$conf"; printf 'SigLevel\n[' | sudo -n tee -a "$conf" >/dev/null
say u2 "업데이트가 안 돼"; exits 0; says "/etc/pacman.conf에 잘못된 줄이" "sudoedit /etc/pacman.conf" "pacman의 말: "
sudo -n mv "$conf.kept" "$conf"
owner=$(pacman -Qlq htop | grep -v '/$' | head -1)
say u3 "error: failed to commit transaction (conflicting files) other: $owner exists in filesystem"; exits 0
says "belongs to htop" "Only one of the two"; silent_on "--overwrite"
new=/usr/share/left-behind; printf 'mine\n' | sudo -n tee $new >/dev/null
say u4 "failed to commit transaction: tool: $new exists in filesystem"; exits 0
says "belongs to no package" "sudo mv -n -- $new $new.old" "can be taken back"; silent_on "--overwrite"
yes u4 "yes"; exits 0; says "✓ Checked"; [ ! -e $new ] && [ "$(cat $new.old)" = mine ] || fail "it is not aside"
undone u4 "undo that"; [ "$(cat $new)" = mine ] && [ ! -e $new.old ] || fail "not as before"
desc=$(echo /var/lib/pacman/local/blunux-aurthing-*/desc); sudo -n cp "$desc" "$HOME/desc"
printf '%%DEPENDS%%\nhtop=3.3.0\n\n' | sudo -n tee -a "$desc" >/dev/null
sudo -n sed -i 's/^3\.3\.0-1$/3.2.0-1/' /var/lib/pacman/local/htop-3.3.0-1/desc; sudo -n mv /var/lib/pacman/local/htop-3.3.0-1 /var/lib/pacman/local/htop-3.2.0-1
sudo -n sed -i 's/^htop=3.3.0$/htop=3.2.0/' "$desc"
say u5 "cannot update the system"; exits 0; says "held up by the installed package blunux-aurthing" "htop=3.2.0" "in no repository (AUR)" "yay -Syu"; silent_on "-Rdd" "--nodeps"
say u6 "업데이트가 자꾸 실패해"; exits 0; says "설치된 blunux-aurthing" "htop=3.2.0"
sudo -n cp "$HOME/desc" "$desc"
say u7 "업데이트가 안 돼"; exits 0; silent_on "막혀 있어요"
echo "story complete"
