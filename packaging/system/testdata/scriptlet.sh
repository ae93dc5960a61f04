# What pacman prints about the packages on a booted system, as root: $WORLD is
# the pacman world, $OLD and $NEW the package in two versions.
set -eu
fail() { printf 'FAILED: %s\n%s\n' "$1" "${out:-}"; exit 1; }
bash "$WORLD/activate-system.sh"
cp -r "$WORLD"/root/{usr,etc,boot} /
told() { # LANGUAGE COUNT WORDS: so many lines of ours, with these words in them
	lines=$(grep -a '^==> ' <<<"$out" || :)
	[ "$(wc -l <<<"$lines")" = "$2" ] || fail "not $2 lines"
	case $lines in *"$3"*) ;; *) fail "not said in $1: $3" ;; esac
	! grep -qai 'error\|warning\|call to execv' <<<"$out" || fail "pacman has something to say"
}
enabled() { systemctl --global list-unit-files 'blunux-*' --state=enabled --no-legend; find /etc/systemd /root/.config/systemd -name 'blunux-*' 2>/dev/null || :; }

export LC_ALL=C
out=$(pacman -U --noconfirm "$OLD" 2>&1); told English 3 "blunux-ai setup"
[ -z "$(enabled)" ] || fail "it enables: $(enabled)"
out=$(pacman -U --noconfirm "$NEW" 2>&1); told English 3 "kept"
out=$(pacman -Rns --noconfirm blunux-ai 2>&1); [ ! -e /usr/bin/blunux-ai ] || fail "it is still there"
# Debian has no Korean locale for pacman itself; the scriptlet uses the
# variable.
unset LC_ALL; export LANG=ko_KR.UTF-8
out=$(pacman -U --noconfirm "$OLD" 2>&1 | grep -v 'setlocale'); told Korean 3 "blunux-ai setup"; told Korean 3 "켜기"
out=$(pacman -U --noconfirm "$NEW" 2>&1 | grep -v 'setlocale'); told Korean 3 "그대로"
[ -z "$(enabled)" ] || fail "it enables: $(enabled)"
# An existing file of another owner is not overwritten.
pacman -Rns --noconfirm blunux-ai >/dev/null 2>&1
echo mine >/usr/bin/blunux-aictl
! out=$(LC_ALL=C pacman -U --noconfirm "$NEW" 2>&1) || fail "it replaced a file of somebody's"
case $out in *"exists in filesystem"*) ;; *) fail "not told why" ;; esac
[ "$(cat /usr/bin/blunux-aictl)" = mine ] || fail "it replaced a file of somebody's"
echo "story complete"
