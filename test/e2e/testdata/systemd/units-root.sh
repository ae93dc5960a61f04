# Confirmed commands that get root rights in units of the user's manager, and
# the inhibitor lock while packages change.
mkdir -p "$HOME/.config/blunux-ai"
chmod 700 "$HOME/.config/blunux-ai"
printf '[ai_agent]\nprovider = "scripted:%s/plot.toml"\n' "$HOME" >"$HOME/.config/blunux-ai/config.toml"
plot() {
	printf '[[step]]\nuser = "%s"\n[[step.tool]]\nname = "run_command"\ninput = { command = "%s" }\n[[step]]\ntext = "told"\n' "$1" "$2" >>"$HOME/plot.toml"
}
plot packages 'pacman -Q blunux-base >~/packages; read x <~/go'
plot others 'touch ~/others; read x <~/go'
plot root 'sudo -n sh -c \"id -u >/tmp/who; exec sleep 6262\"'
mkfifo "$HOME/go"
unit() { systemctl --user list-units --all --plain --no-legend 'blunux-ai-run-*' | awk '{print $1; exit}'; }
gone() { [ -z "$(unit)" ]; }
locks() { systemd-inhibit --list --no-legend --no-pager 2>/dev/null | grep blunux-ai || :; }

# 1. If the user is allowed to, shutdown and sleep are blocked while it runs.
printf 'polkit.addRule(function(a, s) { if (a.id.indexOf("org.freedesktop.login1.inhibit-") == 0 && s.user == "tester") return polkit.Result.YES; });\n' |
	sudo -n tee /etc/polkit-1/rules.d/10-inhibit.rules >/dev/null
at_terminal y packages & asking=$!
until_ok test -s "$HOME/packages" || fail "it does not run"
until_ok sh -c "systemd-inhibit --list --no-legend --no-pager | grep blunux-ai" || fail "nothing is held"
out=$(locks); says blunux-ai tester sleep shutdown block pacman
echo >"$HOME/go"; wait $asking
until_ok gone || fail "a unit stays"
[ -z "$(locks)" ] || fail "still held: $(locks)"

# 2. Other commands take no lock.
at_terminal y others & asking=$!
until_ok test -e "$HOME/others" || fail "it does not run"
[ -z "$(locks)" ] || fail "held for nothing: $(locks)"
echo >"$HOME/go"; wait $asking

# 3. If the user may not block them, they are delayed; the command runs anyway.
sudo -n rm /etc/polkit-1/rules.d/10-inhibit.rules
sudo -n systemctl restart polkit
rm "$HOME/packages"
at_terminal y packages & asking=$!
until_ok test -s "$HOME/packages" || fail "it does not run without the right to block"
until_ok sh -c "systemd-inhibit --list --no-legend --no-pager | grep blunux-ai" || fail "nothing is held"
out=$(locks); says delay
echo >"$HOME/go"; wait $asking
until_ok gone || fail "a unit stays"

# 4. sudo works in a unit, and a cancel also ends processes of root.
at_terminal y root & asking=$!
until_ok test -s /tmp/who || fail "sudo does not run in a unit"
[ "$(cat /tmp/who)" = 0 ] || fail "not root: $(cat /tmp/who)"
task=$(unit); task=${task#blunux-ai-run-}
until_ok pgrep -x -f 'sleep 6262' || fail "no root process to end"
[ "$(ps -o user= -p "$(pgrep -x -f 'sleep 6262')")" = root ] || fail "the process is not root's"
blunux-aictl cancel "${task%.service}"
wait $asking || :
until_ok sh -c '! pgrep -f "[s]leep 6262"' || fail "root's process outlived the cancel"
until_ok gone || fail "a unit stays"
echo "story complete"
