# After an update, a service that runs with the replaced library is offered a restart, and a yes is enough. made DIR NAME VERSION
# makes a package of $HOME/tree.
made() {
	local to=$1 name=$2 version=$3
	{ printf '%s = %s\n' pkgname "$name" pkgver "$version" pkgdesc test size 10 arch any; } >"$HOME/tree/.PKGINFO"
	sudo -n bsdtar -C "$HOME/tree" --uid 0 --gid 0 -czf "$to/$name-$version-any.pkg.tar.gz" .PKGINFO usr
}
lib=$(ldd /usr/bin/socat | awk '/libssl/ {print $3}'); so=${lib##*/}
mkdir -p "$HOME"/tree/usr/lib; cp "$lib" "$HOME/tree/usr/lib/$so"; made "$HOME" libtest 1-1; made "$WORLD/repo" libtest 2-1
rm -rf "$HOME"/tree; mkdir -p "$HOME"/tree/usr/bin "$HOME"/tree/usr/lib/systemd/system; cp /usr/bin/socat "$HOME"/tree/usr/bin/svcd
printf '[Service]\nExecStart=/usr/bin/svcd TCP-LISTEN:8123,fork PIPE\n' >"$HOME"/tree/usr/lib/systemd/system/svcd.service; made "$HOME" svcd 1-1
sudo -n pacman -U --noconfirm "$HOME"/libtest-1-1-any.pkg.tar.gz "$HOME"/svcd-1-1-any.pkg.tar.gz >/dev/null 2>&1 || fail "not installed"
sudo -n systemctl daemon-reload; sudo -n systemctl start svcd
sudo -n repo-add -q "$WORLD/repo/blunux.db.tar.gz" "$WORLD/repo/libtest-2-1-any.pkg.tar.gz" >/dev/null; sudo -n touch -d "+1 hour" "$WORLD/repo/blunux.db.tar.gz"
yes s1 "update my system"; exits 0; says "Still using the old libraries: svcd.service" "Shall I restart"
pid1=$(systemctl show -p MainPID --value svcd)
yes s1 "yes"; exits 0; says "systemctl restart" "✓"; silent_on "✗"
[ "$(systemctl show -p MainPID --value svcd)" != "$pid1" ] || fail "not restarted"
echo "story complete"
