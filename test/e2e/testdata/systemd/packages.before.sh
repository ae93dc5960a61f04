# Run as root after the boot: sets up its pacman, and sudo for the user as
# requested.
set -eu
bash "$WORLD/activate-system.sh"
cp -r "$WORLD"/root/{usr,etc,boot} / # the files that the database lists
if [ -n "${NEWER:-}" ]; then # there is something to update, and the copied list is older than the second in which that happens
	bash "$WORLD/bin/repo-update"
	touch -d @1700000000 /var/lib/pacman/sync/*.db
fi
printf 'tester ALL=(ALL) %s\n' "$SUDO" >/etc/sudoers.d/tester
chmod 440 /etc/sudoers.d/tester
# pacman-contrib's checkupdates for this system instead of the private root; a
# script moves it into PATH.
sed "s|$WORLD/root/|/|; s|$WORLD/bin/||g" "$WORLD/bin/checkupdates" >/usr/local/share/checkupdates
chmod 755 /usr/local/share/checkupdates
