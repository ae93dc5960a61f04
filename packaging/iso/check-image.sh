#!/bin/bash
# Checks that an image contains nothing from the use of blunux-ai: keys,
# conversations, memory, messenger logins, logs.
#
#   check-image.sh AIRROOTFS
#
# Exit status: 0 nothing, 1 something (one path a line), 2 wrong usage.
set -u
if [ $# != 1 ] || [ ! -d "$1/usr" ]; then
	echo "usage: check-image.sh AIRROOTFS (a directory with usr in it)" >&2
	exit 2
fi
root=${1%/}

found=$(
	# Users' directories in any home, including /etc/skel.
	find "$root" -xdev -type d \( -path '*/.config/blunux-ai' -o -path '*/.cache/blunux-ai' -o -path '*/.claude' \) -prune -print
	find "$root" -xdev \( -path '*/.config/systemd/user/blunux-*' -o -path '*/systemd/user/blunux-ai-agent.*.d' -o -name '.claude.json' \) -print
	# Keys in system-wide settings.
	find "$root/etc/blunux-ai" "$root/usr/share/blunux" "$root/usr/share/blunux-ai" -type f \
		-exec grep -lE '(sk-[A-Za-z0-9_-]{16}|AIza[A-Za-z0-9_-]{20}|[0-9]{6,}:[A-Za-z0-9_-]{30}|^[[:space:]]*[a-z_]*(api_key|token|password)[[:space:]]*=)' {} + 2>/dev/null
	find "$root/etc/blunux-ai" -mindepth 1 ! -name config.toml -print 2>/dev/null
	# Unrequested privileges.
	grep -lrsE 'blunux-?ai' "$root/etc/sudoers" "$root/etc/sudoers.d" "$root/etc/polkit-1/rules.d" "$root/usr/share/polkit-1/rules.d"
)
[ -z "$found" ] && exit 0
printf '%s\n' "$found" | sort -u | while IFS= read -r path; do printf '/%s\n' "${path#"$root"/}"; done
exit 1
