# Configuration files that a person and a new version of the package both changed: real pacman leaves a .pacnew file, which is
# merged with the version that the person's file comes from, checked and taken back.
cache=/var/cache/pacman/pkg
# package NAME VERSION FILE <TEXT: a package with a configuration file, in pacman's cache.
package() {
	local dir=$HOME/pkg/$1-$2
	mkdir -p "$dir/$(dirname "$3")"
	cat >"$dir/$3"
	printf 'pkgname = %s\npkgver = %s\npkgdesc = test\nsize = 100\narch = any\nbackup = %s\n' "$1" "$2" "$3" >"$dir/.PKGINFO"
	(cd "$dir" && bsdtar --uid 0 --gid 0 -cf - .PKGINFO "$3") | gzip | sudo -n tee "$cache/$1-$2-any.pkg.tar.gz" >/dev/null
}
# paged COMMAND: runs a command at a terminal, turns the pages of its question, and says yes.
paged() {
	local keys=$HOME/keys screen=$HOME/screen pid
	rm -f "$keys" "$screen"; mkfifo "$keys"; : >"$screen"
	timeout $PATIENCE script -qefc "$1" "$screen" <"$keys" >/dev/null 2>&1 &
	pid=$!
	exec 9>"$keys"
	prompted 9 1 || fail "nobody asked: $(cat "$screen")"
	printf 'y\n' >&9
	code=0; wait $pid || code=$?
	exec 9>&-
	out=$(grep -v '^Script' "$screen" | tr -d '\r')
}
# update NAME VERSION: installs a version of the cache.
update() { sudo -n pacman -U --noconfirm "$cache/$1-$2-any.pkg.tar.gz" >/dev/null 2>&1 || fail "$1 $2 is not installed"; }
lines() { seq -f 'line%.0f=old' 12; }
later() { [ "$EPOCHSECONDS" -gt "$now" ]; }
sudo -n mkdir -p "$cache"
lines | package blunux-conf 1-1 etc/blunux.conf
lines | sed 's/^line9=old/line9=new/; $a line13=new' | package blunux-conf 2-1 etc/blunux.conf
lines | sed 's/^line2=old/line2=theirs/; s/^line9=old/line9=new/; s/^line11=old/line11=theirs/' | package blunux-conf 3-1 etc/blunux.conf
update blunux-conf 1-1

# 1. Nothing is left yet.
capture blunux-aictl pacnew; exits 0; says "No configuration files wait"

# 2. Both changed other lines: both changes are kept, and the .pacnew file goes. Undo brings both files back.
sudo -n sed -i 's/^line2=old/line2=mine/' /etc/blunux.conf
cp /etc/blunux.conf "$HOME/mine"
update blunux-conf 2-1
[ -e /etc/blunux.conf.pacnew ] || fail "pacman left no file"
cp /etc/blunux.conf.pacnew "$HOME/new"
capture blunux-aictl pacnew; exits 0
says "/etc/blunux.conf.pacnew" "blunux-conf" "don't overlap" "blunux-conf 1-1" "blunux-aictl pacnew --merge"
capture blunux-aictl pacnew --json; exits 0; says '"state":"clean"'
cmp "$HOME/mine" /etc/blunux.conf || fail "a look changed the file"
confirmed "blunux-aictl pacnew --merge" 1; exits 0; says "+line9=new" "+line13=new"
lines | sed 's/^line2=old/line2=mine/; s/^line9=old/line9=new/; $a line13=new' | cmp - /etc/blunux.conf || fail "not merged: $(cat /etc/blunux.conf)"
[ ! -e /etc/blunux.conf.pacnew ] || fail "the .pacnew file is still there"
paged "blunux-aictl undo"; exits 0
cmp "$HOME/mine" /etc/blunux.conf || fail "the person's file is not back"
cmp "$HOME/new" /etc/blunux.conf.pacnew || fail "the .pacnew file is not back"

# 3. In words, in a conversation: the offer, then the plan. The answer ends with what was checked.
say words "what about my pacnew files?"; exits 0; says "don't overlap" "Shall I"
yes words yes; exits 0; says "/etc/blunux.conf"
grep -q '^line2=mine' /etc/blunux.conf && grep -q '^line9=new' /etc/blunux.conf || fail "not merged by words"
[ ! -e /etc/blunux.conf.pacnew ] || fail "the .pacnew file is still there after the words"

