# Questions to the built-in helper about the real content of the journal, by a
# user who may read all of it or only the own part.
case " $(id -nG) " in *' systemd-journal '*) all=yes ;; *) all='' ;; esac
errors() { journalctl -q --no-pager -p err "$@" | wc -l; }
in_session() { capture blunux-aictl ask --session "$1" -- "$2"; }
partly=systemd-journal # the group that may read all of it
counts() { case ${out%%$'\n'*} in *"$1"*) ;; *) fail "it does not count $1" ;; esac; }

# 1. No errors. With a partial view the answer is not "all is well".
sudo -n journalctl -q --rotate
sudo -n journalctl -q --vacuum-time=1us
sudo -n journalctl -q --vacuum-files=1
[ "$(sudo -n journalctl -q --no-pager -p err | wc -l)" = 0 ] || fail "errors before the story: $(sudo -n journalctl -q -p err)"
ask "show me the errors since boot"; exits 0
if [ $all ]; then says "No errors in the log"; silent_on "$partly"; else says "can't tell if anything went wrong" "$partly"; silent_on "No errors" "no errors"; fi
ask "오늘 에러 로그 보여줘"; exits 0
if [ $all ]; then says "오류 로그가 없어요"; else says "$partly"; silent_on "오류 로그가 없어요"; fi
ask "what crashed?"; exits 0
[ $all ] || { says "$partly"; silent_on "No problems" "no problems"; }

# 2. Known messages with known priorities.
for _ in 1 2 3 4 5; do logger -p user.err -t billing "cannot connect to database: Connection refused"; done
for _ in 1 2; do echo "certificate has expired" | systemd-cat -t webproxy -p crit; done
logger -p user.err -t backup "disk quota exceeded on /srv/backup"
logger -p user.warning -t billing "the queue is long"
logger -p user.info -t billing "all is well here"
for n in 1 2 3; do sudo -n logger -p daemon.err -t rootjob "job $n of the night failed"; done
logger -p user.info -t last last
written() { [ "$(sudo -n journalctl -q -t webproxy | wc -l) $(sudo -n journalctl -q -t rootjob | wc -l) $(sudo -n journalctl -q -t last | wc -l)" = "2 3 1" ]; }
until_ok written || fail "not in the journal: $(sudo -n journalctl -q)"
if [ $all ]; then lines=11; else lines=8; fi
[ "$(errors)" = $lines ] || fail "$(errors) errors, not $lines: $(journalctl -q -p err)"

# 3. Counted, with identical ones grouped.
ask "오늘 에러 로그 보여줘"; exits 0
counts $lines; says "billing: cannot connect to database: Connection refused (5번" "webproxy: certificate has expired (2번" "backup: disk quota exceeded on /srv/backup"
silent_on "queue is long" "all is well here"
if [ $all ]; then says "rootjob" "(3번"; silent_on "$partly"; else says "$partly"; silent_on rootjob; fi
ask "show me the errors since boot"; exits 0
counts $lines; says "billing: cannot connect to database: Connection refused (5×" "webproxy: certificate has expired (2×" "backup: disk quota exceeded"
silent_on "queue is long" "all is well here"
if [ $all ]; then says "rootjob" "(3×"; silent_on "$partly"; else says "$partly"; silent_on rootjob; fi
ask "显示今天的错误日志"; exits 0; counts $lines; says "billing: cannot connect to database: Connection refused（5 次" "webproxy: certificate has expired（2 次"
ask "errors in the last hour"; exits 0; counts $lines; says "1 hour ago" "(5×"
ask "what crashed?"; exits 0; says "5× billing: cannot connect to database: Connection refused" "2× webproxy: certificate has expired"
command -v coredumpctl >/dev/null || says "Could not look at: \`coredumpctl list --no-pager --since -14days\`"

# 4. Every line on request.
in_session m "show me the errors since boot"
in_session m "show more"; exits 0
[ "$(printf '%s\n' "$out" | grep -c 'billing\[[0-9]*\]: cannot connect to database')" = 5 ] || fail "not five lines"
[ "$(printf '%s\n' "$out" | grep -cE '^ .*\[[0-9]+\]: ')" = $lines ] || fail "not $lines lines"
in_session m "and warnings?"; exits 0; says "billing: the queue is long" "-p warning"; silent_on "all is well here"

# 5. All commands were read-only and literal.
! sed 's/^\[[^]]*\] *//' "$LOG" | grep -qv '^\(SAFE\|FAILED\) ' || fail "not only reading"
logged "SAFE journalctl --no-pager -n 200 --since today -p err"
logged "SAFE journalctl --no-pager -n 200 -b -p err"
echo "story complete"
