#!/bin/bash
# Makes a release: the sources of a commit as a reproducible tarball, and the
# PKGBUILD and other packaging files that use it.
#
#   release.sh COMMIT VERSION DIR
set -euo pipefail
commit=$1 version=$2
mkdir -p "$3"
dir=$(cd "$3" && pwd) name=blunux-ai-$version
rm -rf "${dir:?}"/*
# gzip -n stores no name and no time. Times inside are the commit's. Permissions
# do not depend on the clone.
git -c core.autocrlf=false -c tar.umask=0022 archive --format=tar --prefix="$name/" "$commit" | gzip -9n >"$dir/$name.tar.gz"
sum=$(sha256sum "$dir/$name.tar.gz" | cut -d' ' -f1)
git show "$commit:PKGBUILD" | sed \
	-e "s|^pkgver=.*|pkgver=$version|" \
	-e "s|^source=()|source=(\"\$url/releases/download/v\$pkgver/\$pkgbase-\$pkgver.tar.gz\")|" \
	-e "s|^sha256sums=()|sha256sums=('$sum')|" >"$dir/PKGBUILD"
git show "$commit:blunux-ai.install" >"$dir/blunux-ai.install"
git log -1 --format=%ct "$commit" >"$dir/.epoch" # the commit's time, for SOURCE_DATE_EPOCH
"$(dirname "$0")/makepkg.sh" --printsrcinfo "$dir" >"$dir/.SRCINFO"