# 4. Both changed the same places: nothing is written before each is decided; no marks of a conflict reach the disk.
sudo -n sed -i 's/^line11=old/line11=mine/' /etc/blunux.conf
cp /etc/blunux.conf "$HOME/mine"
update blunux-conf 3-1
say ko "pacnew 정리해줘"; exits 0; says "2곳은 양쪽에서" "line2=theirs" "line2=mine" "line11=theirs" "1 내 것, 2 새 것"
cmp "$HOME/mine" /etc/blunux.conf || fail "a conflict changed the file"
say ko "1번은 내 거, 2번은 새 거"; exits 0; says "고른 대로 병합해요"
yes ko 네; exits 0
grep -q '^line2=mine' /etc/blunux.conf && grep -q '^line11=theirs' /etc/blunux.conf || fail "not as decided: $(cat /etc/blunux.conf)"
! grep -q '^[<=>]\{7\}' /etc/blunux.conf || fail "marks of a conflict: $(cat /etc/blunux.conf)"
[ ! -e /etc/blunux.conf.pacnew ] || fail "the .pacnew file is still there after the decision"
capture blunux-aictl pacnew; exits 0; says "No configuration files wait"

# 5. A file with a checker. A mistake of the person is found after the merge: the .pacnew file stays, and undo brings all back.
seq -f 'X%.0f=(a)' 9 | package blunux-initcpio 1-1 etc/mkinitcpio.conf
seq -f 'X%.0f=(a)' 9 | sed 's/^X9=(a)/X9=(b)/' | package blunux-initcpio 2-1 etc/mkinitcpio.conf
update blunux-initcpio 1-1
sudo -n sed -i 's/^X2=(a)/X2=(/' /etc/mkinitcpio.conf
cp /etc/mkinitcpio.conf "$HOME/mine"
update blunux-initcpio 2-1
confirmed "blunux-aictl pacnew mkinitcpio.conf --merge" 1; says "bash -n /etc/mkinitcpio.conf"
[ -e /etc/mkinitcpio.conf.pacnew ] || fail "the .pacnew file is gone although the check failed"
paged "blunux-aictl undo"; exits 0
cmp "$HOME/mine" /etc/mkinitcpio.conf || fail "the file is not back after a failed check"
sudo -n sed -i 's/^X2=($/X2=(mine)/' /etc/mkinitcpio.conf
confirmed "blunux-aictl pacnew mkinitcpio.conf --merge" 1; exits 0
[ ! -e /etc/mkinitcpio.conf.pacnew ] || fail "the .pacnew file is still there after the check"

# 6. A configuration file outside /etc. Its first .pacnew file is merged here; after that, the cache loses the version that the
# file now comes from, and the text that the receipt keeps is the base.
conf=usr/lib/blunux-away/away.conf
lines | package blunux-away 1-1 $conf
lines | sed 's/^line9=old/line9=new/' | package blunux-away 2-1 $conf
lines | sed 's/^line9=old/line9=new/; s/^line6=old/line6=newer/' | package blunux-away 3-1 $conf
update blunux-away 1-1
sudo -n sed -i 's/^line2=old/line2=mine/' /$conf
update blunux-away 2-1
capture blunux-aictl pacnew; exits 0; says "/$conf.pacnew" "blunux-away 1-1"
confirmed "blunux-aictl pacnew --merge" 1; exits 0; says "+line9=new"
now=$EPOCHSECONDS
until_ok later # the log has whole seconds: it must show that the next update came after the merge
update blunux-away 3-1
sudo -n rm "$cache"/blunux-away-2-1-any.pkg.tar.gz
capture blunux-aictl pacnew; exits 0; says "don't overlap" "blunux-away 2-1"
confirmed "blunux-aictl pacnew --merge" 1; exits 0; says "+line6=newer"
lines | sed 's/^line2=old/line2=mine/; s/^line9=old/line9=new/; s/^line6=old/line6=newer/' | cmp - /$conf || fail "not merged: $(cat /$conf)"
[ ! -e /$conf.pacnew ] || fail "the .pacnew file outside /etc is still there"
echo "story complete"
