#!/bin/bash
# Runs makepkg on a release. makepkg refuses to run as root, so for root it runs
# as another user without root's rights, but with the same files, including the
# build cache.
#
#   makepkg.sh RELEASE DEST [OPTION...]     builds the packages of a release's directory in DEST
#   makepkg.sh --printsrcinfo DIR           prints the .SRCINFO for the PKGBUILD in DIR
set -euo pipefail
as_nobody=()
[ "$(id -u)" != 0 ] || as_nobody=(unshare --user --map-user=1000 --map-group=1000 --)
# Variables that a calling make passes on, and its settings.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CGO_ENABLED GOFLAGS LDFLAGS VERSION LINK
export LC_ALL=C
if [ "$1" = --printsrcinfo ]; then
	cd "$2"
	exec "${as_nobody[@]}" makepkg --printsrcinfo
fi
mkdir -p "$2"
dest=$(cd "$2" && pwd)
cd "$1"
# The caller's caches; with makepkg's GOPATH everything would be downloaded
# again.
GOCACHE=$(go env GOCACHE) GOMODCACHE=$(go env GOMODCACHE) SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(cat .epoch)}
export GOCACHE GOMODCACHE SOURCE_DATE_EPOCH PKGDEST=$dest SRCDEST=$PWD
exec "${as_nobody[@]}" makepkg --force --cleanbuild --clean --noconfirm "${@:3}"
