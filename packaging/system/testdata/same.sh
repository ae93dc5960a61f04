# shellcheck shell=bash
# The installed programs (position-independent, with the C library) confine
# commands as strictly as those of make build ($MAKE_BUILD), and need no loader.
install_ai "$NEW"
person mina 2001
login mina
# level NAME PROGRAMS: the sandbox level of a daemon started without a unit.
level() {
	as mina env BLUNUX_AI_HOME="/home/mina/$1" BLUNUX_AI_SOCK="/home/mina/$1.sock" BLUNUX_AI_AUTOMATIONS=off PATH="$2:/usr/bin:/bin" \
		"$2/blunux-aictl" status | sed -n 's/^ *sandbox *//p'
}
plain=$(level plain "$MAKE_BUILD")
case $plain in *seccomp) ;; *) fail "no sandbox here: $plain" ;; esac
[ "$(level installed /usr/bin)" = "$plain" ] || fail "without a unit: $(level installed /usr/bin), not $plain"

# Also in its unit, where a command runs; and doctor says so.
ctl mina enable --now blunux-ai-agent.socket 2>/dev/null
answered mina
unit=$(status mina | sed -n 's/^ *sandbox *//p')
[ "$unit" = "$plain" ] || fail "in the unit: $unit, not $plain"
said mina blunux-ai doctor; says "$plain"

# No loader and no library is mapped while they run.
! grep -E '\.so($|\.)|/ld-' "/proc/$(daemon_of mina)/maps" || fail "the daemon needed a loader"
echo "sandbox $plain"
echo "story complete"
