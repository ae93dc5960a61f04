# shellcheck shell=bash
# A new user for each document executes its commands; package docs' test
# ($STORIES/docs.test) reads, types and compares.
project=$STORIES/blunux-ai
git config --system url."$project".insteadOf https://github.com/nidoit/blunux-ai
git config --system safe.directory '*' # owned by root, cloned by others
cp "$project/packaging/system/testdata/makepkg.conf" /etc/makepkg.conf # Arch's settings
echo "PKGDEST=$NEW" >>/etc/makepkg.conf
chmod 1777 "$NEW"
echo 'ALL ALL=(ALL) NOPASSWD: /usr/bin/pacman' >/etc/sudoers.d/newcomers

uid=2001
for document in README.md README.ko.md docs/guide.md docs/guide.ko.md; do
	name=reader$uid
	person $name $uid
	rm -rf "/home/${name:?}" && mkdir -m 700 "/home/$name" && chown "$name:" "/home/$name" # not even files from /etc/skel
	login $name
	case $document in *.ko.md) ctl $name set-environment LANG=ko_KR.UTF-8 ;; esac # as on a Korean system
	said $name bash -c "cd $project/docs && BLUNUX_AI_DOCS_INSTALLED=$document exec $STORIES/docs.test -test.run '^TestTranscriptsAreWhatHappens\$'"
	exits 0
	[ "$(readlink "/proc/$(daemon_of $name)/exe")" = /usr/bin/blunux-ai ] || fail "not the installed daemon answered $document"
	[ -z "$(ctl $name list-units --failed --no-legend 'blunux-*')" ] || fail "a unit failed: $document"
	logout $name
	uid=$((uid + 1))
done
echo "story complete"
