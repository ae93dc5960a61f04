# Run as root after the boot: sets up its pacman, and shortens waiting times.
set -eu
bash "$WORLD/activate-system.sh"
cp -r "$WORLD"/root/{usr,etc,boot} / # the files that the database lists
# A service manager outlives the last session by 10 s, which is not needed here.
mkdir -p /etc/systemd/logind.conf.d
printf '[Login]\nUserStopDelaySec=0\n' >/etc/systemd/logind.conf.d/at-once.conf
systemctl kill -s HUP systemd-logind # reload
# nspawn mounts a deleted file over /proc/kmsg, on which nothing can be mounted.
# Units with ProtectKernelLogs= would not start, unlike on a real machine.
umount /proc/kmsg
