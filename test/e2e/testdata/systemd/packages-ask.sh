# Questions about packages, answered by the built-in helper with this machine's
# figures.

# 1. One package.
ask "is htop installed?"; exits 0; says "Yes, htop is installed" "3.3.0-1" "Interactive process viewer"
ask "htop 설치되어 있어?"; exits 0; says "네, htop이 설치되어 있어요" "3.3.0-1"
ask "htop 버전 뭐야"; exits 0; says "htop의 버전은 3.3.0-1이에요"
ask "what version of htop do I have?"; exits 0; says "htop is version 3.3.0-1"
ask "is vlc installed?"; exits 0; says "vlc is neither installed"
ask "vlc 설치돼 있어?"; exits 0; says "vlc는 설치되어 있지 않고"

ask "which package owns /usr/bin/htop?"; exits 0; says "/usr/bin/htop belongs to the package htop 3.3.0-1"
ask "htop 명령은 어느 패키지야?"; exits 0; says "htop 3.3.0-1 패키지에 들어 있어요"
ask "which package owns /etc/fstab"; says "No installed package has /etc/fstab"

# 2. Lists.
ask "what packages do I have installed"; exits 0
says "$(pacman -Q | wc -l) packages installed." "blunux-aurthing 3.0-1" "blunux-base 2026.1-1" "blunux-orphan 0.1-1" "htop 3.3.0-1" "linux 6.9.1.arch1-1"
ask "설치된 패키지 목록 보여줘"; exits 0; says "모두 $(pacman -Q | wc -l)개예요" "linux 6.9.1.arch1-1"
ask "안 쓰는 고아 패키지 있는지 봐줘"; exits 0; says "고아 패키지가 1개" "blunux-orphan 0.1-1"; silent_on htop
ask "any orphan packages?"; exits 0; says "1 orphaned package:" "blunux-orphan 0.1-1"; silent_on htop
ask "foreign packages?"; exits 0; says "1 foreign package" "blunux-aurthing 3.0-1"; silent_on htop
sudo -n pacman -D --asexplicit blunux-orphan >/dev/null # no orphans: pacman exits with 1
ask "any orphan packages?"; exits 0; says "No orphaned packages"
ask "고아 패키지 있어?"; exits 0; says "고아 패키지가 없어요"

# 3. Searching.
ask "search for htop"; exits 0; says "htop 3.3.0-1 [installed]" "blunux-clash 1.0-1"
ask "search for a package called blunux-hello"; exits 0; says "blunux-hello 1.0-1 – Says hello, 안녕하세요" "blunux-hello-git 1.0.r5.gabc1234-1" "Shall I install blunux-hello?"
ask "blunux-hello 패키지 검색해줘"; exits 0; says "찾은 패키지가 2개" "blunux-hello 1.0-1 – Says hello, 안녕하세요"
ask "zzzznothing 패키지 찾아줘"; exits 0; says "'zzzznothing'에 맞는 패키지가 없어요" # pacman exits with 1

# 4. Updates without pacman-contrib: the helper only has the lists of the last
#    sync and says so. pacman -Qu exits with 1 if there are none.
ask "any updates?"; exits 0; says "No updates found" "last synced" "checkupdates"
ask "업데이트 있어?"; exits 0; says "업데이트가 보이지 않아요" "checkupdates"
sudo -n bash "$WORLD/bin/repo-update"
ask "any updates?"; exits 0; says "No updates found"

# 5. With it: the system's own lists are not synced.
sudo -n mv /usr/local/share/checkupdates /usr/local/bin/
ask "any updates?"; exits 0
says "2 packages to update." "htop 3.3.0-1 -> 3.4.1-1" "linux 6.9.1.arch1-1 -> 6.10.2.arch1-1" "Before you reboot"
ask "업데이트 있어?"; exits 0; says "업데이트할 패키지가 2개" "htop 3.3.0-1 -> 3.4.1-1" "커널(linux)"
ask "is there an update for htop?"; exits 0; says "Yes, htop has an update: 3.3.0-1 -> 3.4.1-1"
[ -z "$(pacman -Qu)" ] || fail "asking synced the system's own lists"
sudo -n pacman -Syu --noconfirm >/dev/null
ask "any updates?"; exits 0; says "Everything is up to date" # exits with 2
ask "업데이트 있어?"; exits 0; says "모두 최신이에요"

# 6. An unreachable mirror is a failure, not "up to date".
sudo -n mv "$WORLD/repo/blunux.db" "$WORLD/repo/away.db"
ask "any updates?"; exits 0; says "Cannot fetch updates"; silent_on "up to date"
ask "업데이트 있어?"; exits 0; says "Cannot fetch updates"; silent_on "최신"

# 7. All commands were read-only.
! sed 's/^\[[^]]*\] *//' "$LOG" | grep -qv '^SAFE ' || fail "not only SAFE"
logged "SAFE pacman -Qi -- htop"
logged "SAFE pacman -Ss -- blunux-hello"
logged "SAFE checkupdates"
echo "story complete"
