#!/usr/bin/env bash
# Refuses to make archives of a commit whose tag is another version than that of setup.py. An archive
# of the sources has no tags, and may lie in a repository of another project.
set -euo pipefail
[ -e .git ] || exit 0
version=$(sed -nE 's/^ *version="(.*)",$/\1/p' wmx_ros2_package/setup.py)
tags=$(git tag --points-at HEAD 2>/dev/null | grep -E '^v?[0-9]+(\.[0-9]+)+$' || true)
for tag in $tags; do
    [ "${tag#v}" = "$version" ] || {
        echo "dist: the tag of this commit is $tag, and the version in setup.py $version: must be the same" >&2
        exit 1
    }
done
