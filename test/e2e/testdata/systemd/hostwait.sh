# A host that comes up after the reminder was made. Run as root in a network namespace of its own, with the programs in $BIN
# and an empty home.
set -eu
export PATH="$BIN:$PATH" LANG=en_US.UTF-8
fail() { echo "FAILED: $*"; blunux-aictl automations history || true; cat "$HOME/.config/blunux-ai/logs/commands.log" || true; exit 1; }
told() { blunux-aictl automations history 10-9-8-7 --json | grep -q RAN; }

ip link set lo up
blunux-aictl ask 'tell me when 10.9.8.7 is reachable' || fail "no reminder"
! told || fail "the host does not exist yet"
ip addr add 10.9.8.7/32 dev lo
until_ok told || fail "nobody is told"
blunux-aictl notifications | grep -q "10.9.8.7 answers" || fail "the notification is missing"
echo "story complete"
