# An update is taken back in one transaction: packages that need each other's versions, a new dependency, a package that
# another one replaced. Versions, reasons and files are as before.
state() { pacman -Q | sort; echo explicit; pacman -Qqe | sort; blunux-suite; blunux-named; }
same() { state >"$HOME/.now" 2>&1; diff "$HOME/.$1" "$HOME/.now" || fail "it is not as $1"; }

sudo -n pacman -S --noconfirm blunux-suite >/dev/null 2>&1
sudo -n pacman -S --asdeps --noconfirm blunux-named >/dev/null 2>&1
state >"$HOME/.before"
sudo -n bash "$WORLD/bin/repo-update"

# 1. In English: what comes and goes stands in the question, and it all comes back.
confirmed "blunux-aictl ask --session en 'update my system'" 1
installed htop 3.4.1-1; installed blunux-suite 2.0-1; installed blunux-newdep 2.0-1; installed blunux-renamed 2.0-1
! pacman -Qq | grep -qx blunux-named || fail "the old name is still there"
confirmed "blunux-aictl ask --session en 'take back the last update'" 1
says "pacman -U --noconfirm --ask=4" "blunux-suite-1.0-1" "pacman -D --asdeps -- blunux-named" "pacman -R --noconfirm -- blunux-newdep"
silent_on "✗"
same before
[ "$(grep -c '\[ALPM\] transaction started' /var/log/pacman.log)" -gt 0 ] || fail "no log of pacman"
[ "$(grep -c 'downgraded' /var/log/pacman.log)" = 3 ] || fail "not three packages went back: $(tail -n 20 /var/log/pacman.log)"

# 2. In Korean.
confirmed "blunux-aictl ask --session ko '업데이트해줘'" 1
installed htop 3.4.1-1; installed blunux-suite 2.0-1
confirmed "blunux-aictl ask --session ko '방금 업데이트 취소해줘'" 1
silent_on "✗"
same before

# 3. One package goes back from the cache, with the one that needs its present version.
sudo -n pacman -Syu --noconfirm >/dev/null 2>&1
say one "htop 이전 버전으로 되돌려줘"
says "3.3.0-1" "blunux-suite 1.0-1" "부분 업그레이드"
installed htop 3.4.1-1
yes one "네"
silent_on "✗"
installed htop 3.3.0-1; installed blunux-suite 1.0-1; installed linux 6.10.2.arch1-1
say two "downgrade htop"
says "no earlier version" "archive.archlinux.org/packages/h/htop/"

# 4. Emptying the cache says what can no longer be taken back.
at_terminal n '`sudo pacman -Scc`'
says "htop" "linux"
[ -n "$(find "$WORLD/cache" -name 'htop-3.4.1-1-*')" ] || fail "the cache is empty after a no"
echo "story complete"
