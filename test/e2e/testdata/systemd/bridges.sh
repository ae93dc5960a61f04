# The bridges' units, run as an ordinary user with a real user manager: $BIN has
# the programs, $STATIC the bridges and the probe as shipped, $UNITS the unit
# files.
set -eu # no pipefail: grep -q ends its writer early
export PATH="$BIN:$PATH"
U="$HOME/.config/systemd/user"
C="$HOME/.config/blunux-ai"
R="$XDG_RUNTIME_DIR/blunux-ai-bridges"
fail() { echo "FAILED: $*"; journalctl --user --no-pager -n 80; exit 1; }
show() { systemctl --user show -p "$2" --value "$1"; }
mkdir -p "$U" "$C"
chmod 700 "$C"
cp "$UNITS"/*.service "$UNITS"/*.socket "$U/"
# The programs of this test are in a directory that the units hide.
for u in blunux-wa-bridge blunux-telegram-bridge blunux-discord-bridge; do
	mkdir -p "$U/$u.service.d"
	printf '[Service]\nBindReadOnlyPaths=%s\n' "$STATIC" >"$U/$u.service.d/bin.conf"
done
outside="/tmp/blunux-ai-probe-outside /tmp/blunux-ai-probe-tmp /var/tmp/blunux-ai-probe-outside"
rm -f $outside
trap 'rm -f $outside' EXIT
# instead UNIT COMMAND: replaces the bridge by another program.
instead() {
	sed "s|^ExecStart=.*|ExecStart=$2|; s|^ExecPaths=.*|ExecPaths=${3:-${2%% *}}|; s|^RestartSec=.*|RestartSec=100ms|" "$UNITS/$1.service" >"$U/$1.service"
	systemctl --user daemon-reload
}
instead blunux-wa-bridge "$STATIC/probe bridge whatsapp"
instead blunux-telegram-bridge "$STATIC/probe bridge telegram"
instead blunux-discord-bridge "$STATIC/probe bridge discord"

# 1. Before a login: nothing starts, and nothing has failed.
systemctl --user enable --now blunux-ai-agent.socket blunux-wa-bridge.service blunux-telegram-bridge.service blunux-discord-bridge.service 2>/dev/null
for u in blunux-wa-bridge blunux-telegram-bridge blunux-discord-bridge; do
	[ "$(show $u.service ActiveState)" = inactive ] || fail "$u runs without a login"
	[ "$(show $u.service ConditionResult)" = no ] || fail "$u: which condition?"
done
[ "$(systemctl --user is-active blunux-ai-bridges.socket)" = active ] || fail "the bridges' sockets are not there"
for c in whatsapp telegram discord; do
	[ "$(stat -c '%a %F' "$R/$c")" = '700 directory' ] || fail "$c: the directory is open to others"
	[ "$(stat -c '%a %F' "$R/$c/socket")" = '600 socket' ] || fail "$c: the socket is open to others"
done
[ "$(show blunux-ai-agent.service ActiveState)" = inactive ] || fail "the daemon runs unasked"

# 2. After a login, with private files.
mkdir -p "$C"/credentials "$C"/conf.d "$C"/sessions "$C"/logs "$C"/memory "$C"/telegram "$C"/discord "$C"/whatsapp/session "$HOME/.ssh"
chmod 700 "$C"/*
for f in "$C/credentials/anthropic" "$C/conf.d/50-setup.toml" "$C/sessions/probe" "$C/logs/probe" "$C/memory/USER.md" "$HOME/.ssh/id_ed25519" "$HOME/document" \
	"$C/telegram/token" "$C/discord/token" "$C/whatsapp/token" "$C/whatsapp/session/store.db" /var/tmp/blunux-ai-probe-outside /tmp/blunux-ai-probe-outside; do
	echo secret >"$f"
done
printf '[ai_agent]\nprovider = "offline"\n' >"$C/config.toml"
for c in wa:whatsapp telegram:telegram discord:discord; do
	u=blunux-${c%%:*}-bridge.service
	systemctl --user start "$u" || fail "$u does not start"
	until_ok sh -c "[ \"\$(systemctl --user show -p SubState --value $u)\" != running ]" || fail "$u: the probe does not end"
	until_ok sh -c "journalctl --user --no-pager -o cat -u $u | grep -q 'as it should be: connect to the daemon: <nil>'" || fail "$u: nothing in the journal"
	! journalctl --user --no-pager -o cat -u "$u" | grep "NOT AS IT SHOULD BE" || fail "$u protects too little, or too much"
	[ "$(show "$u" Result)" = success ] || fail "$u: $(show "$u" Result)"
	[ -f "$C/${c##*:}/probe" ] || fail "$u keeps nothing"
	[ ! -e /tmp/blunux-ai-probe-tmp ] || fail "$u: its temporary files are everybody's"
done
# The forbidden actions work in a bare unit; otherwise the probe proves nothing.
bare=$(timeout $PATIENCE systemd-run --user --wait --pipe --quiet --collect "$STATIC/probe" bridge telegram 2>&1) && fail "the probe finds nothing in a bare unit: it proves nothing"
for try in "read $C/credentials/anthropic" "read $HOME/.ssh/id_ed25519" "read /var/tmp/blunux-ai-probe-outside" "write into $HOME" "connect to the daemon as anybody" \
	"connect to the daemon as another messenger's bridge" "connect to the session bus" "connect to the service manager" "find something of the person's" \
	"start a program:" "start a program it wrote" "make its memory executable" "get a namespace" "read another process's environment"; do
	echo "$bare" | grep -qF "NOT AS IT SHOULD BE: $try" || fail "even a bare unit forbids this: $try"
done
until_ok sh -c '[ "$(systemctl --user show -p ActiveState --value blunux-ai-agent.service)" = active ]' || fail "the bridge's connection did not wake the daemon"

# 3. If the user has to act (78), there is no restart. After a failure there is.
cat >"$C/telegram/bridge.sh" <<'S'
echo . >>"$1"
systemd-notify --ready
exit "$2"
S
again() { # again STATUS: number of starts if it ends with that status
	rm -f "$C/telegram/starts"
	cat >"$U/blunux-telegram-bridge.service" <<X
$(sed "s|^ExecStart=.*|ExecStart=/bin/sh $C/telegram/bridge.sh $C/telegram/starts $1|; s|^NoExecPaths=.*||; s|^ExecPaths=.*||; s|^RestartSec=.*|RestartSec=100ms|; s|^Type=.*|Type=exec|" "$UNITS/blunux-telegram-bridge.service")
X
	systemctl --user daemon-reload
	systemctl --user reset-failed blunux-telegram-bridge.service 2>/dev/null || true
	systemctl --user start blunux-telegram-bridge.service || true
}
again 78
until_ok sh -c '[ "$(systemctl --user show -p ActiveState --value blunux-telegram-bridge.service)" = failed ]' || fail "78 is no failure"
[ "$(show blunux-telegram-bridge.service NRestarts)" = 0 ] || fail "started anew where the person is needed"
[ "$(wc -l <"$C/telegram/starts")" = 1 ] || fail "started $(wc -l <"$C/telegram/starts") times"
again 1
until_ok sh -c "[ \"\$(wc -l <'$C/telegram/starts')\" -ge 7 ]" || fail "not started anew after a failure: $(wc -l <"$C/telegram/starts")"
systemctl --user stop blunux-telegram-bridge.service

# 4. The manager's own rating.
for u in blunux-wa-bridge blunux-telegram-bridge blunux-discord-bridge; do
	cp "$UNITS/$u.service" "$U/"
	systemctl --user daemon-reload
	figure=$(systemd-analyze --user security --no-pager "$u.service" | sed -n 's/.*exposure level for [^:]*: \([0-9.]*\).*/\1/p')
	echo "exposure of $u: $figure"
	awk "BEGIN { exit !($figure > 0 && $figure <= 2.0) }" || fail "$u is exposed: $figure"
