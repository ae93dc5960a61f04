# The daemon's unit allows all interfaces that it listens to; run as an ordinary
# user of a booted machine: $UNITS has the unit files, in which $AGENT replaces
# the daemon.
set -eu
U="$HOME/.config/systemd/user"
fail() { echo "FAILED: $*"; cat "$HOME/heard" "$HOME/starts" || :; journalctl --user --no-pager -n 40; exit 1; }
until_ok() { for _ in $(seq 5000); do "$@" >/dev/null 2>&1 && return 0; sleep 0.02; done; return 1; }
mkdir -p "$U"
cp "$UNITS"/blunux-ai-agent.* "$U/"
systemctl --user daemon-reload
systemd-run --user --quiet --unit=down-before false || :
until_ok sh -c '[ "$(systemctl --user is-failed down-before.service)" = failed ]'
echo '{"due":[1000000],"stay":7000,"listen":true}' >"$HOME/wishes"
systemctl --user start blunux-ai-agent.service
until_ok grep -q '^before' "$HOME/heard" || fail "it does not listen"
pid=$(systemctl --user show -p MainPID --value blunux-ai-agent.service)
sleep 1
turns() { cat /proc/"$pid"/task/*/status | awk '/ctxt_switches/ {n += $2} END {print n}'; }
# It rests in one of some spans: in the others it hears what happens meanwhile.
for _ in 1 2 3 4 5 6 7 8; do
	was=$(turns); sleep 2; idle=$(($(turns) - was))
	[ "$idle" -gt 4 ] || break
done
echo "woken up $idle times in two idle seconds"
[ "$idle" -le 4 ] || fail "it does not rest: $idle"
systemd-run --user --quiet --unit=down-now.x false || :
systemd-run --user --quiet --wait --unit=well true || fail "true fails"
until_ok grep -q '^failed {down-now.x.service true ' "$HOME/heard" || fail "the failure is not heard"
until_ok grep -q '^failed {system-later.service false ' "$HOME/heard" || fail "the system's failure is not heard"
until_ok test -e "$HOME/starts" || fail "it does not end"
cat "$HOME/heard" "$HOME/starts"
grep -q 'before \[.*{down-before.service true .*\] <nil>' "$HOME/heard" || fail "what had failed is not known"
grep -q '^started true ago, true after boot, slept .*<nil>$' "$HOME/heard" || fail "when the manager started is not known"
grep -q 'before \[.*{system-down.service false .*\] <nil>' "$HOME/heard" || fail "what had failed of the system is not known"
[ "$(grep -c '^failed {' "$HOME/heard")" = 2 ] || fail "more is told than happened"
grep -q 'active=true err=<nil>' "$HOME/starts" || fail "nothing is due"
! grep -q 'cannot listen' "$HOME/starts" || fail "something is forbidden"
echo "story complete"
