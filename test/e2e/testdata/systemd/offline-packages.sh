# What the built-in helper offers about packages, and that accepting an offer
# needs confirmation before it runs.
update="sudo -n pacman -Syu --noconfirm"
in_session() { capture blunux-aictl ask --session "$1" -- "$2"; }
sudo -n mv /usr/local/share/checkupdates /usr/local/bin/
sudo -n pacman -S --noconfirm blunux-hello >/dev/null
sudo -n bash "$WORLD/bin/repo-update"
# The system's own lists were just written, and pacman compares whole seconds.
sudo -n touch -d "@$(($(date +%s) + 60))" "$WORLD/repo/blunux.db.tar.gz"

# 1. Pending updates, including a kernel, in three languages.
ask "any updates?"; exits 0
says "3 packages to update." "linux 6.9.1.arch1-1 -> 6.10.2.arch1-1" "htop 3.3.0-1 -> 3.4.1-1" "blunux-hello 1.0-1 -> 1.1-1" "kernel (linux)" "Before you reboot" "$update"
ask "업데이트 있어?"; exits 0; says "3개" "linux 6.9.1.arch1-1 -> 6.10.2.arch1-1" "커널(linux)" "재부팅" "$update"
ask "有可用的更新吗？"; exits 0; says "3 个" "linux 6.9.1.arch1-1 -> 6.10.2.arch1-1" "内核（linux）" "重启" "$update"
ask "do I need to reboot after updating?"; exits 0; says "kernel (linux)" "Before you reboot"
ask "업데이트하면 재부팅해야 돼?"; exits 0; says "재부팅: 필요해요(linux)."
ask "is there an update for linux?"; exits 0; says "6.9.1.arch1-1 -> 6.10.2.arch1-1" "whole system"
ask "any orphan packages?"; exits 0; says "1 orphaned package:" "blunux-orphan 0.1-1"
ask "고아 패키지 있어?"; exits 0; says "1개" "blunux-orphan 0.1-1"

# 2. An installed kernel that does not run yet.
ask "재부팅 필요해?"; exits 0; says "재부팅"

# 3. A yes answers the offer and needs confirmation; a no, or a yes in another
# session, does not.
in_session other "yes"; exits 9
in_session ko "업데이트 있어?"; says "$update"
in_session ko "아니"; exits 0
in_session ko "네"; exits 9
[ -z "$(blunux-aictl approvals 2>/dev/null)" ] || fail "something waits: $(blunux-aictl approvals)"
! sed 's/^\[[^]]*\] *//' "$LOG" | grep -qv '^SAFE ' || fail "not only SAFE"
ask "업데이트 있어?"
ask "네"; exits 5; says "blunux-aictl approve"
installed htop 3.3.0-1; installed linux 6.9.1.arch1-1
parked deny "$update"
installed htop 3.3.0-1
logged_times 1 "CANCELLED $update"
ask "any updates?"
at_terminal n "yes"; exits 5; says "$update"
installed htop 3.3.0-1
ask "any updates?"
at_terminal y "yes"; exits 0; says "$update" "Updated the system (3 packages)" "reboot"
installed htop 3.4.1-1; installed linux 6.10.2.arch1-1; installed blunux-hello 1.1-1
logged_times 1 "CONFIRMED $update"
ask "any updates?"; exits 0; says "Everything is up to date"; silent_on "Shall I update"

# 4. A shell names the package of a program that is not there, once pacman has its lists of files.
blunux-ai shell bash >"$HOME/integration"
missing() { capture bash --norc -ic ". $HOME/integration; blunux-suite"; exits 127; says "blunux-suite: command not found"; }
missing; silent_on "--repair"
capture blunux-aictl why --status 127 -- blunux-suite; exits 0; says "pacman -Fy"
sudo -n pacman -Fy >/dev/null
missing; says "Install blunux-suite: blunux-aictl diagnose start blunux-suite --repair"
confirmed "blunux-aictl diagnose start blunux-suite --repair" 1; exits 0; installed blunux-suite 2.0-1
[ "$(blunux-suite)" = "blunux-suite 2.0" ] || fail "it does not run"
echo "story complete"