done
echo "exposure of blunux-ai-agent: $(systemd-analyze --user security --no-pager blunux-ai-agent.service | sed -n 's/.*exposure level for [^:]*: \([0-9.]*\).*/\1/p')"


# 5. The real bridges in their units, with a minimal server in place of
#    Telegram's.
cat >"$HOME/bot.py" <<'P'
import http.server, json, re, socketserver, sys, threading, time
token, said = sys.argv[1], sys.argv[2]
asked, lock = threading.Event(), threading.Lock()
class Bot(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *args): pass
    def do_POST(self):
        body = self.body().decode("utf-8", "replace")
        method = self.path.rsplit("/", 1)[-1]
        field = lambda name: (re.search(r'name="%s"\r\n\r\n(.*?)\r\n--' % name, body, re.S) or [None, ""])[1]
        if ("/bot" + token + "/") not in self.path:
            return self.answer({"ok": False, "error_code": 401, "description": "Unauthorized"}, 401)
        result = True
        if method == "getMe":
            result = {"id": 1, "is_bot": True, "first_name": "blu", "username": "blu_bot"}
        elif method == "getUpdates":
            with lock:
                first = not asked.is_set()
                asked.set()
            person = {"id": 42, "is_bot": False, "first_name": "Blu"}
            question = {"message_id": 7, "date": int(time.time()), "chat": {"id": 42, "type": "private", "first_name": "Blu"}, "from": person, "text": "disk full?"}
            result = [{"update_id": 1000, "message": question}] if first else []
            if not first: time.sleep(0.5)
        elif method in ("sendMessage", "editMessageText"):
            with lock, open(said, "a") as f: f.write(json.dumps([method, field("chat_id"), field("text")]) + "\n")
            result = {"message_id": 8, "date": int(time.time()), "chat": {"id": 42, "type": "private"}, "text": "x"}
        self.answer({"ok": True, "result": result})
    do_GET = do_POST
    def body(self):
        if "chunked" not in (self.headers.get("Transfer-Encoding") or ""):
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        text = b""
        while True:
            size = int(self.rfile.readline(), 16)
            text += self.rfile.read(size)
            self.rfile.readline()
            if size == 0: return text
    def answer(self, value, status=200):
        text = json.dumps(value).encode()
        self.send_response(status); self.send_header("Content-Type", "application/json"); self.send_header("Content-Length", str(len(text))); self.end_headers(); self.wfile.write(text)
