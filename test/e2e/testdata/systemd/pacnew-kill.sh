# The daemon is killed at each point of a merge, by a build that kills itself there ($BIN/doomed): the configuration file is the
# person's or the merged one, the .pacnew file stays until it is merged, and merging again completes it.
cache=/var/cache/pacman/pkg conf=/etc/blunux-kill.conf
# package VERSION <TEXT: a package with the configuration file, in pacman's cache.
package() {
	local dir=$HOME/pkg/$1
	mkdir -p "$dir/etc"
	cat >"$dir$conf"
	printf 'pkgname = blunux-kill\npkgver = %s\npkgdesc = test\nsize = 100\narch = any\nbackup = %s\n' "$1" "${conf#/}" >"$dir/.PKGINFO"
	(cd "$dir" && bsdtar --uid 0 --gid 0 -cf - .PKGINFO "${conf#/}") | gzip | sudo -n tee "$cache/blunux-kill-$1-any.pkg.tar.gz" >/dev/null
}
lines() { seq -f 'line%.0f=old' 12; }
sudo -n mkdir -p "$cache"
lines | package 1-1
lines | sed 's/^line9=old/line9=new/' | package 2-1
sudo -n pacman -U --noconfirm "$cache/blunux-kill-1-1-any.pkg.tar.gz" >/dev/null
sudo -n sed -i 's/^line2=old/line2=mine/' $conf
cp $conf "$HOME/mine"
sudo -n pacman -U --noconfirm "$cache/blunux-kill-2-1-any.pkg.tar.gz" >/dev/null 2>&1
cp $conf.pacnew "$HOME/new"
sed 's/^line9=old/line9=new/' "$HOME/mine" >"$HOME/merged"

stop() { blunux-aictl call '{"type":"action","action":"stop"}' >/dev/null 2>&1 || :; until_ok gone; rm -f "$SOCK"; }
gone() { ! socat -u OPEN:/dev/null "UNIX-CONNECT:$SOCK" 2>/dev/null; }
# doomed POINT: merges with a daemon that dies at a point. It returns 1 if the daemon lived.
doomed() {
	local keys=$HOME/keys screen=$HOME/screen pid daemon
	stop
	BLUNUX_AI_CRASH=$1 "$BIN/doomed/blunux-ai" daemon >>"$HOME/doomed.log" 2>&1 &
	daemon=$!
	until_ok test -S "$SOCK" || fail "no daemon listens: $(cat "$HOME/doomed.log")"
	rm -f "$keys" "$screen"; mkfifo "$keys"; : >"$screen"
	timeout $PATIENCE script -qefc "blunux-aictl pacnew --merge" "$screen" <"$keys" >/dev/null 2>&1 &
	pid=$!
	exec 9<>"$keys"
	if prompted 9 1; then printf 'y\n' >&9; fi
	if wait $pid; then exec 9>&-; return 1; fi
	exec 9>&-
	until_ok dead $daemon || fail "the merge failed, but its daemon lives: $(cat "$screen")"
}
# dead PID: the client sees a closed connection before its daemon has ended.
dead() { ! kill -0 "$1" 2>/dev/null; }
# settled: no command of the merge runs any more.
settled() {
	! pgrep -f "doomed/blunux-ai put|rm -- $conf" >/dev/null && [ -z "$(systemctl --user -q list-units 'blunux-ai-run-*')" ]
}

# The looks before the question change nothing: the last of them is the first that a daemon dies at.
capture blunux-aictl pacnew; exits 0; says "don't overlap"
looks=$(grep -vc 'blunux-aictl pacnew' "$LOG")
old=0 between=0 merged=0
for point in before-exec exec-started exec-ended; do
	n=$((looks - 1))
	while n=$((n + 1)); do
		sudo -n cp "$HOME/mine" $conf; sudo -n cp "$HOME/new" $conf.pacnew
		doomed $point:$n || break
		until_ok settled
		if cmp -s $conf "$HOME/mine"; then old=$((old + 1)); else
			cmp $conf "$HOME/merged" || fail "half at $point:$n: $(cat $conf)"
		fi
		if [ ! -e $conf.pacnew ]; then
			cmp $conf "$HOME/merged" || fail "the .pacnew file is gone before $point:$n: $(cat $conf)"
			merged=$((merged + 1))
			continue
		fi
		cmp -s $conf "$HOME/mine" || between=$((between + 1))
		stop
		confirmed "blunux-aictl pacnew --merge" 1; exits 0
		cmp $conf "$HOME/merged" || fail "not completed after $point:$n: $(cat $conf)"
		[ ! -e $conf.pacnew ] || fail "the .pacnew file is still there after $point:$n"
	done
	cmp $conf "$HOME/merged" || fail "the last one was not merged: $(cat $conf)"
done
echo "kills that left the old file: $old, the merged one with .pacnew: $between, without: $merged"
[ $old -gt 2 ] && [ $between -gt 1 ] && [ $merged -gt 0 ] || fail "too few kills: $old, $between, $merged"
! ls -A /etc | grep '^.blunux-ai-' || fail "a killed merge left a file"
echo "story complete"
