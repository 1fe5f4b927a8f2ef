#!/usr/bin/env bash
# Makes a virtual environment that stands in for a ROS distribution: venv.sh FOLDER RELEASE, the
# latter one of wheels/. Run by make from the top folder.
set -euo pipefail
venv=$PWD/$1
release=$2
python=${PYTHON:-python3}

if [ "$(uname -sm)" != "Linux x86_64" ]; then
    echo "venv: the wheels of ROS 2 are for Linux on x86-64, and this is $(uname -sm):" \
        "source a ROS distribution, and make stands on that" >&2
    exit 1
fi

missing=
command -v cmake >/dev/null || missing="$missing cmake"
command -v c++ >/dev/null || missing="$missing g++"
"$python" -c 'import ensurepip, venv' 2>/dev/null || missing="$missing python3-venv"
include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
[ -e "$include/Python.h" ] || missing="$missing python3-dev"
if [ -n "$missing" ]; then
    echo "Please install first:$missing" >&2
    exit 1
fi

# Ctrl-C ends all that a step has started, before this script ends and without their last words.
step() {
    set -m  # a process group of its own, which the terminal does not interrupt
    "$@" &
    set +m
    trap "kill -- -$! 2>/dev/null; wait; echo >&2; exit 130" INT
    wait $!
}

echo "venv: create $1 with $("$python" --version)"
step "$python" -m venv --clear "$venv"

# Shows how far pip is, on a terminal: it names each wheel when it begins with it.
show_progress() {
    local word count=0 all
    all=$(cat "wheels/$release.txt" constraints.txt | grep -c ==)
    while read -r word _; do
        [ "$word" != Collecting ] || [ ! -t 1 ] ||
            printf '\rvenv: wheel %d of about %d' $((count += 1)) "$all"
    done
    [ ! -t 1 ] || printf '\r\033[K'
}

install() {
    "$venv/bin/pip" install --disable-pip-version-check --progress-bar off \
        --requirement "wheels/$release.txt" \
        --requirement requirements.txt --constraint constraints.txt 2>"$venv/pip.txt" |
        show_progress || explain
}

# Without its index pip looks for each version in vain, and says that there is none.
explain() {
    if grep -q 'from versions: none' "$venv/pip.txt" &&
        why=$(grep -m 1 -o 'connection broken by.*' "$venv/pip.txt"); then
        echo "venv: the index of wheels cannot be reached: is there a network, or a proxy to be named" \
            "(https_proxy)? pip says:" "$why" >&2
    else
        cat "$venv/pip.txt" >&2
    fi
    return 1
}

echo "venv: install the pinned wheels of ROS 2 ${release^}, about a minute"
step install

# CMake files in the wheels name the include folders of the machine that built them.
numpy=$("$venv/bin/python" -c 'import numpy; print(numpy.get_include())')
grep -rlZ /opt/python/ "$venv/share" --include='*.cmake' | xargs -0 sed -i -E \
    -e "s|/opt/python/[^;\"]*/include/python[0-9.]+|$include|g" \
    -e "s|/opt/python/[^;\"]*/numpy/[^;\"]*|$numpy|g"

# CMake takes the newest Python it finds unless told.
cat >"$venv/colcon.yaml" <<EOF
build:
  cmake-args: ["-DPython3_EXECUTABLE=$venv/bin/python"]
EOF

# The last file made is the one make looks at.
ln -s local_setup.sh "$venv/local_setup.bash"
ln -s local_setup.sh "$venv/local_setup.zsh"
sed "s|@VENV@|$venv|" scripts/local_setup.sh >"$venv/local_setup.sh"
