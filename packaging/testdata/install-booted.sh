# Card, install, ask: on a booted system, as an ordinary user who may only run
# pacman with sudo.
set -eu
export LANG=C.UTF-8 BLUNUX_AI_LANG=ko BLUNUX_AI_AUTOMATIONS=off
fail() { printf 'FAILED: %s\n%s\n' "$*" "${out:-}"; exit 1; }
systemctl --user set-environment BLUNUX_AI_AUTOMATIONS=off
out=$(bash "$DIR/install-ai-agent.sh" --from "$DIR/real" </dev/null 2>&1) || fail "it cannot be installed"
case $out in *"blunux-ai setup"*) ;; *) fail "it does not say how to go on" ;; esac
[ "$(systemctl --user is-enabled blunux-ai-agent.socket)$(systemctl --user is-active blunux-ai-agent.socket)" = enabledactive ] || fail "nothing waits"
[ "$(systemctl --user is-active blunux-ai-agent.service || :)" = inactive ] || fail "the daemon runs already"
[ "$(pacman -Qq | grep '^blunux-\(ai\|wa-bridge\|telegram-bridge\|discord-bridge\)$')" = blunux-ai ] || fail "a bridge that nobody named: $(pacman -Qq)"
out=$(timeout 60 blunux-aictl ask "디스크 꽉 찼어?" </dev/null 2>&1) || fail "it does not answer"
case $out in *df*) ;; *) fail "it does not answer" ;; esac
[ "$(systemctl --user is-active blunux-ai-agent.service)" = active ] || fail "another daemon answers"

out=$(bash "$DIR/install-ai-agent.sh" --from "$DIR/real" </dev/null 2>&1) || fail "a second time fails"
case $out in *"sudo pacman"*) fail "root's rights for nothing" ;; esac
[ "$(systemctl --user is-active blunux-ai-agent.service)" = active ] || fail "a second time disturbs the daemon"

out=$(bash "$DIR/install-ai-agent.sh" --uninstall </dev/null 2>&1) || fail "it cannot be removed"
case $out in *"$HOME/.config/blunux-ai"*) ;; *) fail "it does not say what is left" ;; esac
[ "$(systemctl --user is-active blunux-ai-agent.service || :)" = inactive ] || fail "the daemon still runs"
[ -d "$HOME/.config/blunux-ai" ] || fail "what is the person's is gone"
[ ! -e "$XDG_RUNTIME_DIR/blunux-ai.sock" ] || fail "the socket is still there"
left=$(find "$HOME/.config/systemd" -name 'blunux-*.socket' -o -name 'blunux-*.service') || :
[ -z "$left" ] || fail "units are still enabled: $left"
if command -v blunux-ai >/dev/null; then fail "the program is still there"; fi
echo "story complete"
