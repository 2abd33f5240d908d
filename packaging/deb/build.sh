#!/usr/bin/env bash
# Makes the Debian package of what is built.
#
#   packaging/deb/build.sh BUILD_FOLDER OUTPUT_FOLDER
#
# Prints the path of the package. Needs dpkg-dev, and the program and the library built.
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: $0 BUILD_FOLDER OUTPUT_FOLDER" >&2; exit 2; }
build=$(readlink -f "$1")
mkdir -p "$2"
output=$(readlink -f "$2")
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."

version=$("$build/longshore" --version | cut -d ' ' -f 2)-1
architecture=$(dpkg --print-architecture)
maintainer='The Longshore developers <developers@longshore.invalid>'
# The same commit makes the same package.
commit_date() { git log -1 --format=%ct 2>/dev/null || stat -c %Y CMakeLists.txt; }
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(commit_date)}
export SOURCE_DATE_EPOCH

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
root=$stage/root
share=$root/usr/share
doc=$share/doc/longshore
umask 022

# put MODE FILE PLACE
put() { install -D -m "$1" "$2" "$root/$3"; }
# squeeze PLACE: standard input, compressed.
squeeze() { mkdir -p "$(dirname "$root/$1")" && gzip -9n >"$root/$1"; }

# ── What is installed ─────────────────────────────────────────────────────────────────────────
DESTDIR=$root cmake --install "$build" --prefix /usr >/dev/null
put 755 "$build/longshore" usr/bin/longshore
strip --remove-section=.comment --remove-section=.note "$root/usr/bin/longshore"
find "$root/usr/lib" -name '*.a' -exec strip --strip-debug {} +
put 644 packaging/longshore.service lib/systemd/system/longshore.service
for profile in profiles/*.toml; do
  put 644 "$profile" "usr/share/longshore/profiles/${profile##*/}"
done
put 644 packaging/longshore.toml etc/longshore/longshore.toml
"$build/longshore" manual | squeeze usr/share/man/man1/longshore.1.gz
mkdir -p "$share/bash-completion/completions" "$share/zsh/vendor-completions" \
  "$share/fish/vendor_completions.d"
"$build/longshore" completion bash >"$share/bash-completion/completions/longshore"
"$build/longshore" completion zsh >"$share/zsh/vendor-completions/_longshore"
"$build/longshore" completion fish >"$share/fish/vendor_completions.d/longshore.fish"
put 644 packaging/deb/copyright usr/share/doc/longshore/copyright
put 644 packaging/prometheus/alerts.yml usr/share/doc/longshore/examples/prometheus-alerts.yml
put 644 packaging/grafana/longshore.json usr/share/doc/longshore/examples/grafana-board.json
squeeze usr/share/doc/longshore/changelog.Debian.gz <<END
longshore ($version) unstable; urgency=medium

  * As the file changelog.gz beside this one tells.

 -- $maintainer  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
END
[ ! -f CHANGELOG.md ] || squeeze usr/share/doc/longshore/changelog.gz <CHANGELOG.md
[ -f "$doc/copyright" ]

# ── What is said of it ────────────────────────────────────────────────────────────────────────
mkdir -p "$root/DEBIAN" "$stage/debian"
printf 'Source: longshore\n\nPackage: longshore\nArchitecture: any\n' >"$stage/debian/control"
depends=$(cd "$stage" && dpkg-shlibdeps -O root/usr/bin/longshore 2>/dev/null |
  sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || { echo "dpkg-shlibdeps found no libraries" >&2; exit 1; }
sed -e "s|@VERSION@|$version|" -e "s|@ARCHITECTURE@|$architecture|" \
  -e "s|@MAINTAINER@|$maintainer|" -e "s|@DEPENDS@|$depends|" \
  -e "s|@SIZE@|$(du -sk --exclude=DEBIAN "$root" | cut -f 1)|" \
  packaging/deb/control.in >"$root/DEBIAN/control"
echo /etc/longshore/longshore.toml >"$root/DEBIAN/conffiles"
for script in postinst prerm postrm; do
  install -m 755 "packaging/deb/$script" "$root/DEBIAN/$script"
done
(cd "$root" && find . -type f ! -path './DEBIAN/*' ! -path './etc/*' -printf '%P\0' | sort -z |
  xargs -0 md5sum >DEBIAN/md5sums)
find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +

package=$output/longshore_${version}_${architecture}.deb
dpkg-deb --root-owner-group --build -Zxz -z1 "$root" "$package" >/dev/null
echo "$package"
