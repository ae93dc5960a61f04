# A name that is an option, a path or a second command never reaches pacman,
# whatever its source. All calls of pacman are recorded: writing ones in a file,
# read-only ones in the command log, which is written first.
calls=/var/tmp/pacman.calls
sudo -n mv /usr/bin/pacman /usr/bin/pacman.real
printf '#!/bin/bash\n{ printf "%%s|" "$@" >>%s; echo >>%s; } 2>/dev/null\nexec -a pacman /usr/bin/pacman.real "$@"\n' $calls $calls |
	sudo -n tee /usr/bin/pacman >/dev/null
sudo -n chmod 755 /usr/bin/pacman
sudo -n install -m 666 /dev/null $calls
ran() { sed -nE 's/^\[[^]]*\] (SAFE|CONFIRMED) +(.*pacman.*)/\2/p' "$HOME/.config/blunux-ai/logs/commands.log" 2>/dev/null; }
printf '[options]\nDBPath = /var/tmp/evil/\n' >"$HOME/evil.conf"

# 1. Names from a model.
plot=$HOME/plot.toml n=0
: >"$plot"
names=('--config=/x' "--config=$HOME/evil.conf" '-Sy' '--' 'a;b' 'htop;id' 'htop --overwrite=*' 'htop && id' '$(id)' '`id`' 'htop|id' '../htop'
	'/etc/passwd' 'file:///x' 'ht*p' "x'y" 'core/htop' 'htop>=1' '~' '한글' '' ' ')
for tool in install_package remove_package package_info; do
	for name in "${names[@]}"; do
		n=$((n + 1))
		printf '[[step]]\nuser_match = "^case %s$"\n[[step.tool]]\nname = "%s"\ninput = { name = %s }\n[[step]]\ntext = "{{last_tool_result}}"\n' \
			"$n" "$tool" "\"\"\"$name\"\"\"" >>"$plot"
	done
done
printf '[[step]]\nuser = "a good one"\n[[step.tool]]\nname = "package_info"\ninput = { name = "htop" }\n[[step]]\ntext = "{{last_tool_result}}"\n' >>"$plot"
blunux-ai daemon --provider "scripted:$plot" 2>"$HOME/daemon.err" &
daemon=$!
until_ok test -S "$SOCK" || fail "no daemon: $(cat "$HOME/daemon.err")"
for i in $(seq $n); do
	name=${names[$(((i - 1) % ${#names[@]}))]}
	ask "case $i"; exits 10
	case ${name// /} in '') says "a package name is missing" ;; *) says "is not a package name" ;; esac
done
[ -z "$(blunux-aictl approvals 2>/dev/null)" ] || fail "somebody would be asked: $(blunux-aictl approvals)"
[ ! -s $calls ] || fail "pacman was started: $(cat $calls)"
! ran | grep -q . || fail "pacman was started: $(ran)"
ask "a good one"; exits 0; says "3.3.0-1" # the calls are recorded
ran | grep -qxF 'pacman -Qi -- htop' || fail "not written down: $(ran)"
kill $daemon
wait $daemon || true

# 2. Names from a user: the built-in helper does not use them either.
: >$calls
for q in "install --config=/x" "--config=/x 설치해줘" "install a;b" "a;b 설치해줘" "remove --dbpath=/x" "is --config=/x installed?" "install -Sy" "install ../htop" \
	'install $(id)' "install /etc/passwd"; do
	ask "$q"
	case $code in 0 | 5 | 6 | 9 | 10) ;; *) fail "exit status $code for: $q" ;; esac
done
for row in $(blunux-aictl approvals 2>/dev/null | cut -c1-4); do blunux-aictl deny "$row" >/dev/null; done
! grep -qE -- '-(S|R)|--config|--dbpath|;|\$|passwd|\.\.' $calls || fail "pacman was started: $(cat $calls)"
! ran | grep -E -- '-(S|R)( |$)|--config|--dbpath|;|\$|passwd|\.\.' || fail "pacman was started: $(ran)"
echo "story complete"
