# What starts the daemon, run as an ordinary user with a real user manager:
# $UNITS has the unit files, in which $AGENT replaces the daemon. The agent
# requests wake-ups as listed in ~/wishes, writes to ~/starts, and exits.
set -eu
U="$HOME/.config/systemd/user"
DUE="$U/blunux-ai-agent.timer.d/50-due.conf" FILES="$U/blunux-ai-agent.path.d/50-files.conf"
fail() { echo "FAILED: $*"; cat "$HOME/starts" "$DUE" "$FILES" 2>/dev/null || :; systemctl --user list-timers --all --no-pager; journalctl --user --no-pager -n 60; exit 1; }
until_ok() { for _ in $(seq 5000); do "$@" >/dev/null 2>&1 && return 0; sleep 0.02; done; return 1; }
starts() { cat "$HOME/starts" 2>/dev/null | wc -l; }
last() { tail -1 "$HOME/starts"; }
started() { until_ok sh -c "[ \$(cat $HOME/starts 2>/dev/null | wc -l) -ge $1 ]" || fail "no start number $1"; }
wish() { printf '%s\n' "$1" >>"$HOME/wishes"; }
is() { systemctl --user "$1" "$2" 2>/dev/null || :; }
prop() { systemctl --user show -p "$1" --value "$2"; }
gone() { until_ok sh -c '[ "$(systemctl --user is-active blunux-ai-agent.service)" = inactive ]' || fail "it stays: $(is is-active blunux-ai-agent.service)"; }
# exactly N SECONDS: N starts in all, and no more that many seconds after the last one has ended. A path unit does not
# hear what changes before.
exactly() { started "$1"; gone; sleep "$2"; [ "$(starts)" = "$1" ] || fail "$(starts) starts, not $1"; }
now() { date +%s%3N; }

mkdir -p "$U/blunux-ai-agent.timer.d" "$HOME/.config/blunux-ai"
cp "$UNITS"/blunux-ai-agent.* "$U/"
# Reduce the minute after the login to a second, which is long past.
printf '[Timer]\nOnStartupSec=\nOnStartupSec=1s\n' >"$U/blunux-ai-agent.timer.d/10-soon.conf"
systemctl --user daemon-reload
systemctl --user enable blunux-ai-agent.service 2>/dev/null
for u in service socket timer path; do [ "$(is is-enabled blunux-ai-agent.$u)" = enabled ] || fail "the $u is not enabled with the service"; done
systemctl --user disable blunux-ai-agent.service 2>/dev/null
systemctl --user enable --now blunux-ai-agent.socket 2>/dev/null
sleep 2

# 1. Outside of the unit: nothing is changed.
wish '{"due":[3000],"stay":1}'
"$AGENT" agent
case $(last) in *active=false*"err=<nil>"*) ;; *) fail "not the unit, and yet" ;; esac
[ ! -e "$DUE" ] && [ "$(is is-enabled blunux-ai-agent.timer)" = disabled ] || fail "it was touched"

# 2. The unit requests nothing: nothing is enabled.
wish '{"due":[],"stay":1}'
systemctl --user start blunux-ai-agent.service
started 2; gone
case $(last) in *active=true*"err=<nil>"*) ;; *) fail "it is the unit" ;; esac
[ ! -e "$DUE" ] && [ "$(is is-enabled blunux-ai-agent.timer)" = disabled ] || fail "it was touched"

