# The installer's script as an ordinary user whose pacman works in its own root.
# $DIR has the script and packages of two versions.
set -eu
export BLUNUX_AI_LANG=en
script=$DIR/install-ai-agent.sh out='' code=0
fail() { printf 'FAILED: %s\nat: %s\nlast answer (exit %s):\n%s\n' "$*" "$(sed -n "${BASH_LINENO[-2]}p" "$0")" "$code" "$out"; exit 1; }
agent() { code=0; out=$(bash "$script" "$@" </dev/null 2>&1) || code=$?; }
exits() { [ "$code" = "$1" ] || fail "exit status $code, not $1"; }
says() { local w; for w; do case $out in *"$w"*) ;; *) fail "it does not say: $w" ;; esac; done; }
silent_on() { local w; for w; do case $out in *"$w"*) fail "it says: $w" ;; esac; done; }
has() { local have; have=$(pacman -Q 2>/dev/null | grep '^blunux-\(ai\|wa\|telegram\|discord\)' | sort | tr '\n' ' '); [ "$have" = "${1:+$1 }" ] || fail "installed: $have"; }
terminal() { # terminal ANSWER ARGUMENT ...: at a real terminal
	local answer=$1; shift
	code=0; out=$(printf '%s\n' "$answer" | script -qec "bash $script $*" /dev/null 2>&1) || code=$?
}
# The lock is beside this pacman's database.
mkdir "$HOME/bin"
printf '#!/bin/sh\nexec /usr/bin/pacman-conf --config %s/world/pacman.conf "$@"\n' "$DIR" >"$HOME/bin/pacman-conf"
chmod 755 "$HOME/bin/pacman-conf"
export PATH="$HOME/bin:$PATH"

# 1. Obstacles are reported with the command that helps.
agent; exits 1; says "the repositories have no package blunux-ai" "sudo pacman -Syu"
mkdir "$HOME/빈 곳"
agent --from "$HOME/빈 곳"; exits 1; says "has no package file of blunux-ai" "sudo pacman -S blunux-ai"
agent --from "$HOME/none"; exits 1; says "cannot be opened"
agent --bridge signal; exits 2; says "known are whatsapp, telegram, discord"
agent --from; exits 2; agent --frobnicate; exits 2; says "--help"
mkdir "$HOME/few"; for c in bash id dirname; do ln -s "/usr/bin/$c" "$HOME/few/"; done
PATH=$HOME/few agent; exits 1; says "there is no pacman" "sudo make install"
for c in env cut grep vercmp; do ln -s "/usr/bin/$c" "$HOME/few/"; done
ln -s "$DIR/world/bin/pacman" "$HOME/few/pacman"; ln -s /usr/bin/sh "$HOME/few/"
PATH=$HOME/few agent --from "$DIR/0.1.0"; exits 1; says "there is none of sudo, pkexec and run0" "As root: pacman -U"
has ""
BLUNUX_AI_LANG='' LANG=ko_KR.UTF-8 agent; says "저장소에 blunux-ai 패키지가 없습니다"
BLUNUX_AI_LANG='' LC_ALL=zh_CN.UTF-8 agent; says "软件仓库中没有软件包 blunux-ai"

# 2. From files in a directory with a Korean name; --dry-run shows everything.
cp -r "$DIR/0.1.0" "$HOME/내 패키지"
agent --from "$HOME/내 패키지" --dry-run; exits 0; says "pacman -U --noconfirm --" "systemctl --user enable --now blunux-ai-agent.socket"
has ""
agent --from "$HOME/내 패키지"; exits 0; says "Done."; silent_on "bridge"
has "blunux-ai 0.1.0-1"
says "no systemd user session" "systemctl --user enable --now blunux-ai-agent.socket"
agent --from "$HOME/내 패키지" --bridge telegram; exits 0; says "blunux-ai 0.1.0-1 is installed already" "blunux-telegram-bridge login"
has "blunux-ai 0.1.0-1 blunux-telegram-bridge 0.1.0-1"
agent --from "$HOME/내 패키지" --bridge whatsapp --bridge discord; exits 0
has "blunux-ai 0.1.0-1 blunux-discord-bridge 0.1.0-1 blunux-telegram-bridge 0.1.0-1 blunux-wa-bridge 0.1.0-1"
agent --from "$HOME/내 패키지"; exits 0; silent_on "pacman -U"

