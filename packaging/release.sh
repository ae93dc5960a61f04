#!/bin/bash
# Makes a release: the sources of a commit as a reproducible tarball, and the
# PKGBUILD and other packaging files that use it. aur/blunux-ai is for the AUR: it
# builds the main package alone, so that nobody gets a messenger's bridge unasked.
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
aur=$dir/aur/blunux-ai
mkdir -p "$aur"
sed -e '/^# In a checkout/,/^# file into/d' -e '/^pkgbase=/d' -e 's/^pkgname=.*/pkgname=blunux-ai/' -e 's/\$pkgbase/$pkgname/g' \
	-e '/^# A daemon supports older bridges/,$d' -e 's/^package_blunux-ai()/package()/' -e '/bridge\/whatsapp mod download/d' \
	-e '/# In a release/,/^  fi/d' -e 's/^makedepends=.*/makedepends=(go)/' \
	-e 's/make build man /make build man BRIDGES= /' -e 's/make check/make check BRIDGES=/' "$dir/PKGBUILD" >"$aur/PKGBUILD"
cp "$dir/blunux-ai.install" "$dir/.epoch" "$aur"
for d in "$dir" "$aur"; do "$(dirname "$0")/makepkg.sh" --printsrcinfo "$d" >"$d/.SRCINFO"; done
