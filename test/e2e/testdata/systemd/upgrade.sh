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
# While nothing changes, the lists that the servers sent are not looked at again.
kept=$HOME/.cache/blunux-ai/preview.json
inputs() { grep -o '"inputs":{"digest":"sha256:[0-9a-f]*"' "$kept" || fail "no preview is kept"; }
first=$(inputs); preview; shows "2 updates, "; [ "$first" = "$(inputs)" ] || fail "the same inputs differ"
[ "$lists" = "$(ls -l --time-style=full-iso /var/lib/pacman/sync)" ] || fail "the system's lists were changed"

# A look that takes long says at a terminal that it works, and for how long: this pacman waits until that was seen.
sudo -n mv /usr/bin/pacman /usr/bin/pacman.real
sudo -n tee /usr/bin/pacman >/dev/null <<X
#!/bin/bash
until [ -e "$HOME/seen" ]; do read -rt 0.1 <> <(:); done
exec /usr/bin/pacman.real "\$@"
X
sudo -n chmod 755 /usr/bin/pacman
for words in "upgrade --preview" "ask 'what would an update do?'"; do
	rm -f "$HOME/seen"; : >"$HOME/screen"
	script -qefc "blunux-aictl $words" "$HOME/screen" </dev/null >/dev/null 2>&1 &
	pid=$!
	until_ok grep -q "working · [1-9]" "$HOME/screen" || fail "nothing is shown: $(cat "$HOME/screen")"
	touch "$HOME/seen"
	wait $pid || fail "no preview: $(cat "$HOME/screen")"
	out=$(cat "$HOME/screen"); shows "2 updates, "
done
sudo -n mv /usr/bin/pacman.real /usr/bin/pacman

# The question has the preview. Without a terminal nobody is asked, and nothing happens.
ask "update my system"; exits 5; shows "Waiting for your approval" "2 updates, " "Reboot: yes, because of linux."
ask "업데이트해줘"; exits 5; shows "업데이트 2개, 내려받기" "승인을 기다리고 있어요"

# So has each list of what waits, and the question that an MCP client asks its user.
capture blunux-aictl approvals; shows "sudo -n pacman -Syu --noconfirm" "      2 updates, " "      Reboot: yes, because of linux."
capture blunux-aictl approvals --json; shows '"foreseen":"2 updates, '
calls=$HOME/calls asked=$HOME/asked
mkfifo "$calls"; blunux-ai mcp <"$calls" >"$asked" 2>&1 &
pid=$!
exec 8>"$calls"
cat >&8 <<X
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"update_system","arguments":{}}}
X
elicited() { grep -q elicitation/create "$asked"; }
until_ok elicited || fail "no question: $(cat "$asked")"
out=$(cat "$asked"); shows "2 updates, " "Reboot: yes, because of linux." "pacman -Syu --noconfirm"
exec 8>&-
wait $pid || true
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
