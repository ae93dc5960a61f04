# shellcheck shell=bash
# Two users on one machine at the same time: neither can access the other's
# data.
install_ai "$NEW"
for who in mina:2001 jun:2002; do
	person "${who%:*}" "${who#*:}"
	login "${who%:*}"
	ctl "${who%:*}" enable --now blunux-ai-agent.socket 2>/dev/null
	answered "${who%:*}"
	as "${who%:*}" blunux-aictl ask -- "내 이름은 ${who%:*}" >/dev/null || :
done
[ "$(daemon_of mina)" != "$(daemon_of jun)" ] || fail "one daemon for both"
[ "$(ps -o user= -p "$(daemon_of mina)")" = mina ] || fail "the daemon has not its person's rights"
[ -z "$(pgrep -u root -x blunux-ai || :)" ] || fail "something of it runs as root"

# 1. The modes of the runtime directory, the sockets and the files lock the
# other
#    user out.
mine=/run/user/2001/blunux-ai.sock
[ "$(stat -c '%a %U' /run/user/2001)" = "700 mina" ] || fail "the runtime directory is open: $(stat -c '%a %U' /run/user/2001)"
[ "$(stat -c '%a %U' /home/mina/.config/blunux-ai)" = "700 mina" ] || fail "the files are open: $(stat -c '%a %U' /home/mina/.config/blunux-ai)"
open=$(find /home/mina/.config/blunux-ai /run/user/2001/blunux-ai* -perm /077 ! -type l -print)
[ -z "$open" ] || fail "open to others: $open"
for path in $mine /run/user/2001/blunux-ai-bridges/whatsapp/socket /home/mina/.config/blunux-ai/sessions; do
	! as jun test -r "$path" || fail "the other may read $path"
done
# connect NAME SOCKET: prints the daemon's reply or the connection error.
cat >/usr/local/bin/knock <<'PY'
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.settimeout(20)
try:
    s.connect(sys.argv[1])
except OSError as e:
    sys.exit(e.strerror)
try:
    s.sendall(b'{"type":"query","data":{"what":"status"}}\n')
    print(s.recv(65536).decode() or "closed")
except OSError as e:
    print("closed:", e.strerror)
PY
connect() { said "$1" python3 /usr/local/bin/knock "$2"; }
connect mina $mine; says '"type"'
connect jun $mine; says 'Permission denied'
said jun env BLUNUX_AI_SOCK=$mine blunux-aictl status --no-start
[ "$code" != 0 ] || fail "the other's client is let in: $out"

# 2. Without the modes the daemon checks the peer credentials and rejects the
#    other user, and root too.
chmod 711 /run/user/2001
chmod 666 $mine
connect jun $mine; says closed
capture python3 /usr/local/bin/knock $mine # as root
says closed
refused() { as mina journalctl --user --no-pager -u $AGENT -o json | grep 'another user refused' | grep -q "\"UID\":\"$1\""; }
for uid in 2002 0; do until_ok refused $uid || fail "not told that $uid was refused: $(as mina journalctl --user --no-pager -u $AGENT | tail -4)"; done
chmod 600 $mine
chmod 700 /run/user/2001
answered mina

# 3. No listeners beyond file modes: no abstract socket, no port.
[ -z "$(grep -a '@' /proc/net/unix | grep -ai blunux || :)" ] || fail "an abstract socket: $(grep -a '@' /proc/net/unix)"
[ -z "$(ss -Hltunp | grep blunux || :)" ] || fail "a port is open: $(ss -Hltunp)"

# 4. Each sees the own conversation only, and cannot inspect the other's
# process.
! as jun test -r "/proc/$(daemon_of mina)/environ" || fail "the other reads its environment"
! as jun kill -TERM "$(daemon_of mina)" 2>/dev/null || fail "the other ends it"
said jun blunux-aictl sessions show default; exits 0
case $out in *mina*) fail "the other's words" ;; esac
echo "story complete"
