# The ways to root rights on a booted system, run as an ordinary user in the
# daemon's unit: $BIN has the programs, $UNITS the unit files.
hello="blunux-hello"
mkdir -p "$HOME/.config/systemd/user" "$HOME/.config/blunux-ai"
chmod 700 "$HOME/.config/blunux-ai"
cp "$UNITS"/*.service "$UNITS"/*.socket "$HOME/.config/systemd/user/"
systemctl --user daemon-reload
systemctl --user enable --now blunux-ai-agent.socket 2>/dev/null
privilege() { printf '[security]\nprivilege = "%s"\n' "$1" >"$HOME/.config/blunux-ai/config.toml"; anew; }
anew() { systemctl --user reset-failed blunux-ai-agent.service; systemctl --user restart blunux-ai-agent.service; } # the daemon checks the ways again
root() { sudo -n "$@"; } # until sudo is removed

# 1. sudo without a password: despite the unit's restrictions.
[ "$(systemctl --user show -p NoNewPrivileges --value blunux-ai-agent.service)" = yes ] || fail "not the hardened unit"
at_terminal y "install $hello"; exits 0; says "sudo -n pacman -S --noconfirm -- $hello" "Installed"
installed $hello 1.0-1
at_terminal y "restart systemd-journald"; says "sudo -n systemctl restart -- systemd-journald"
blunux-ai doctor | grep -q "rights .*sudo" || fail "doctor names no rung: $(blunux-ai doctor)"
blunux-ai doctor | grep -q "daemon .*protections (pid" || fail "the daemon is not hardened: $(blunux-ai doctor)"

# 2. A polkit rule allows managing units: no other way is needed for those.
rule() { printf 'polkit.addRule(function(a, s) { if (a.id == "%s" && s.user == "tester") return polkit.Result.YES; });\n' "$1" | root tee /etc/polkit-1/rules.d/10-test.rules >/dev/null; root systemctl reset-failed polkit; root systemctl restart polkit; anew; }
rule org.freedesktop.systemd1.manage-units
at_terminal y "restart systemd-journald"; says "systemctl --no-ask-password restart -- systemd-journald"; silent_on "sudo"

# 3. A polkit rule that returns YES is preferred to sudo: pkexec.
rule org.freedesktop.policykit.exec
at_terminal y "remove $hello"; exits 0; says "pkexec pacman -Rns --noconfirm -- $hello" "Removed"
absent $hello

# 4. Configured to use pkexec, without an agent that could ask: it fails
#    immediately and says what to type.
root rm /etc/polkit-1/rules.d/10-test.rules; root systemctl reset-failed polkit; root systemctl restart polkit
privilege pkexec
at_terminal y "install $hello"; says "pkexec pacman -S" "sudo pacman -S $hello"
absent $hello

# 5. Switched off: no question.
privilege none
ask "install $hello"; says "sudo pacman -S $hello" "turned off"; silent_on "approve"
ask "$hello 설치해줘"; says "sudo pacman -S $hello" "설정에서 껐어요"
[ -z "$(blunux-aictl approvals | grep -v '^No ' || :)" ] || fail "something waits: $(blunux-aictl approvals)"
logged "FAILED sudo pacman -S $hello"

# 6. sudo needs a password: there is no way to root rights and no question. The
#    answer names the command to type and the reason, in the user's language.
rm "$HOME/.config/blunux-ai/config.toml"
printf 'tester ALL=(ALL) ALL\n' | root tee /etc/sudoers.d/tester >/dev/null
! sudo -n true 2>/dev/null || fail "sudo wants no password here"
anew
ask "install $hello"; says "sudo pacman -S $hello" "run0" "not installed" "no polkit agent" "asks for a password"; silent_on "approve"
ask "시스템 업데이트 해줘"; says "sudo pacman -Syu" "암호"
ask "restart systemd-journald"; says "sudo systemctl restart systemd-journald"
absent $hello
code=0; out=$(blunux-ai doctor) || code=$?
says "password" "warn    rights"; exits 0
echo "story complete"
