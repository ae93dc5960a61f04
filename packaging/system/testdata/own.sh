# Our own package, built by makepkg, on a system: $PACKAGE.
export PATH=/usr/bin:/bin # use the installed programs, not those under test
if command -v blunux-aictl >/dev/null; then fail "it is there already"; fi
sudo -n pacman -U --noconfirm "$PACKAGE" >/dev/null
installed blunux-ai "$VERSION-1"
[ "$(command -v blunux-aictl)" = /usr/bin/blunux-aictl ] || fail "no client"

# 1. All files are as packed, owned by root and readable by everyone.
pacman -Qkk blunux-ai 2>&1 | grep -q ' 0 altered files' || fail "$(pacman -Qkk blunux-ai 2>&1)"
modes=$(pacman -Qlq blunux-ai | grep -v '/$' | xargs stat -c '%a %U %n')
for file in "755 root /usr/bin/blunux-ai" "755 root /usr/bin/blunux-aictl" "644 root /usr/lib/systemd/user/blunux-ai-agent.service" \
	"644 root /usr/lib/systemd/user/blunux-ai-agent.socket" "644 root /usr/lib/systemd/user/blunux-ai-agent.timer" "644 root /usr/lib/systemd/user/blunux-ai-agent.path" "644 root /usr/share/licenses/blunux-ai/LICENSE" "644 root /usr/share/doc/blunux-ai/README.md"; do
	case "
$modes
" in *"
$file
"*) ;; *) fail "not as it should be: $file in $modes" ;; esac
done
capture blunux-ai --version; says "$VERSION"
capture blunux-aictl --version; says "$VERSION"
capture ldd /usr/bin/blunux-ai; says "statically linked"

# 2. systemd accepts the units with their programs in place.
units=/usr/lib/systemd/user/blunux-ai-agent
capture systemd-analyze --user verify $units.service $units.socket $units.timer $units.path; exits 0
[ -z "$out" ] || fail "systemd-analyze has something to say"
systemctl --user daemon-reload
systemctl --user enable --now blunux-ai-agent.socket 2>/dev/null
ask "htop 버전 뭐야"; exits 0; says "htop의 버전은 3.3.0-1이에요"
[ "$(readlink "/proc/$(systemctl --user show -p MainPID --value blunux-ai-agent.service)/exe")" = /usr/bin/blunux-ai ] || fail "not the installed daemon answers"

# 3. It installs packages from its unit too, so the unit does not block sudo.
ask "install blunux-hello"; exits 5
parked approve "sudo -n pacman -S --noconfirm -- blunux-hello"; exits 0
installed blunux-hello 1.0-1

# 4. It removes itself on request, and says so.
ask "blunux-ai 삭제해줘"; exits 5
parked approve "sudo -n pacman -Rns --noconfirm -- blunux-ai"; exits 0; says "removing blunux-ai"
absent blunux-ai
for file in /usr/bin/blunux-ai /usr/bin/blunux-aictl $units.service $units.socket $units.timer $units.path /usr/share/doc/blunux-ai; do
	[ ! -e "$file" ] || fail "it is still there: $file"
done
echo "story complete"
