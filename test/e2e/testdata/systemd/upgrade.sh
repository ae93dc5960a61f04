# An upgrade is shown before it is asked about, in the words of the person's language, and nothing of the system changes for that.
preview() { capture blunux-aictl "$@" upgrade --preview; }
shows() { says "$@"; }

preview; [ $code = 0 ] || fail "no preview"; shows "All packages are up to date"
capture blunux-aictl upgrade; shows "All packages are up to date"
ask "시스템 업데이트 해줘"; shows "모든 패키지가 최신이에요"

sudo -n bash "$WORLD/bin/repo-update"
echo mine | sudo -n tee -a /etc/htoprc >/dev/null
lists=$(ls -l --time-style=full-iso /var/lib/pacman/sync)
preview; [ $code = 0 ] || fail "no preview"
shows "2 updates, " "htop 3.3.0-1 → 3.4.1-1" "linux 6.9.1.arch1-1 → 6.10.2.arch1-1" "Reboot: yes, because of linux." "/etc/htoprc.pacnew"
preview --lang ko; shows "업데이트 2개, 내려받기" "재부팅: 필요해요(linux)." "고치신 /etc/htoprc"
preview --lang zh; shows "2 个更新" "重启：需要（linux）"
capture blunux-aictl upgrade --preview --json; shows '"name":"htop"' '"guard":['
[ "$lists" = "$(ls -l --time-style=full-iso /var/lib/pacman/sync)" ] || fail "the system's lists were changed"

# The question has the preview. Without a terminal nobody is asked, and nothing happens.
ask "update my system"; exits 5; shows "Waiting for your approval" "2 updates, " "Reboot: yes, because of linux."
ask "업데이트해줘"; exits 5; shows "업데이트 2개, 내려받기" "승인을 기다리고 있어요"
installed htop 3.3.0-1
# A lock of an interrupted run stops it, and only a look at it is offered.
sudo -n touch /var/lib/pacman/db.lck
ask "업데이트해줘"; shows "지금은 업데이트할 수 없어요" "db.lck"
sudo -n rm /var/lib/pacman/db.lck

# A mirror that sends a page, and none at all.
sudo -n mv "$WORLD/repo" "$WORLD/repo.away"
preview; [ $code = 1 ] || fail "the reason is a failure"; shows "the servers didn't send the package lists"
at_terminal n "update my system"; shows "the servers didn" "send the package lists"
sudo -n mkdir "$WORLD/repo"; echo '<html>Log in</html>' | sudo -n tee "$WORLD/repo/blunux.db" >/dev/null
preview --lang ko; shows "저장소 blunux의 패키지 목록이 아닌 것을 보냈어요"
sudo -n head -c 700 "$WORLD/repo.away/blunux.db" | sudo -n tee "$WORLD/repo/blunux.db" >/dev/null
preview; [ $code = 1 ] || fail "half a list is a failure"; shows "I can't preview the update"
sudo -n rm -r "$WORLD/repo"; sudo -n mv "$WORLD/repo.away" "$WORLD/repo"

# Yes: exactly what was shown. Meanwhile the servers have a newer package, so the first yes is for something else.
keys=$HOME/keys screen=$HOME/screen
rm -f "$keys"; mkfifo "$keys"; : >"$screen"
timeout $PATIENCE script -qefc 'blunux-aictl upgrade' "$screen" <"$keys" >/dev/null 2>&1 &
pid=$!
exec 9>"$keys"
until_ok questions 1 || fail "nobody asked: $(cat "$screen")"
cat >"$HOME/third" <<X
cp "$WORLD/pool/1/"blunux-orphan-0.1-1-any.pkg.tar.gz "$HOME/x.tar.gz" && cd "$HOME" && mkdir -p x && tar -xf x.tar.gz -C x
sed -i 's/^pkgver = .*/pkgver = 0.2-1/' x/.PKGINFO && cd x && tar -czf "$WORLD/repo/blunux-orphan-0.2-1-any.pkg.tar.gz" .PKGINFO usr
repo-add -q "$WORLD/repo/blunux.db.tar.gz" "$WORLD/repo/blunux-orphan-0.2-1-any.pkg.tar.gz" >/dev/null
touch -d '+1 hour' "$WORLD/repo/blunux.db.tar.gz"
X
sudo -n bash "$HOME/third"
printf 'y\n' >&9
until_ok questions 2 || fail "not asked again: $(cat "$screen")"
installed htop 3.3.0-1
printf 'y\n' >&9
code=0; wait $pid || code=$?
exec 9>&-
out=$(cat "$screen")
[ $code = 0 ] || fail "the upgrade failed"
shows "2 updates, " "3 updates, " "Reboot: yes"
installed htop 3.4.1-1; installed linux 6.10.2.arch1-1; installed blunux-orphan 0.2-1
[ -e /etc/htoprc.pacnew ] || fail "no .pacnew"
logged_times 1 "CONFIRMED sudo -n pacman -Syu --noconfirm"
echo "story complete"
