#!/bin/bash
# Makes aur/blunux-ai-bin in a release's directory: a PKGBUILD for the AUR that takes
# the files of the built main packages, one for each architecture in PACKAGES.
#
#   aur-bin.sh RELEASE PACKAGES
set -euo pipefail
release=$1 packages=$2 aur=$1/aur/blunux-ai-bin
rm -rf "${aur:?}"
mkdir -p "$aur"
arches=() sources=''
for file in "$packages"/blunux-ai-[0-9]*.pkg.tar*; do
	name=${file##*/} arch=${file%.pkg.tar*} arch=${arch##*-}
	sum=$(sha256sum "$file" | cut -d' ' -f1)
	arches+=("$arch")
	sources+="source_$arch=(\"\$url/releases/download/v\$pkgver/$name\")"$'\n'"sha256sums_$arch=('$sum')"$'\n'
done
{
	grep '^# Maintainer' "$release/PKGBUILD"
	echo "pkgname=blunux-ai-bin"
	grep -E '^(pkgver|pkgrel|pkgdesc)=' "$release/PKGBUILD"
	echo "arch=(${arches[*]})"
	grep -E '^(url|license)=' "$release/PKGBUILD"
	sed -n '/^package_blunux-ai()/,/^  install=/{/^package/d;s/^  //;p}' "$release/PKGBUILD"
	cat <<'X'
provides=("blunux-ai=$pkgver")
conflicts=(blunux-ai)
options=(!strip !debug)
X
	printf '%s\n' "$sources"
	printf 'package() {\n  cp -dr --preserve=mode,timestamps usr "$pkgdir/"\n}\n'
} >"$aur/PKGBUILD"
cp "$release/blunux-ai.install" "$release/.epoch" "$aur"
"$(dirname "$0")/makepkg.sh" --printsrcinfo "$aur" >"$aur/.SRCINFO"
