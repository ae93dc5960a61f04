# What reminders wait for happens: a host comes up, a battery is charged and runs down. Run as root in namespaces of its own for networks
# and mounts, with the programs in $BIN and an empty home.
set -eu
export PATH="$BIN:$PATH" LANG=en_US.UTF-8
fail() { echo "FAILED: $*"; blunux-aictl automations history || true; cat "$HOME/.config/blunux-ai/logs/commands.log" || true; exit 1; }
told() { blunux-aictl automations history "$1" --json | grep -q RAN; }

ip link set lo up
blunux-aictl ask 'tell me when 10.9.8.7 is reachable' || fail "no reminder"
! told 10-9-8-7 || fail "the host does not exist yet"
ip addr add 10.9.8.7/32 dev lo
until_ok told 10-9-8-7 || fail "nobody is told"
blunux-aictl notifications | grep -q "10.9.8.7 answers" || fail "the notification is missing"

# charge PERCENT: a battery as the kernel shows it (Documentation/ABI/testing/sysfs-class-power).
charge() {
	printf 'POWER_SUPPLY_NAME=BAT0\nPOWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_STATUS=Charging\nPOWER_SUPPLY_PRESENT=1\nPOWER_SUPPLY_ENERGY_FULL=50000000\nPOWER_SUPPLY_ENERGY_NOW=%d\nPOWER_SUPPLY_CAPACITY=%d\n' \
		$(($1 * 500000)) "$1" >/sys/class/power_supply/BAT0/uevent.new
	mv /sys/class/power_supply/BAT0/uevent.new /sys/class/power_supply/BAT0/uevent
}
blunux-aictl ask 'tell me when the battery is at 80%' >"$HOME/out" && fail "there is no battery yet: $(cat "$HOME/out")"
mount -t tmpfs battery /sys/class/power_supply
mkdir /sys/class/power_supply/BAT0
charge 70
blunux-aictl call '{"type":"action","action":"stop"}' >/dev/null # its commands see the mounts of its start
blunux-aictl ask 'tell me when the battery is at 80%' || fail "no reminder for the battery"
charge 79
! blunux-aictl notifications | grep -qi battery || fail "told before it is charged"
charge 81
until_ok sh -c 'blunux-aictl notifications | grep -qi battery' || fail "nobody is told of the battery"

blunux-aictl ask 'warn me when the battery is below 20%' || fail "no reminder for a low battery"
charge 21
! blunux-aictl notifications | grep -q "down to 20%" || fail "told before it is low"
charge 19
until_ok sh -c 'blunux-aictl notifications | grep -q "The battery is down to 20% or less"' || fail "nobody is told of the low battery"
echo "story complete"
