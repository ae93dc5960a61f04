# As root, in mount and process namespaces of its own: runs STORY where / is a subvolume of a real btrfs, with a system bus and a
# configuration of snapper for it. Arguments: STORY, an empty directory. Only /usr is this computer's.
set -eu
root=$2/root image=$2/btrfs
truncate -s 500M "$image"; mkfs.btrfs -q "$image" >/dev/null
mkdir "$root"; mount -o loop "$image" "$root"; btrfs -q subvolume create "$root/@"; umount "$root"; mount -o loop,subvol=@ "$image" "$root"
mkdir -p "$root"/{usr,dev,proc,sys,run,tmp,root,home,boot,srv,opt,old,bin.story} "$root"/var/{lib/pacman,log,tmp,cache/pacman/pkg}
for link in bin sbin lib lib64; do [ ! -L /$link ] || cp -a /$link "$root/"; done
cp -a /etc "$root/"; rm -f "$root"/etc/snapper/configs/*
mount --rbind /usr "$root/usr"; mount -o remount,bind,ro "$root/usr"
mount --bind "$BIN" "$root/bin.story"
for dir in dev proc sys; do mount --rbind /$dir "$root/$dir"; done
mount -t tmpfs tmpfs "$root/run"; mount -t tmpfs tmpfs "$root/tmp"
cp "$1" "$root/tmp/story.sh"
pivot_root "$root" "$root/old"; cd /; umount -l /old
mkdir -p -m 700 /run/dbus /run/me; chmod 755 /run/dbus
# The bus starts snapper's service alone: all others are not there.
mkdir /run/services; cp /usr/share/dbus-1/system-services/org.opensuse.Snapper.service /run/services/
sed 's|<standard_system_servicedirs/>|<servicedir>/run/services</servicedir>|; s|<includedir>system.d|<includedir>/usr/share/dbus-1/system.d|' /usr/share/dbus-1/system.conf >/run/system.conf
dbus-daemon --config-file=/run/system.conf --fork --nopidfile 2>/dev/null
snapper -c root create-config /
export HOME=/root XDG_RUNTIME_DIR=/run/me BIN=/bin.story
exec bash /tmp/story.sh
