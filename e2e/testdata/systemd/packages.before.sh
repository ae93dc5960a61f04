# Run as root once the system has booted: its pacman, and sudo for the user as
# the story has it.
set -eu
bash "$WORLD/activate-system.sh"
cp -r "$WORLD"/root/{usr,etc,boot} / # the files the database speaks of
printf 'tester ALL=(ALL) %s\n' "$SUDO" >/etc/sudoers.d/tester
chmod 440 /etc/sudoers.d/tester
# pacman-contrib's checkupdates, for this system instead of the private root;
# a story moves it to where programs are found.
sed "s|$WORLD/root/|/|; s|$WORLD/bin/||g" "$WORLD/bin/checkupdates" >/usr/local/share/checkupdates
chmod 755 /usr/local/share/checkupdates
