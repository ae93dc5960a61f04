#!/bin/bash
# Runs makepkg on a release; also for root, whom makepkg refuses: who then is
# somebody else without root's rights, but with the same files, the build cache
# among them.
#
#   makepkg.sh RELEASE DEST [OPTION...]     the packages of a release's directory, in DEST
#   makepkg.sh --printsrcinfo DIR           what .SRCINFO must say of the PKGBUILD there
set -euo pipefail
as_nobody=()
[ "$(id -u)" != 0 ] || as_nobody=(unshare --user --map-user=1000 --map-group=1000 --)
# What a make that runs this hands on to the makes below it, and its settings.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CGO_ENABLED GOFLAGS LDFLAGS VERSION LINK
export LC_ALL=C
if [ "$1" = --printsrcinfo ]; then
	cd "$2"
	exec "${as_nobody[@]}" makepkg --printsrcinfo
fi
mkdir -p "$2"
dest=$(cd "$2" && pwd)
cd "$1"
# The builder's caches, or makepkg's GOPATH would have everything anew.
GOCACHE=$(go env GOCACHE) GOMODCACHE=$(go env GOMODCACHE) SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(cat .epoch)}
export GOCACHE GOMODCACHE SOURCE_DATE_EPOCH PKGDEST=$dest SRCDEST=$PWD
exec "${as_nobody[@]}" makepkg --force --cleanbuild --clean --noconfirm "${@:3}"
