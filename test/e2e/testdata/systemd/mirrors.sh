# A mirror that does not answer and one that is behind, with the real pacman: the plan keeps the list as mirrorlist.old, ranks the
# mirrors and updates, and undo brings the list back.
list=/etc/pacman.d/mirrorlist
# This rankmirrors leaves out what does not answer, as the real one does with its last places.
sudo -n tee /usr/bin/rankmirrors >/dev/null <<'E'
#!/bin/sh
grep ^Server "$3" | while read -r key is address; do curl -sfo /dev/null "${address%/}/core.db" && echo "Server = $address"; done
E
sudo -n chmod 755 /usr/bin/rankmirrors
sudo -n mkdir -p /etc/pacman.d
printf '[options]\nSigLevel = Never\nArchitecture = x86_64\nCacheDir = %s/cache/\n[core]\nInclude = %s\n' "$WORLD" $list | sudo -n tee /etc/pacman.conf >/dev/null
# mirror DIR AGE: a mirror with the newest packages, whose list is some days old.
mirror() {
	sudo -n mkdir -p "$1"; sudo -n cp "$WORLD"/pool/2/*.pkg.tar.gz "$1/"
	sudo -n repo-add -q "$1/core.db.tar.gz" "$1"/*.pkg.tar.gz >/dev/null
	sudo -n touch -d "$2 days ago" "$1/core.db.tar.gz"
}
mirror /srv/living 0; mirror /srv/old 9
# 1. Nothing listens at the only mirror that pacman asks; another one is in the list, which is off.
printf 'Server = http://127.0.0.1:9\n' | sudo -n tee $list >/dev/null
out=$(sudo -n pacman -Syu --noconfirm 2>&1 | grep "failed retrieving" | head -n 1); says "127.0.0.1"
printf 'Server = http://127.0.0.1:9\nServer = file:///srv/living\n' | sudo -n tee $list >/dev/null
say m1 "my update fails: $out"
says "127.0.0.1" "put fast mirrors first with rankmirrors" "mirrorlist.old"
yes m1 "yes"; exits 0; silent_on "✗"
[ "$(cat $list)" = "Server = file:///srv/living" ] || fail "the list: $(cat $list)"
[ "$(head -n 1 $list.old)" = "Server = http://127.0.0.1:9" ] || fail "the old list: $(cat $list.old)"
installed htop 3.4.1-1
yes m1 "undo that"; exits 0; silent_on "✗"
[ "$(head -n 1 $list)" = "Server = http://127.0.0.1:9" ] || fail "the list after undo: $(cat $list)"; installed htop 3.3.0-1

# 2. A mirror that answers and is behind: in the preview, and as a cause.
printf 'Server = file:///srv/old\nServer = file:///srv/living\n' | sudo -n tee $list >/dev/null
sudo -n rm -f /var/lib/pacman/sync/*.db
sudo -n pacman -Syu --noconfirm --ignore htop,linux >/dev/null 2>&1
capture blunux-aictl upgrade --preview; says "The newest package list is 9 days old" "blunux-aictl diagnose update mirror --repair"
capture blunux-aictl --lang ko upgrade --preview; says "받은 패키지 목록이 9일 전 것이에요"
capture blunux-aictl diagnose update; says "The mirror is 9 days behind" "put fast mirrors first"
capture blunux-aictl --lang ko diagnose update mirror; says "미러가 9일 뒤처져 있어요"
echo "story complete"
