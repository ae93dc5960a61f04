# More machines that are really broken, and the built-in helper alone: a full package cache, a firewall rule that only root sees,
# a backup that did not run, a program of an old Python, Korean that is not in fcitx5's list, a kernel without its modules. The cause, the repair with its check, and the way back.

# 1. An update waits, and the package cache is full of an old version. The version before the installed one stays.
cache=$(pacman-conf CacheDir | head -1) cache=${cache%/}
local=/var/lib/pacman/local
sudo -n sed -i 's/^3\.3\.0-1$/3.2.0-1/' $local/htop-3.3.0-1/desc; sudo -n mv $local/htop-3.3.0-1 $local/htop-3.2.0-1
sudo -n mount -t tmpfs -o size=200k tmpfs "$cache"
echo kept | sudo -n tee "$cache/htop-3.1.5-1-any.pkg.tar.gz" >/dev/null
sudo -n dd if=/dev/zero of="$cache/htop-3.1.0-1-any.pkg.tar.gz" bs=1k count=400 2>/dev/null || :
say c1 "업데이트하는데 디스크 공간이 부족하다고 나와"; exits 0
says "$cache" "htop-3.1.0-1-any.pkg.tar.gz" "sudo rm -- $cache/htop-3.1.0-1-any.pkg.tar.gz" "되돌릴 수 없어요"; silent_on "-Scc"
say c2 "the update says not enough free disk space"; exits 0; says "$cache" "htop-3.1.0-1-any.pkg.tar.gz"
yes c2 "yes"; exits 0; says "✓"; [ ! -e "$cache/htop-3.1.0-1-any.pkg.tar.gz" ] || fail "it is still there"
say c3 "the update says not enough free disk space"; silent_on "rm --"
sudo -n umount "$cache"; sudo -n sed -i 's/^3\.2\.0-1$/3.3.0-1/' $local/htop-3.2.0-1/desc; sudo -n mv $local/htop-3.2.0-1 $local/htop-3.3.0-1

# 2. A rule of the firewall drops a port. Only root may see it: one yes to look, one to change.
printf 'import socket\ns = socket.create_server(("0.0.0.0", 8200))\nwhile True:\n    c, _ = s.accept()\n    c.sendall(b"hello\\n")\n    c.close()\n' >"$HOME/serve.py"
python3 "$HOME/serve.py" & server=$!
until_ok sh -c 'ss -ltn | grep -q :8200'
sudo -n nft add table inet guard
sudo -n nft 'add chain inet guard in { type filter hook input priority 0; policy accept; }'
sudo -n nft add rule inet guard in tcp dport 8200 drop; sudo -n nft add rule inet guard in tcp dport 22 accept
say p1 "nobody can reach port 8200"; exits 0; says "python3" "sudo -n nft -a list ruleset"; silent_on "flush"
yes p1 "yes"; exits 0; says "tcp dport 8200 drop" "guard" "sudo nft delete rule inet guard in handle"; silent_on "flush"
yes p1 "yes" 2; exits 0 # the change, and that it stays
! sudo -n nft list ruleset | grep -q "dport 8200" || fail "the rule is still there"
sudo -n nft list ruleset | grep -q "dport 22 accept" || fail "another rule is gone"
[ "$(socat -T2 - TCP:127.0.0.1:8200)" = hello ] || fail "nobody can reach it"
kill $server

# 3. A user's timer, and nobody was logged in. Other timers, which packages bring and nobody enabled, are not the cause.
mkdir -p ~/.config/systemd/user
printf '[Service]\nType=oneshot\nExecStart=/bin/true\n' >~/.config/systemd/user/backup.service
printf '[Timer]\nOnCalendar=*-*-* 03:00:00\n[Install]\nWantedBy=timers.target\n' >~/.config/systemd/user/backup.timer
systemctl --user daemon-reload; systemctl --user enable -q --now backup.timer
loginctl disable-linger
say b1 "my backup did not run last night"; exits 0; says "backup.timer" "linger" "not logged in"; silent_on "tmpfiles"
say b2 "어젯밤에 백업이 안 돌았어"; exits 0; says "backup.timer" "linger" "loginctl enable-linger"
yes b2 "네"; exits 0; says "✓"
[ "$(loginctl show-user "$(id -un)" -p Linger --value)" = yes ] || fail "linger is off"
yes b2 "방금 그거 취소해줘"; exits 0
[ "$(loginctl show-user "$(id -un)" -p Linger --value)" = no ] || fail "linger is still on"