class Server(socketserver.ThreadingMixIn, http.server.HTTPServer): daemon_threads = True
s = Server(("127.0.0.1", 0), Bot)
print(s.server_address[1], flush=True)
s.serve_forever()
P
T=123456789:AAabcdefghijklmnopqrstuvwxyzABCDEFG
python3 "$HOME/bot.py" $T "$HOME/said" >"$HOME/port" 2>"$HOME/bot.log" & bot=$!
trap 'kill $bot; rm -f $outside' EXIT
until_ok test -s "$HOME/port" || fail "no bot: $(cat "$HOME/bot.log")"
systemctl --user set-environment "BLUNUX_AI_TELEGRAM_SERVER=http://127.0.0.1:$(cat "$HOME/port")" LANG=en_US.UTF-8
printf '[ai_agent]\nprovider = "offline"\nlanguage = "en"\n[telegram]\nallowed_chats = ["42"]\n' >"$C/config.toml"
systemctl --user stop blunux-telegram-bridge.service blunux-ai-agent.service
rm -rf "$C/telegram" "$C/whatsapp"
mkdir -p "$C/telegram"
chmod 700 "$C/telegram"
echo $T >"$C/telegram/token"
chmod 600 "$C/telegram/token"
systemctl --user start blunux-telegram-bridge.service || fail "the real bridge does not start"
until_ok grep -q '%' "$HOME/said" || fail "no answer over Telegram: $(cat "$HOME/said" "$HOME/bot.log"; ls -la "$C/telegram" "$R/telegram")"
grep -q '"42"' "$HOME/said" || fail "to whom? $(cat "$HOME/said")"
show blunux-telegram-bridge.service StatusText | grep -q online || fail "no status beside the unit: $(show blunux-telegram-bridge.service StatusText)"
blunux-ai doctor --brief | grep -q 'Telegram: connected, as @blu_bot' || fail "status: $(blunux-ai doctor --brief)"
blunux-aictl status --json | grep -q '"channel":"telegram","unit":"blunux-telegram-bridge.service","running":true,"phase":"online"' || fail "$(blunux-aictl status --json)"
! journalctl --user --no-pager -o cat -u blunux-telegram-bridge.service | grep "cannot listen for the daemon's bell" || fail "the bell is not heard in the unit"
blunux-ai doctor | grep -q 'ok *telegram *Telegram: connected' || fail "doctor: $(blunux-ai doctor)"