# 3. The newest file is used, and an older one does not downgrade. Bridges that
# are not named stay as they are.
ln "$DIR"/0.2.0/blunux-ai-* "$HOME/내 패키지/" 2>/dev/null || cp "$DIR"/0.2.0/blunux-ai-* "$HOME/내 패키지/"
agent --from "$HOME/내 패키지"; exits 0
has "blunux-ai 0.2.0-1 blunux-discord-bridge 0.1.0-1 blunux-telegram-bridge 0.1.0-1 blunux-wa-bridge 0.1.0-1"
agent --from "$DIR/0.1.0"; exits 0; silent_on "pacman -U"

# 4. Removed, except the user's files.
mkdir -p "$HOME/.config/blunux-ai/credentials" "$HOME/.cache/blunux-ai"
echo secret >"$HOME/.config/blunux-ai/credentials/claude"
agent --uninstall --dry-run; exits 0; says "pacman -R"
has "blunux-ai 0.2.0-1 blunux-discord-bridge 0.1.0-1 blunux-telegram-bridge 0.1.0-1 blunux-wa-bridge 0.1.0-1"
agent --uninstall; exits 0; says "still here" "$HOME/.config/blunux-ai"
has ""
agent --uninstall; exits 0; says "it is not installed"
agent --purge; exits 2; says "asks at a terminal"
terminal no --purge; exits 0; says "$HOME/.config/blunux-ai" "Not deleted"
terminal "" --purge; says "Not deleted"
[ "$(cat "$HOME/.config/blunux-ai/credentials/claude")" = secret ] || fail "the key is gone"
export BLUNUX_AI_HOME=$HOME; terminal yes --purge; exits 1; says "stays"; unset BLUNUX_AI_HOME
[ -e "$HOME/.config/blunux-ai/credentials/claude" ] || fail "the key is gone"
BLUNUX_AI_LANG=ko terminal 예 --purge; exits 0; says "되돌릴 수 없어요"
if [ -e "$HOME/.config/blunux-ai" ] || [ -e "$HOME/.cache/blunux-ai" ]; then fail "it is still there"; fi
[ -d "$HOME/내 패키지" ] || fail "too much is gone"

# 5. From the repositories, one package of which is missing.
cp "$DIR"/0.1.0/blunux-{ai,telegram-bridge}-0* "$DIR/world/repo/"
repo-add -q "$DIR/world/repo/blunux.db.tar.gz" "$DIR"/world/repo/blunux-{ai,telegram-bridge}-0* >/dev/null
touch -d '+2 seconds' "$DIR/world/repo/blunux.db.tar.gz"
fakeroot pacman -Sy >/dev/null
agent --bridge whatsapp; exits 1; says "no package blunux-wa-bridge"
touch "$DIR/world/root/var/lib/pacman/db.lck"
agent; exits 1; says "another pacman is at work"
rm "$DIR/world/root/var/lib/pacman/db.lck"
mv "$DIR/world/repo" "$DIR/world/unreachable"
agent; exits 1; says "Without a network" "--from DIR"
mv "$DIR/world/unreachable" "$DIR/world/repo"
agent --bridge telegram; exits 0
has "blunux-ai 0.1.0-1 blunux-telegram-bridge 0.1.0-1"
agent --uninstall; exits 0; has ""

# 6. Package files beside the script are found.
cp "$script" "$HOME/빈 곳/"; cp "$DIR"/0.1.0/blunux-ai-* "$HOME/빈 곳/"
script="$HOME/빈 곳/install-ai-agent.sh"
agent; exits 0; says "pacman -U"
agent --uninstall; exits 0; has ""
echo "story complete"
