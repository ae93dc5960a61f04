# The waiting of the scripts, which follow this file. Nothing waits for a duration: the limit only ends what hangs.
PATIENCE=600 # seconds
exec {never}<> <(:)
# pause SECONDS: sleep(1) without a process, which would slow what is waited for.
pause() { read -rt "$1" -u "$never" || :; }
# until_ok COMMAND...: repeats it until it succeeds.
until_ok() {
	local end=$((EPOCHSECONDS + PATIENCE)) tenths=0
	until "$@" >/dev/null 2>&1; do
		[ "$EPOCHSECONDS" -lt "$end" ] || return 1
		pause "0.$((tenths < 5 ? ++tenths : tenths))"
	done
}
