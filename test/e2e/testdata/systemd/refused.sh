# What pacman refuses, and the ways out as plans: files of no package, packages that exclude each other, a package of no repository
# and a held one that need an old version. Each is proved by pacman, and undo brings back what was there.

# offered NAME VERSION FILE KEY=VALUE...: the repository gets a package. made puts it into a directory.
made() {
	local to=$1 name=$2 version=$3 file=$4 kv; shift 4
	rm -rf "$HOME/tree"; mkdir -p "$HOME/tree/usr/share/$name"; echo "$version" >"$HOME/tree/usr/share/$name/version"
	[ -z "$file" ] || { mkdir -p "$HOME/tree/${file%/*}"; echo "$name" >"$HOME/tree/$file"; }
	{ printf '%s = %s\n' pkgname "$name" pkgver "$version" pkgdesc test size 10 arch any; for kv; do echo "${kv%%=*} = ${kv#*=}"; done; } >"$HOME/tree/.PKGINFO"
	sudo -n bsdtar -C "$HOME/tree" --uid 0 --gid 0 -czf "$to/$name-$version-any.pkg.tar.gz" .PKGINFO usr
}
offered() {
	made "$WORLD/repo" "$@"
	sudo -n repo-add -q "$WORLD/repo/blunux.db.tar.gz" "$WORLD/repo/$1-$2-any.pkg.tar.gz" >/dev/null
	now=$((now + 3600)); sudo -n touch -d "@$now" "$WORLD/repo/blunux.db.tar.gz"
}
withdrawn() { sudo -n repo-remove -q "$WORLD/repo/blunux.db.tar.gz" "$@" >/dev/null; now=$((now + 3600)); sudo -n touch -d "@$now" "$WORLD/repo/blunux.db.tar.gz"; sudo -n pacman -Sy >/dev/null; }
# installs: from the cache of packages, so that a removal can be taken back.
installs() { made "$WORLD/cache" "$@"; sudo -n pacman -U --noconfirm "$WORLD/cache/$1-$2-any.pkg.tar.gz" >/dev/null 2>&1; }
now=$EPOCHSECONDS

