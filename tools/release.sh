#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes a release in release/fathom-VERSION/: both kits, the .deb, the schema of run files, and
# SHA256SUMS of them. Refuses uncommitted changes, a version that CHANGELOG.md does not name, and
# errors of lintian if that is installed.
# DEBFULLNAME, DEBEMAIL: the .deb's maintainer, as for Debian's own tools.
# FATHOM_KERNELS_FROM, FATHOM_WEB_FROM: as for tools/kit.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build-release

[ -z "$(git status --porcelain)" ] ||
    { echo "release: commit or remove first what \`git status\` lists" >&2; exit 1; }

cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DFATHOM_WEB=ON \
    -DFATHOM_KERNELS_FROM="${FATHOM_KERNELS_FROM-}" -DFATHOM_WEB_FROM="${FATHOM_WEB_FROM-}" \
    --log-level=WARNING ${DEBEMAIL:+-DFATHOM_CONTACT="${DEBFULLNAME-the fathom authors} <$DEBEMAIL>"}
cmake --build $build
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' $build/CMakeCache.txt)
grep -q "^## \[$version\]" CHANGELOG.md ||
    { echo "release: CHANGELOG.md says nothing of version $version" >&2; exit 1; }

out=release/fathom-$version
rm -rf "$out"
mkdir -p "$out"
cpack --config $build/CPackConfig.cmake -B "$PWD/$build/deb" >/dev/null
cp $build/deb/*.deb docs/run-schema.json "$out/"
FATHOM_KERNELS_FROM=${FATHOM_KERNELS_FROM:-$PWD/$build/kernels} \
    FATHOM_WEB_FROM=${FATHOM_WEB_FROM:-$PWD/$build/web} tools/kit.sh
cp "build-kit/fathom-$version"-*.tar.gz "build-kit/fathom-tests-$version"-*.tar.gz "$out/"

if command -v lintian >/dev/null; then
    lintian --fail-on error "$out"/*.deb
else
    echo "release: lintian is not installed, the .deb is unchecked" >&2
fi
(cd "$out" && sha256sum -- * >SHA256SUMS && sha256sum --check --quiet SHA256SUMS)
ls -l "$out"
