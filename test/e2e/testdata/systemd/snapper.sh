# An upgrade on a btrfs with snapper: a snapshot before and one after it, and undo takes back what the packages of the cache
# cannot: settings of no package, and a package that is in no cache.
unset DBUS_SESSION_BUS_ADDRESS
cat >/etc/pacman.conf <<E
[options]
SigLevel = Never
Architecture = x86_64
[story]
Server = file:///srv/repo
E
mkdir -p /srv/repo
# made NAME VERSION FILE...: the repository gets a package.
made() {
	local name=$1 version=$2 dir=/tmp/tree f; shift 2
	rm -rf $dir
	for f; do mkdir -p "$dir/${f%/*}"; echo "$name $version" >"$dir/$f"; done
	printf 'pkgname = %s\npkgver = %s\npkgdesc = test\nsize = 10\narch = any\n' "$name" "$version" >$dir/.PKGINFO
	find $dir -exec touch -d "@$now" {} + # two made in one second would look unchanged to snapper: it compares size and time
	(cd $dir && bsdtar --uid 0 --gid 0 -czf "/srv/repo/$name-$version-any.pkg.tar.gz" .PKGINFO *)
	repo-add -q /srv/repo/story.db.tar.gz "/srv/repo/$name-$version-any.pkg.tar.gz" >/dev/null
	now=$((now + 3600)); touch -d "@$now" /srv/repo/story.db.tar.gz
}
now=1700000000
# agreed SESSION WORDS: says yes to the question; $out has it without the ends of its lines.
agreed() { yes "$1" "$2"; exits 0; out=$(printf '%s' "$out" | sed 's/\x1b\[[0-9;]*[mK]//g' | tr -s ' \n' ' '); }
numbers() { snapper -c root --machine-readable csv list --columns number,type,pre-number,cleanup | tail -n +3 | tr '\n' ' '; }
made tool 1-1 opt/tool/main opt/tool/only-old
made lib 1-1 opt/lib/lib opt/lib/old/lib.1 etc/lib.conf
pacman -Syu --noconfirm tool lib >/dev/null 2>&1
# Hooks of pacman write settings that belong to no package.
mkdir -p /etc/pacman.d/hooks
printf '[Trigger]\nOperation = Upgrade\nType = Package\nTarget = tool\n[Action]\nWhen = PostTransaction\nExec = /bin/sh -c "echo 2 >/etc/made-by-hook; [ -e /etc/made-new ] || echo new >/etc/made-new; rm -f /etc/made-gone"\n' >/etc/pacman.d/hooks/tool.hook
echo 1 >/etc/made-by-hook; echo old >/etc/made-gone
made tool 2-1 opt/tool/main opt/tool/only-new
made lib 2-1 opt/lib/lib opt/lib/new/lib.2 etc/lib.conf

# 1. The question says so, both numbers are in the answer, and the list of what differs is kept with the receipt.
capture blunux-aictl upgrade --preview; says "2 updates"
agreed s1 "update my system"
says "Snapshots: snapper takes one before and one after (configuration root)" "Nothing in /home or /boot" "· Snapshots from before and after: 1..2"; silent_on "✗"
installed tool 2-1
[ "$(numbers)" = "1,pre,,number 2,post,1,number " ] || fail "snapshots: $(numbers)"
capture blunux-aictl changes --json; says '"kind":"snapshot","name":"root","before":"1","after":"2"'

# 2. What the packages take back, they take back; the rest comes from the snapshots, but for what was changed since.
echo mine >/etc/made-new
rm /var/cache/pacman/pkg/lib-1-1-any.pkg.tar.gz
agreed s1 "undo that"
says "snapper -c root undochange 1..2" "/opt/lib/old/lib.1" "files taken back from snapshots" "changed again since then: /etc/made-new" "pacman -U"; silent_on "✗" "can't be taken back: lib" "only-old"
installed tool 1-1; installed lib 1-1
[ "$(cat /opt/lib/lib /opt/lib/old/lib.1 /opt/tool/only-old)" = "lib 1-1
lib 1-1
tool 1-1" ] || fail "not as before"
[ ! -e /opt/lib/new/lib.2 ] && [ ! -e /opt/tool/only-new ] || fail "new files are left"
[ "$(cat /etc/made-by-hook /etc/made-gone /etc/made-new /etc/lib.conf)" = "1
old
mine
lib 1-1" ] || fail "settings: $(head /etc/made-* /etc/lib.conf)"
[ "$(pacman -Qk lib tool | grep -c " 0 missing")" = 2 ] || fail "$(pacman -Qk lib tool)"

# 3. snapper that fails stops no upgrade, and the answer says so.
mv /.snapshots /.away; echo x >/.snapshots
agreed s2 "업데이트해줘"; says "스냅샷: 업데이트 전후에 snapper로 찍어요" "스냅샷을 찍지 못했어요"
installed tool 2-1; installed lib 2-1
rm /.snapshots; mv /.away /.snapshots

# 4. Where a hook of pacman takes the snapshots, no others are taken.
mkdir -p /etc/pacman.d/hooks; echo '# snap-pac' >/etc/pacman.d/hooks/05-snap-pac-pre.hook
made tool 3-1 opt/tool/main
capture blunux-aictl ask --session s3 "update my system"; silent_on "Snapshots:"
blunux-aictl call '{"type":"action","action":"stop"}' >/dev/null
echo "story complete"
