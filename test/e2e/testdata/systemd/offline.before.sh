# Run as root after the boot: the user may do everything with sudo, to prepare
# the tests.
set -eu
echo 'tester ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/tester
chmod 440 /etc/sudoers.d/tester