# 1. Files of no package: moved aside, the update follows, and undo brings all of it back.
echo mine | sudo -n tee /usr/share/htop.rc /usr/share/htop.keys >/dev/null
offered htop 3.5-1 usr/share/htop.rc
yes f1 "update my system"; says "/usr/share/htop.rc exists in filesystem" "belongs to no package" "mv -n -- /usr/share/htop.rc /usr/share/htop.rc.old" "pacman -Syu"
installed htop 3.3.0-1
yes f1 "yes"; exits 0; says "✓ Checked"; silent_on "✗"
installed htop 3.5-1; [ "$(cat /usr/share/htop.rc.old /usr/share/htop.rc)" = "mine
htop" ] || fail "not moved"
yes f1 "undo that"; exits 0; silent_on "✗"
installed htop 3.3.0-1; [ "$(cat /usr/share/htop.rc)" = mine ] || fail "not as before"
say f2 "업데이트하는데 htop: /usr/share/htop.rc exists in filesystem 이라고 나와"; says "/usr/share/htop.rc" "어느 패키지의 파일도 아니" "mv -n"
say f3 "pacman: htop: /usr/share/doc/linux/README exists in filesystem"; says "belongs to linux"; silent_on "This would fix it" "--overwrite"
# The command asks the same, without anyone's words.
confirmed "blunux-aictl upgrade" 2; exits 0; says "exists in filesystem" "htop.rc.old" "✓ Checked"; silent_on "✗" "⟨"; installed htop 3.5-1
capture blunux-aictl upgrade; says "All packages are up to date"
sudo -n pacman -U --noconfirm "$WORLD/cache/"htop-3.3.0-1-*.pkg.tar.gz >/dev/null 2>&1; sudo -n mv /usr/share/htop.rc.old /usr/share/htop.rc
sudo -n rm /usr/share/htop.rc /usr/share/htop.keys; withdrawn htop

# 2. Two packages that exclude each other. A no changes nothing; a yes replaces exactly the one that was named.
installs new-b 1-1 ''; installs needs-b 1-1 '' depend=new-b
offered new-a 1-1 '' conflict=new-b
offered htop 3.6-1 '' depend=new-a
ask "update my system"
says "new-a and new-b can't be installed together" "exclude each other" "I do not remove new-b" "needs-b would lose"; silent_on "This would fix it" "--ask"
sudo -n pacman -R --noconfirm needs-b >/dev/null
say c1 "업데이트해줘"; says "new-a" "new-b" "남기려면 아니라고" "pacman -Syu"
yes c1 "네"; exits 0; says "pacman -Syu --noconfirm --ask=4" "new-b는 제거되고" "new-a로 바뀌어요"; silent_on "✗" "거부해요"
absent new-b; installed new-a 1-1; installed htop 3.6-1
yes c1 "방금 그거 취소해줘"; exits 0; silent_on "✗"; installed htop 3.3.0-1; installed new-b 1-1; absent new-a
offered new-a 1-2 '' conflict=new-b provides=new-b=2
installs needs-b 1-1 '' depend=new-b
say c2 "update my system"; says "To keep new-b, say no" "in the place of new-b"
yes c2 "yes"; exits 0; silent_on "✗"; pacman -Qq new-b 2>/dev/null | grep -qx new-b && fail "new-b is still there"
installed new-a 1-2; installed needs-b 1-1
yes c2 "undo that"; exits 0; silent_on "✗"; installed new-b 1-1
withdrawn htop new-a; sudo -n pacman -R --noconfirm needs-b new-b >/dev/null

# 3. A package of no repository needs an old version: it goes, and everything else is updated.
installs oldtool 1-1 '' 'depend=htop<3.5'; sudo -n rm "$WORLD/cache/oldtool-1-1-any.pkg.tar.gz"
offered htop 3.7-1 ''
capture blunux-aictl upgrade; exits 5; says "oldtool needs htop<3.5" "-R --noconfirm -- oldtool" "1 update, " "Waiting for your approval"; silent_on "up to date"
blunux-aictl approvals --json | grep -o '"code":"[^"]*"' | cut -d'"' -f4 | xargs -n1 blunux-aictl deny >/dev/null
say d1 "update my system"; says "oldtool needs htop<3.5" "oldtool is in no repository" "remove oldtool" "yay -S oldtool" "can't be taken back"
yes d1 "yes"; exits 0; says "pacman -R --noconfirm -- oldtool" "pacman -Syu --noconfirm"; silent_on "✗"
absent oldtool; installed htop 3.7-1
withdrawn htop

# 4. A held package: the line that holds it, and everything without the hold; undo holds it again.
offered htop 3.8-1 ''; offered newtool 2-1 '' 'depend=htop>=3.8'; installs newtool 1-1 ''
sudo -n sed -i 's/^HoldPkg.*/&\nIgnorePkg = htop nothing/' /etc/pacman.conf
say h1 "업데이트해줘"; says "IgnorePkg = htop nothing" "htop" "IgnorePkg에서 htop 빼기"
yes h1 "네"; exits 0; says "업데이트 2개"; says "보류를 풀고" "IgnorePkg = nothing"; silent_on "✗"; installed htop 3.8-1; installed newtool 2-1
grep -qx "IgnorePkg = nothing" /etc/pacman.conf || fail "the line: $(grep IgnorePkg /etc/pacman.conf)"
yes h1 "방금 그거 취소해줘"; exits 0; silent_on "✗"; installed newtool 1-1
grep -qx "IgnorePkg = htop nothing" /etc/pacman.conf || fail "the line: $(grep IgnorePkg /etc/pacman.conf)"
echo "story complete"
