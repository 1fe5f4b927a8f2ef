# Puts a shell into the built workspace, so that ROS programs run there:
#
#     . ./env.sh
#
# bash and zsh may source it from anywhere, other POSIX shells from this folder. What was built with
# `make build ROS=jazzy` is in folders of its own:
#
#     ROS=jazzy . ./env.sh

case ${ROS:-kilted} in
    kilted) _wmx_install=install ;;
    *) _wmx_install=.$ROS/install ;;
esac
if [ -n "${BASH_VERSION:-}" ]; then
    _wmx_shell=bash
    _wmx_install=$(cd "$(dirname "$BASH_SOURCE")" && pwd)/$_wmx_install
elif [ -n "${ZSH_VERSION:-}" ]; then
    _wmx_shell=zsh
    eval '_wmx_install=${${(%):-%x}:A:h}/$_wmx_install'
else
    _wmx_shell=sh
    _wmx_install=$PWD/$_wmx_install
fi

if [ -e "$_wmx_install/setup.$_wmx_shell" ]; then
    # colcon reads variables that are not set, which `set -u` of a script refuses.
    case $- in
        *u*) _wmx_unset=-u ;;
        *) _wmx_unset=+u ;;
    esac
    set +u
    # Brings in what the workspace was built on, too: the ROS distribution or .venv.
    COLCON_CURRENT_PREFIX=$_wmx_install
    . "$_wmx_install/setup.$_wmx_shell"
    set $_wmx_unset
    # The commands by their names, where there is no `ros2 run`.
    PATH="$_wmx_install/wmx_ros2_package/lib/wmx_ros2_package:$PATH"
    # A shell that a person types in completes the verbs and options of wmx.
    case $-$_wmx_shell in
        *i*bash | *i*zsh) eval "$(wmx completion $_wmx_shell 2>/dev/null)" ;;
    esac
    unset _wmx_shell _wmx_install _wmx_unset
else
    echo "env.sh: not built yet, run 'make build' first (looked in $_wmx_install);" \
        "what was built with ROS=jazzy needs: ROS=jazzy . ./env.sh" >&2
    unset _wmx_shell _wmx_install
    false
fi
