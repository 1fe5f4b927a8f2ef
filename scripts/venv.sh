#!/bin/sh
# Makes .venv: pinned wheels that stand in for a ROS distribution. Run by make from the top folder.
set -eu
python=${PYTHON:-python3}
venv=$PWD/.venv

missing=
command -v cmake >/dev/null || missing="$missing cmake"
command -v c++ >/dev/null || missing="$missing g++"
include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
[ -e "$include/Python.h" ] || missing="$missing python3-dev"
if [ -n "$missing" ]; then
    echo "Please install first:$missing" >&2
    exit 1
fi

echo "venv: create .venv with $("$python" --version)"
"$python" -m venv --clear "$venv"

echo "venv: install the pinned wheels, about a minute"
"$venv/bin/pip" install -qq --disable-pip-version-check \
    --requirement requirements.txt --constraint constraints.txt

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