# 5b. A bridge restarts: the daemon does not, and nothing is answered twice.
daemon=$(show blunux-ai-agent.service MainPID)
bridge=$(show blunux-telegram-bridge.service MainPID)
lines=$(wc -l <"$HOME/said")
systemctl --user restart blunux-telegram-bridge.service
[ "$(show blunux-telegram-bridge.service MainPID)" != "$bridge" ] || fail "the same bridge?"
[ "$(show blunux-ai-agent.service MainPID)" = "$daemon" ] || fail "the daemon was started anew with the bridge"
until_ok sh -c 'blunux-ai doctor --brief | grep -q "Telegram: connected"' || fail "not connected again: $(blunux-ai doctor --brief)"
kill -9 "$(show blunux-telegram-bridge.service MainPID)"
until_ok sh -c "[ \"\$(systemctl --user show -p NRestarts --value blunux-telegram-bridge.service)\" -ge 1 ]" || fail "killed, and not started anew"
until_ok sh -c 'blunux-ai doctor --brief | grep -q "Telegram: connected"' || fail "not connected after a kill: $(blunux-ai doctor --brief)"
systemctl --user restart blunux-ai-agent.service
until_ok sh -c 'blunux-ai doctor --brief | grep -q "Telegram: connected"' || fail "not connected after the daemon's restart"
[ "$(wc -l <"$HOME/said")" = "$lines" ] || fail "said again: $(cat "$HOME/said")"

# 5c. A revoked token: it stops restarting, and status and doctor say what
# helps.
echo 987654321:AAabcdefghijklmnopqrstuvwxyzABCDEFG >"$C/telegram/token"
systemctl --user restart blunux-telegram-bridge.service || true
until_ok sh -c '[ "$(systemctl --user show -p ActiveState --value blunux-telegram-bridge.service)" = failed ]' || fail "it goes on without a valid token: $(blunux-ai doctor --brief)"
[ "$(show blunux-telegram-bridge.service ExecMainStatus)" = 78 ] || fail "ended with $(show blunux-telegram-bridge.service ExecMainStatus)"
blunux-ai doctor --brief | grep -q 'run: blunux-telegram-bridge login' || fail "status: $(blunux-ai doctor --brief)"
blunux-ai doctor | grep -A1 telegram | grep -q 'blunux-telegram-bridge login' || fail "doctor: $(blunux-ai doctor)"

# 5d. An unreadable WhatsApp session: the same.
mkdir -p "$C/whatsapp/session"
chmod 700 "$C/whatsapp" "$C/whatsapp/session"
head -c 8192 /dev/zero | tr '\0' x >"$C/whatsapp/session/store.db"
chmod 600 "$C/whatsapp/session/store.db"
systemctl --user restart blunux-wa-bridge.service || true
until_ok sh -c '[ "$(systemctl --user show -p ActiveState --value blunux-wa-bridge.service)" = failed ]' || fail "it goes on with a broken session: $(blunux-ai doctor --brief)"
[ "$(show blunux-wa-bridge.service ExecMainStatus)" = 78 ] || fail "ended with $(show blunux-wa-bridge.service ExecMainStatus): $(journalctl --user --no-pager -u blunux-wa-bridge.service -n 20)"
blunux-ai doctor --brief | grep -q 'run: blunux-wa-bridge login' || fail "status: $(blunux-ai doctor --brief)"
echo "story complete"
