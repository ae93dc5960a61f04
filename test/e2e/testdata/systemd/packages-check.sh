# Changes of packages are checked with the real pacman, whatever the model says
# about them, and a typed pacman command runs without a question of its own.
plot() { # plot WORD COMMAND CLAIM
	printf '[[step]]\nuser = "%s"\n[[step.tool]]\nname = "run_command"\ninput = { command = "%s" }\n[[step]]\ntext = "%s"\n' "$1" "$2" "$3" >>"$HOME/plot.toml"
}
# ends TEXT: the last line of the answer is this, after what an animation erased.
ends() { [ "$(printf '%s\n' "$out" | grep -v '^Script\|↩' | sed 's/.*\x1b\[K//; s/\r//g' | grep . | tail -n 1)" = "$1" ] || fail "it does not end with: $1"; }
chmod 700 "$HOME/.config/blunux-ai"
printf '[ai_agent]\nprovider = "scripted:%s/plot.toml"\n' "$HOME" >"$HOME/.config/blunux-ai/config.toml"
plot 'install hello' 'sudo pacman -S blunux-hello' 'Installed it.'
plot 'hello 설치' 'sudo pacman -S blunux-hello' '설치했어요.'
plot 'install clash' 'sudo pacman -S blunux-clash' 'blunux-clash is installed now!'
plot 'install group' 'sudo pacman -S base' 'Installed.'
plot 'install virtual' 'sudo pacman -S git' 'Installed.'
plot 'remove hello' 'sudo pacman -Rns blunux-hello' 'Removed.'
plot 'remove base' 'sudo pacman -R blunux-base' 'Removed.'
plot 'update all' 'sudo pacman -Syu' 'Updated.'
plot 'lie' 'sudo -n pacman -S --noconfirm --needed blunux-hello' 'Installed.'

# 1. The person sees the command that runs.
at_terminal y "install hello"; exits 0; says "sudo -n pacman -S --noconfirm blunux-hello" "Installed it."
ends '✓ Checked: installed: blunux-hello 1.0-1 (`pacman -Q blunux-hello`)'
installed blunux-hello 1.0-1
logged_times 1 "CONFIRMED sudo -n pacman -S --noconfirm blunux-hello"
logged_times 1 "SAFE pacman -Q --color never -- blunux-hello"

# 2. A model that claims success over a failure.
at_terminal y "install clash"; says "blunux-clash is installed now!"
ends '✗ Checked: not installed: blunux-clash (`pacman -Q blunux-clash`)'
absent blunux-clash
at_terminal y "remove base"; says "Removed."
ends '✗ Checked: still installed: blunux-base 2026.1-1 (`pacman -Q blunux-base`)'
installed blunux-base 2026.1-1

# 3. A group and a virtual package are no packages, and no false failures.
at_terminal y "install group"
ends '✓ Checked: installed: base (`pacman -Qg base`)'
at_terminal y "install virtual"
ends '✓ Checked: installed: git (blunux-base 2026.1-1) (`pacman -Q git`)'

# 4. Removed, and everything up to date, or not.
at_terminal y "remove hello"
ends '✓ Checked: no longer installed: blunux-hello (`pacman -Q blunux-hello`)'
absent blunux-hello
at_terminal y "hello 설치해"
ends '✓ 확인: blunux-hello 1.0-1이 설치되어 있어요 (`pacman -Q blunux-hello`)'
sudo -n bash "$WORLD/bin/repo-update"
at_terminal y "update all"
ends '✓ Checked: all packages from the repositories are up to date (`pacman -Qu`)'
installed htop 3.4.1-1
sudo -n touch /var/lib/pacman/db.lck
at_terminal y "update all"
says "the update was not started"
sudo -n rm /var/lib/pacman/db.lck

# 5. A changing command that the program replaces: it succeeds and does nothing.
at_terminal y "remove hello"
sudo -n mv /usr/bin/pacman /usr/bin/pacman.real
printf '#!/bin/sh\ncase "$*" in *-S*noconfirm*) echo installed; exit 0 ;; esac\nexec /usr/bin/pacman.real "$@"\n' | sudo -n tee /usr/bin/pacman >/dev/null
sudo -n chmod 755 /usr/bin/pacman
at_terminal y "lie"; says "Installed."
ends '✗ Checked: not installed: blunux-hello (`pacman -Q blunux-hello`)'

# 6. The built-in helper does not claim it either.
printf '[ai_agent]\nprovider = "offline"\n' >"$HOME/.config/blunux-ai/config.toml"
blunux-aictl call '{"type":"action","action":"reload"}' >/dev/null
at_terminal y "install blunux-hello"; silent_on "Installed blunux-hello"
ends '✗ Checked: not installed: blunux-hello (`pacman -Q blunux-hello`)'
echo "story complete"