# 4. A foreign package's module is in the directory of an old Python.
old=/usr/lib/python3.4/site-packages/aurtool
sudo -n mkdir -p $old; sudo -n touch $old/__init__.py
printf 'usr/lib/python3.4/\nusr/lib/python3.4/site-packages/\nusr/lib/python3.4/site-packages/aurtool/\nusr/lib/python3.4/site-packages/aurtool/__init__.py\n' >"$HOME/files"
files=$(echo $local/blunux-aurthing-*/files); sudo -n cp "$files" "$HOME/files.kept"
{ echo '%FILES%'; cat "$HOME/files"; grep -v '^%FILES%' "$HOME/files.kept"; } | sudo -n tee "$files" >/dev/null
say m1 "the AUR tool says No module named aurtool"; exits 0; says "blunux-aurthing" "python3.4"; silent_on "pip install"
say m2 "AUR 프로그램이 No module named aurtool 이라면서 안 돼"; exits 0; says "blunux-aurthing" "3.4"; silent_on "pip install"
# 5. fcitx5 runs, and its list has no Korean.
for name in fcitx5 fcitx5-hangul; do
	sudo -n mkdir $local/$name-5.1.0-1
	printf '%%NAME%%\n%s\n\n%%VERSION%%\n5.1.0-1\n\n%%ARCH%%\nany\n\n' $name | sudo -n tee $local/$name-5.1.0-1/desc >/dev/null
	printf '%%FILES%%\n' | sudo -n tee $local/$name-5.1.0-1/files >/dev/null
done
mkdir -p ~/.config/fcitx5
printf '[Groups/0]\nName=Default\nDefault Layout=us\nDefaultIM=keyboard-us\n\n[Groups/0/Items/0]\nName=keyboard-us\nLayout=\n\n[GroupOrder]\n0=Default\n\n' >~/.config/fcitx5/profile
cp ~/.config/fcitx5/profile ~/profile.kept
export DBUS_SESSION_BUS_ADDRESS="unix:path=$XDG_RUNTIME_DIR/bus"
group() { busctl --user call org.fcitx.Fcitx5 /controller org.fcitx.Fcitx.Controller1 InputMethodGroupInfo s Default; }
fcitx5 -d >/dev/null 2>&1; until_ok group
! group | grep -q hangul || fail "fcitx5 has it already"
say k1 "I can't type Korean"; exits 0; says "hangul" "fcitx5" "profile"; silent_on "pacman -S"
say k2 "한글이 안 쳐져"; exits 0; says "hangul" "profile"; silent_on "pacman -S"
yes k2 "네"; exits 0; says "✓"
until_ok group; group | grep -q hangul || fail "fcitx5 does not offer it: $(group) $(cat ~/.config/fcitx5/profile)"
yes k2 "방금 그거 취소해줘"; exits 0
! grep -q hangul ~/.config/fcitx5/profile || fail "it is still in the list"
fcitx5-remote -e || :

# 6. An update replaced the kernel: the modules of the running one are gone, those of the new one are there.
sudo -n mkdir -p /usr/lib/modules/6.99.1-arch1-1; echo linux | sudo -n tee /usr/lib/modules/6.99.1-arch1-1/pkgbase >/dev/null
sudo -n truncate -s 2M /boot/vmlinuz-linux; sudo -n rm -f /boot/initramfs-linux.img
printf '/dev/vda / ext4 rw 0 1\n' | sudo -n tee /etc/fstab >/dev/null
sudo -n mkdir -p /boot/loader/entries
printf 'title Arch Linux\nlinux /vmlinuz-linux\ninitrd /initramfs-linux.img\noptions root=/dev/vda rw\n' | sudo -n tee /boot/loader/entries/arch.conf >/dev/null
running=$(uname -r)
say d1 "my USB stick is not recognised"; exits 0; says "$running" "6.99.1-arch1-1" "/boot/initramfs-linux.img"; silent_on "systemctl reboot" "modprobe"
# Whoever restarts all the same is told in the question; an image that ends too early is not whole.
mkdir -p ~/image/usr/lib/modules/6.99.1-arch1-1; seq 20000 >~/image/usr/lib/modules/6.99.1-arch1-1/modules.dep
bsdtar -C ~/image --format newc -cf - usr | zstd -q >~/whole.img
head -c 9000 ~/whole.img | sudo -n tee /boot/initramfs-linux.img >/dev/null
at_terminal n "systemctl reboot"; says "Don't restart now" "/boot/initramfs-linux.img is incomplete"
sudo -n cp ~/whole.img /boot/initramfs-linux.img
at_terminal n "systemctl reboot"; silent_on "Don't restart now"
say d2 "USB가 안 잡혀"; exits 0; says "$running" "6.99.1-arch1-1" "systemctl reboot"; silent_on "modprobe" "pacman -S linux"
say d3 "my USB stick is not recognised"; exits 0; says "$running" "6.99.1-arch1-1" "systemctl reboot"
echo "story complete"
