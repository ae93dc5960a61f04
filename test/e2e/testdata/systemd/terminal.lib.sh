# Functions of the scripts that talk to the client at a terminal, which follow this
# file. $BIN has the programs.
set -eu
export PATH="$BIN:$PATH"
fail() { printf 'FAILED: %s\nlast answer: %s\n' "$*" "${out-}"; cat "$HOME/screen" "$HOME/.config/blunux-ai/logs/commands.log" || :; systemctl --user list-timers --all; exit 1; }
# session [OPTION VALUE]… TEXT ANSWER…: asks at a terminal, turns the pages of the questions and gives the answers, one
# a question.
session() {
	local options='' text n=0 keys=$HOME/keys screen=$HOME/screen asking
	while [ "${1#--}" != "$1" ]; do options="$options $1 $2"; shift 2; done
	text=$1; shift
	rm -f "$keys" "$screen"; mkfifo "$keys"; : >"$screen"
	timeout $PATIENCE script -qefc "blunux-aictl ask$options '$text'" "$screen" <"$keys" >/dev/null 2>&1 & asking=$!
	exec 9>"$keys"
	for answer; do
		n=$((n + 1))
		until_ok asked $n || fail "question $n of: $text"
		[ "$answer" = - ] || echo "$answer" >&9
	done
	wait $asking || :; exec 9>&-
	out=$(cat "$screen")
}
asked() { [ "$(grep -o '/?\]' "$HOME/screen" | wc -l)" -ge "$1" ]; }
says() { local w; for w; do case $out in *"$w"*) ;; *) fail "it does not say: $w" ;; esac; done; }
