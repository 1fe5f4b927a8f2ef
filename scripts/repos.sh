#!/usr/bin/env bash
# Prints a file for `vcs import`: this repository, as its remote names it, at the tag or the commit
# that is checked out.
set -euo pipefail
url=$(git remote get-url origin 2>/dev/null | sed -E "s#//[^/@]*@#//#" || true)  # without a password
commit=$(git describe --tags --exact-match 2>/dev/null || git rev-parse HEAD 2>/dev/null || echo main)
printf 'repositories:\n  wmx_ros2:\n    type: git\n    url: %s\n    version: %s\n' "${url:-$PWD}" "$commit"