# 3. Due in three seconds: it exits, and is started once when it is due.
# Starting
#    the timer for the first time long after the login triggers another start
#    while it runs.
wish '{"due":[3000],"stay":300}'
wish '{"quiet":true,"stay":1}'
systemctl --user start blunux-ai-agent.service
started 3
echo "asked: $(last)"
case $(last) in *"active=true err=<nil> again=true"*) ;; *) fail "it cannot ask" ;; esac
[ "$(is is-enabled blunux-ai-agent.timer)" = enabled ] && [ "$(is is-active blunux-ai-agent.timer)" = active ] || fail "the timer is not on"
[ "$(is is-enabled blunux-ai-agent.path)" = enabled ] && [ "$(is is-active blunux-ai-agent.path)" = active ] || fail "the path unit is not on"
asked=$(last | cut -d' ' -f1)
started 4
late=$(($(last | cut -d' ' -f1) - asked))
echo "started $late ms after it asked for 3000"
[ "$late" -ge 3000 ] && [ "$late" -lt 9000 ] || fail "not when it was due: $late"
case $(last) in *blunux-ai-agent.timer) ;; *) fail "not the timer: $(last)" ;; esac
exactly 4 2

# 4. A daemon that always exits immediately and requests another distant time is
#    not started again and again.
for n in 1 2 3 4 5 6; do wish '{"due":['$((n * 1000000))'],"stay":1}'; done
systemctl --user start blunux-ai-agent.service
exactly 5 2
systemctl --user start blunux-ai-agent.service
exactly 6 2
: >"$HOME/wishes"
grep -q '^OnCalendar=20..-..-.. ..:..:.. UTC$' "$DUE" || fail "no time in it"
[ "$(grep -c OnCalendar "$DUE")" = 1 ] || fail "old times are left"

# 5. A time that passes without a login starts it at the next login.
wish '{"due":[4000,1000000000],"stay":1}'
systemctl --user start blunux-ai-agent.service
started 7; gone
systemctl --user stop blunux-ai-agent.timer
sleep 5.3
[ "$(starts)" = 7 ] || fail "started by nobody"
systemctl --user start blunux-ai-agent.timer
exactly 8 2
case $(last) in *blunux-ai-agent.timer) ;; *) fail "not the timer: $(last)" ;; esac
systemctl --user restart blunux-ai-agent.timer
exactly 8 2

# 6. A file changes: once.
odd="$HOME/a dir 100%h/ㅎ\"x"
mkdir -p "$HOME/a dir 100%h"
wish '{"due":[1000000000],"files":["'"$HOME"'/a dir 100%h/ㅎ\"x","relative","/with\nline"],"stay":1}'
systemctl --user start blunux-ai-agent.service
started 9; gone
[ "$(grep -c PathChanged "$FILES")" = 1 ] || fail "which files?"
echo x >"$odd"
exactly 10 2
case $(last) in *blunux-ai-agent.path) ;; *) fail "not the path unit: $(last)" ;; esac
echo x >>"$odd"
exactly 11 1

# 7. The file of automations, also a new one.
echo >"$HOME/.config/blunux-ai/automations.toml"
exactly 12 1

# 8. Requests that are no longer known are removed; the units stay.
wish '{"due":[],"stay":1}'
systemctl --user start blunux-ai-agent.service
started 13; gone
[ ! -e "$DUE" ] && [ ! -e "$FILES" ] && [ -e "$U/blunux-ai-agent.timer.d/10-soon.conf" ] && [ ! -e "$U/blunux-ai-agent.path.d" ] || fail "something is left, or too little"
[ "$(prop NeedDaemonReload blunux-ai-agent.timer)" = no ] || fail "the manager does not know"
case $(prop TimersCalendar blunux-ai-agent.timer) in *OnCalendar*) fail "the manager does not know" ;; esac
echo y >>"$odd"
exactly 13 1

# 9. If the timer is masked, there is none.
systemctl --user stop blunux-ai-agent.timer
rm "$U/blunux-ai-agent.timer"
systemctl --user mask blunux-ai-agent.timer 2>/dev/null
wish '{"due":[2000],"stay":1}'
systemctl --user start blunux-ai-agent.service
started 14; gone
case $(last) in *active=false*"err=<nil>"*) ;; *) fail "masked, and yet" ;; esac
[ ! -e "$DUE" ] || fail "written for nobody"
[ "$(prop NRestarts blunux-ai-agent.service)" = 0 ] || fail "it failed"
cat "$HOME/starts"
echo "story complete"
