#!/usr/bin/env bash
# Says at once what would fail minutes later, or with another cause. Run by make from the top folder.
set -eu
python=${PYTHON:-python3}

refuse() {
    printf 'make: %s\n' "$@" >&2
    exit 1
}

# The generators of interfaces, shebang lines and CMake's lists break on anything else.
if LC_ALL=C grep -q '[^A-Za-z0-9/._+@,~=-]' <<<"$PWD"; then
    refuse "the folder $PWD has a space, or another character that the build cannot take;" \
        "it may have letters, digits and . _ + @ , ~ = - of ASCII: please move it."
fi

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    refuse "$python is $("$python" --version), and Python 3.10 is the least;" \
        "PYTHON=python3.12 make ... takes another one."

# ROS writes its logs there.
logs=${ROS_LOG_DIR:-${ROS_HOME:-${HOME:-}/.ros}/log}
mkdir -p "$logs" 2>/dev/null && [ -w "$logs" ] ||
    refuse "$logs cannot be written, and ROS puts its logs there;" \
        "set ROS_LOG_DIR to a folder that can."
