# A plan of packages, units and files is asked about once, checked step by step,
# and taken back: afterwards everything is as before, with the real pacman and
# the real service manager.
state() {
	pacman -Q; echo explicit; pacman -Qqe; systemctl is-enabled demo.service || :; systemctl is-active demo.service || :
	stat -c '%n %a %U' /etc/demo.conf "$HOME"/demo* 2>/dev/null || :; cat /etc/demo.conf "$HOME"/demo* 2>/dev/null || :
}
plot() { # plot WORD TOOL INPUT
	printf '[[step]]\nuser = "%s"\n[[step.tool]]\nname = "%s"\ninput = %s\n[[step]]\ntext = "All is done."\n' "$1" "$2" "$3" >>"$HOME/plot.toml"
}
# same NAME: the state is that of a file.
same() { state >"$HOME/.now" 2>&1; diff "$HOME/.$1" "$HOME/.now" || fail "it is not as $1"; }
undone() { at_terminal y "$1"; says "✓"; silent_on "✗"; }

printf '[Service]\nExecStart=/bin/sleep 10000\n[Install]\nWantedBy=multi-user.target\n' | sudo -n tee /etc/systemd/system/demo.service >/dev/null
printf 'a=1\nb=2\n' | sudo -n tee /etc/demo.conf >/dev/null
echo kept >"$HOME/demo-old"; chmod 600 "$HOME/demo-old"
sudo -n systemctl daemon-reload
chmod 700 "$HOME/.config/blunux-ai"
printf '[ai_agent]\nprovider = "scripted:%s/plot.toml"\n' "$HOME" >"$HOME/.config/blunux-ai/config.toml"
plot 'everything' plan '{ goal = "a demo", steps = [
	{ id = "pkg", verb = "install", args = { name = "blunux-hello" } },
	{ id = "conf", verb = "edit_file", args = { path = "/etc/demo.conf", old = "b=2", new = "b=3" } },
	{ id = "new", verb = "write_file", args = { path = "~/demo-new", content = "new" } },
	{ id = "old", verb = "remove_file", args = { path = "~/demo-old" } },
	{ id = "unit", verb = "unit", args = { action = "enable", name = "demo.service", now = true } },
] }'
plot 'update' run_command '{ command = "sudo pacman -Syu" }'
plot 'remove' run_command '{ command = "sudo pacman -Rns blunux-hello" }'
plot 'firewall' run_command '{ command = "sudo -n nft add table inet demo" }'
plot '방화벽' run_command '{ command = "sudo -n nft add table inet demo" }'
plot 'clash' plan '{ steps = [ { id = "one", verb = "install", args = { name = "blunux-clash" } }, { id = "two", verb = "run", args = { command = "touch ~/never" } } ] }'

# 1. One question, one yes, a check for each step; then back.
state >"$HOME/.before" 2>&1
at_terminal y "everything"; exits 0
says 'All is done.' '✓ Checked: installed: blunux-hello 1.0-1' '✓ Checked: /etc/demo.conf has its new text' 'demo-new has its new text' 'demo-old is gone' '✓ Checked: demo.service'
installed blunux-hello 1.0-1
grep -q b=3 /etc/demo.conf || fail "not edited"
[ "$(systemctl is-active demo.service)" = active ] || fail "not started"
undone "undo"
same before
[ "$(stat -c %a "$HOME/demo-old")" = 600 ] || fail "the mode is lost"

# 2. An upgrade goes back to the packages in the cache.
state >"$HOME/.older" 2>&1
sudo -n bash "$WORLD/bin/repo-update"
at_terminal y "update"; installed htop 3.4.1-1
undone "방금 그거 되돌려줘"
installed htop 3.3.0-1
same older

# 3. Removed packages come back with their reasons.
sudo -n pacman -S --noconfirm blunux-hello >/dev/null 2>&1
state >"$HOME/.with" 2>&1
at_terminal y "remove"; absent blunux-hello
undone "undo"
same with

# 4. A failed step stops what needs it, and the answer says so.
at_terminal y "clash"; says '✗ Checked: not installed: blunux-clash'
[ ! -e "$HOME/never" ] || fail "a step ran after a failed one"

# 5. Rules of the firewall go back without a word that they stay, and stay with it.
twice() { # twice ANSWER QUESTION: says yes to the first question, ANSWER to the second
	local keys=$HOME/keys screen=$HOME/screen pid n
	rm -f "$keys" "$screen"; mkfifo "$keys"; : >"$screen"
	timeout $PATIENCE script -qefc "blunux-aictl ask '$2'" "$screen" <"$keys" >/dev/null 2>&1 & pid=$!
	exec 9>"$keys"
	for n in 1 2; do
		prompted 9 $n || fail "no question $n: $(cat "$screen")"
		[ $n = 1 ] && echo y >&9 || echo "$1" >&9
	done
	wait $pid || :; exec 9>&-
	out=$(cat "$screen")
}
sudo -n nft add table inet before
twice n "firewall"; says "could cut you off" "taken back"
until_ok sh -c '[ "$(sudo -n nft list tables)" = "table inet before" ]' || fail "the rules did not go back: $(sudo -n nft list ruleset)"
twice y "방화벽"
sudo -n nft list tables | grep -q 'inet demo' || fail "the rule did not stay"
[ -z "$(systemctl list-timers --all --no-legend 'blunux-ai-back-*')" ] || fail "a timer is left"
echo "story complete"
