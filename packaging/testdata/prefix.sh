# Installed below a directory outside of the system's, with a space and a
# percent sign in its name ($TREE): the units work there too, including the one
# that hides the directory from its program.
set -eu
export LANG=C.UTF-8 BLUNUX_AI_AUTOMATIONS=off
fail() { printf 'FAILED: %s\n%s\n' "$*" "${out:-}"; journalctl --user --no-pager | tail -20; exit 1; }
systemctl --user set-environment BLUNUX_AI_AUTOMATIONS=off
out=$(systemctl --user link "$TREE"/lib/systemd/user/blunux-* 2>&1) || fail "the units cannot be linked"
systemctl --user start blunux-ai-agent.socket blunux-ai-bridges.socket
out=$(timeout 60 "$TREE/bin/blunux-aictl" ask "disk full?" </dev/null 2>&1) || fail "it does not answer"
case $out in *df*) ;; *) fail "it does not answer" ;; esac
[ "$(readlink "/proc/$(systemctl --user show -p MainPID --value blunux-ai-agent.service)/exe")" = "$TREE/bin/blunux-ai" ] || fail "another daemon answers"

install -d -m700 "$HOME/.config/blunux-ai/telegram"
(umask 077; echo 1234567890:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA >"$HOME/.config/blunux-ai/telegram/token")
systemctl --user start blunux-telegram-bridge.service 2>/dev/null || :
said() { journalctl --user -o cat _COMM=blunux-telegram 2>/dev/null | grep -q .; }
for _ in $(seq 500); do ! said || break; sleep 0.02; done
out=$(systemctl --user status blunux-telegram-bridge.service 2>&1) || :
said || fail "the bridge was not started: $(systemctl --user show -p Result,ExecMainStatus blunux-telegram-bridge.service)"
echo "story complete"
