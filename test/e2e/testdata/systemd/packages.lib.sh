# Functions of the package scripts, which follow this file. Run as an ordinary
# user on a booted system whose pacman works on /: $BIN has the programs, $WORLD
# the pacman world.
set -eu # no pipefail: grep -q ends its writer early
export PATH="$BIN:$PATH" LANG=C.UTF-8
SOCK="$XDG_RUNTIME_DIR/blunux-ai.sock" LOG="$HOME/.config/blunux-ai/logs/commands.log"
out='' code=0
fail() {
	cat "$LOG"
	printf 'last answer (exit %s):\n%s\nat: %s\nFAILED: %s\n' "$code" "$out" "$(sed -n "${BASH_LINENO[-2]}p" "$0")" "$*"
	exit 1
}

# These set $out to the output and $code to the exit status.
capture() { code=0; out=$(timeout $PATIENCE "$@" </dev/null 2>&1) || code=$?; }
ask() { capture blunux-aictl ask -- "$1"; }
# prompted KEYS N: turns the pages of the questions on $screen, whose keys go to the descriptor KEYS, until the
# N-th question waits for its answer or the client has ended.
prompted() {
	local pages=0 now end=$((EPOCHSECONDS + PATIENCE))
	while [ "$EPOCHSECONDS" -lt "$end" ]; do
		now=$(grep -o '\[Enter[^]]*/?\]' "$screen" | wc -l)
		[ "$now" -gt $pages ] && { pages=$now; echo >&"$1"; }
		[ "$(grep -o '\[[^]]*y[^]]*/?\]' "$screen" | wc -l)" -ge "$2" ] && return 0
		kill -0 $pid 2>/dev/null || return 1
		pause 0.1
	done
	return 1
}
# at_terminal ANSWER QUESTION: asks at a real terminal, reads every page and answers once the prompt is shown; keys typed
# before it are ignored.
at_terminal() {
	local keys=$HOME/keys screen=$HOME/screen pid
	rm -f "$keys" "$screen"; mkfifo "$keys"; : >"$screen"
	timeout $PATIENCE script -qefc "blunux-aictl ask '$2'" "$screen" <"$keys" >/dev/null 2>&1 &
	pid=$!
	exec 9>"$keys"
	prompted 9 1 || :
	printf '%s\n' "$1" >&9 2>/dev/null || :
	code=0; wait $pid || code=$?
	exec 9>&-
	out=$(cat "$screen")
}

# say SESSION WORDS: asks in a conversation.
say() { capture blunux-aictl ask --session "$1" -- "$2"; }
# yes SESSION WORD [N]: accepts the offer, and then N questions at a terminal (1).
yes() { confirmed "blunux-aictl ask --session '$1' '$2'" "${3:-1}"; }
# confirmed COMMAND N: runs a command at a terminal, with a yes to its N questions.
confirmed() {
	local keys=$HOME/keys screen=$HOME/screen pid n
	rm -f "$keys" "$screen"; mkfifo "$keys"; : >"$screen"
	timeout $PATIENCE script -qefc "$1" "$screen" <"$keys" >/dev/null 2>&1 &
	pid=$!
	exec 9>"$keys"
	for n in $(seq "$2"); do
		until_ok questions "$n" || fail "nobody asked: $(cat "$screen")"
		printf 'y\n' >&9
	done
	code=0; wait $pid || code=$?
	exec 9>&-
	out=$(grep -v '^Script' "$screen" | tr -d '\r')
}
questions() { [ "$(grep -o '/?\]' "$screen" | wc -l)" -ge "$1" ]; }

# An original peer: it never sends a hello frame and gets one line for each
# message. Its number must be allowed.
mkdir -p -m 700 "$HOME/.config/blunux-ai/config.d"
printf '[whatsapp]\nallowed_numbers = ["+821012345678"]\n' >"$HOME/.config/blunux-ai/config.d/10-senders.toml"
peer() { # peer WORDS
	[ -n "${PEER_PID:-}" ] || { blunux-aictl status >/dev/null; coproc PEER { exec socat -t $PATIENCE - "UNIX-CONNECT:$SOCK"; }; }
	printf '{"type":"message","from":"821012345678","body":"%s"}\n' "$1" >&"${PEER[1]}"
	IFS= read -r -t $PATIENCE out <&"${PEER[0]}" || fail "the peer got no line"
}

# Assertions.
says() { local w; for w; do case $out in *"$w"*) ;; *) fail "it does not say: $w" ;; esac; done; }
silent_on() { local w; for w; do case $out in *"$w"*) fail "it says: $w" ;; esac; done; }
exits() { [ "$code" = "$1" ] || fail "exit status $code, not $1"; }
installed() { [ "$(pacman -Q "$1" 2>/dev/null)" = "$1 $2" ] || fail "$1 is not at $2: $(pacman -Q "$1" 2>&1)"; }
absent() { ! pacman -Q "$1" >/dev/null 2>&1 || fail "$1 is installed"; }
logged() { sed 's/^\[[^]]*\] *//; s/  */ /' "$LOG" | grep -qxF -- "$1" || fail "not logged: $1"; }
logged_times() { [ "$(sed 's/^\[[^]]*\] *//; s/  */ /' "$LOG" | grep -cxF -- "$2")" = "$1" ] || fail "not logged $1 times: $2"; }
# parked runs approve or deny with the code of the only pending approval.
parked() { # parked approve|deny COMMAND
	local row
	row=$(blunux-aictl approvals | grep -v '^ ') # without what an update would do
	[ "$(printf '%s\n' "$row" | wc -l)" = 1 ] || fail "not one approval waits: $row"
	case $row in *" $2") ;; *) fail "it does not wait for $2: $row" ;; esac
	capture blunux-aictl "$1" "${row%% *}"
}
