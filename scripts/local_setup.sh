# Makes a virtual environment full of ROS wheels a prefix like /opt/ros/jazzy: scripts/venv.sh puts
# this file into it, and the workspace built on it sources it. bash, zsh or any POSIX shell.

export VIRTUAL_ENV="@VENV@"

# In front, once, however often this is sourced.
_wmx_prepend() {
    eval "_wmx_old=\${$1:-}"
    case ":$_wmx_old:" in
        *":$2:"*) ;;
        *) export "$1=$2${_wmx_old:+:$_wmx_old}" ;;
    esac
}
_wmx_prepend PATH "$VIRTUAL_ENV/bin"
_wmx_prepend AMENT_PREFIX_PATH "$VIRTUAL_ENV"
_wmx_prepend CMAKE_PREFIX_PATH "$VIRTUAL_ENV"
for _wmx_libs in "$VIRTUAL_ENV"/lib/python*/site-packages/ros_*.libs "$VIRTUAL_ENV/lib"; do
    _wmx_prepend LD_LIBRARY_PATH "$_wmx_libs"
done
unset _wmx_old _wmx_libs
unset -f _wmx_prepend

# The wheels restart Python to set LD_LIBRARY_PATH; it is set, so this saves the restart.
export _ROS_WHEELS_BOOTSTRAP_COMPLETE=1

# What colcon has to be told of this Python, for every package built here.
export COLCON_DEFAULTS_FILE="$VIRTUAL_ENV/colcon.yaml"
