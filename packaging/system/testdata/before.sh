# Run as root once the system has booted: its pacman, and what the stories wait
# for shortened.
set -eu
bash "$WORLD/activate-system.sh"
cp -r "$WORLD"/root/{usr,etc,boot} / # the files the database speaks of
# A service manager outlives the last session by 10 s, which nobody needs here.
mkdir -p /etc/systemd/logind.conf.d
printf '[Login]\nUserStopDelaySec=0\n' >/etc/systemd/logind.conf.d/at-once.conf
systemctl kill -s HUP systemd-logind # it reads its settings again
# nspawn lays a file over /proc/kmsg that is removed already, on which nothing can
# be mounted: units with ProtectKernelLogs= would not start, as they do on a machine.
umount /proc/kmsg
