# shellcheck shell=bash
# Functions of the scripts, which follow this file. Run as root on a booted
# system with a working pacman: $NEW and $OLD have the packages of two versions,
# $NEW_VERSION and $OLD_VERSION. wait.lib.sh is in front of it.
set -eu # no pipefail: grep -q ends its writer early
export LANG=C.UTF-8 LC_ALL=C.UTF-8
AGENT=blunux-ai-agent.service
out='' code=0
fail() {
	local i where=''
	for i in "${BASH_LINENO[@]}"; do where="$where $i"; done
	printf 'FAILED: %s\nat lines:%s\nlast answer (exit %s):\n%s\n' "$*" "$where" "$code" "$out"
	for i in /home/*/.config/blunux-ai/logs/blunux-ai.log.*; do [ ! -e "$i" ] || { echo "== $i"; tail -n 15 "$i"; }; done
	journalctl --no-pager -q -n 60
	exit 1
}
says() { local w; for w; do case $out in *"$w"*) ;; *) fail "it does not say: $w" ;; esac; done; }
exits() { [ "$code" = "$1" ] || fail "exit status $code, not $1"; }

# Users. Commands run with the user's rights, home and runtime directory, as in
# a session.
person() { useradd --create-home --shell /bin/bash --uid "$2" "$1" && chmod 700 "/home/$1"; }
as() { # NAME COMMAND...
	local name=$1 uid
	shift
	uid=$(id -u "$name")
	(cd "/home/$name" && exec env -i HOME="/home/$name" USER="$name" LOGNAME="$name" SHELL=/bin/bash PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 \
		XDG_RUNTIME_DIR="/run/user/$uid" DBUS_SESSION_BUS_ADDRESS="unix:path=/run/user/$uid/bus" TERM=xterm \
		setpriv --reuid "$uid" --regid "$uid" --init-groups "$@")
}
ctl() { local name=$1; shift; as "$name" systemctl --user "$@"; }
prop() { ctl "$1" show -p "$2" --value "$3"; }
state() { ctl "$1" is-active "$2" || :; }
# inside NAME SCRIPT: for until_ok, which runs programs.
inside() { local name=$1; shift; as "$name" bash -c "$*"; }
manager_runs() { [ -S "/run/user/$(id -u "$1")/systemd/private" ] && [ "$(systemctl is-active "user@$(id -u "$1").service")" = active ]; }
manager_gone() { case $(systemctl is-active "user@$(id -u "$1").service") in inactive | failed) ;; *) return 1 ;; esac; }
login() { # a logind session, as of a login
	systemd-run --quiet --collect --unit="login-$1" --uid="$1" -p PAMName=login -p Environment=HOME="/home/$1" sleep infinity
	until_ok manager_runs "$1" || fail "$1 has no service manager"
}
logout() {
	loginctl terminate-user "$1"
	until_ok manager_gone "$1" || fail "the service manager outlives the session of $1: $(systemctl status --no-pager "user@$(id -u "$1").service")"
}

# These set $out to the output and $code to the exit status.
capture() { code=0; out=$(timeout $PATIENCE "$@" </dev/null 2>&1) || code=$?; }
said() { code=0; out=$(as "$@" </dev/null 2>&1) || code=$?; } # said NAME COMMAND...
ask() { said "$1" timeout $PATIENCE blunux-aictl ask -- "$2"; }       # ask NAME QUESTION
answered() { ask "$1" "disk full?"; exits 0; says %; }
status() { as "$1" blunux-aictl status; }
daemon_of() { prop "$1" MainPID $AGENT; }

# A scripted model: plot NAME WORD COMMAND makes it run COMMAND for the question
# WORD, and then say "told".
plot() {
	local dir=/home/$1/.config/blunux-ai
	as "$1" mkdir -p "$dir"
	as "$1" chmod 700 "$dir"
	[ -e "$dir/config.toml" ] || printf '[ai_agent]\nprovider = "scripted:/home/%s/plot.toml"\n' "$1" | as "$1" tee "$dir/config.toml" >/dev/null
	printf '[[step]]\nuser = "%s"\n[[step.tool]]\nname = "run_command"\ninput = { command = "bash ~/%s.sh" }\n[[step]]\ntext = "told"\n' "$2" "$2" | as "$1" tee -a "/home/$1/plot.toml" >/dev/null
	printf '%s\n' "$3" | as "$1" tee "/home/$1/$2.sh" >/dev/null
}
# long NAME sets up a command that runs until it is released: begin, go, finish.
long() {
	plot "$1" finish 'echo begun >>~/count; touch ~/begun; read x <~/go; echo ended >>~/count'
	[ -e "/home/$1/go" ] || as "$1" mkfifo "/home/$1/go"
	rm -f "/home/$1/begun" "/home/$1/count"
}
# begin NAME QUESTION asks at a terminal and approves; finish gets the answer.
begin() {
	rm -f "/home/$1/keys" "/home/$1/screen" "/home/$1/begun" "/home/$1/count"
	as "$1" mkfifo "/home/$1/keys"
	screen=/home/$1/screen
	as "$1" touch "$screen"
	as "$1" timeout $PATIENCE script -qefc "blunux-aictl ask '$2'" "$screen" <>"/home/$1/keys" >/dev/null 2>&1 &
	asking=$!
	until_ok grep -q '/?\]' "$screen" || { out=$(cat "$screen"); fail "nobody asked about: $2"; }
	echo y >"/home/$1/keys"
	until_ok test -e "/home/$1/begun" || { out=$(cat "$screen"); fail "it does not run"; }
}
finish() { code=0; wait "$asking" || code=$?; out=$(cat "$screen"); }
go() { timeout $PATIENCE bash -c "echo >/home/$1/go" || fail "nobody waits to be let go"; }
runs() { ctl "$1" list-units --all --plain --no-legend 'blunux-ai-run-*'; }
none_runs() { [ -z "$(runs "$1")" ]; }
once() { [ "$(cat "/home/$1/count")" = "$(printf 'begun\nended')" ] || fail "not exactly once: $(cat "/home/$1/count")"; }

# The packages.
install_ai() { pacman -U --noconfirm --noprogressbar "$1"/blunux-ai-[0-9]*.pkg.* >/tmp/pacman.log 2>&1 || fail "$(cat /tmp/pacman.log)"; }
install_all() { pacman -U --noconfirm --noprogressbar "$1"/blunux-*.pkg.* >/tmp/pacman.log 2>&1 || fail "$(cat /tmp/pacman.log)"; }
