#!/usr/bin/env bash
# Runs the container's command where the packages are installed: /opt/wmx, or the workspace of the tests.
set -e
# As process 1 of a container, bash ignores what it has not asked for.
trap 'exit 130' INT TERM
here=$(cd "$(dirname "$0")" && pwd)
if [ -e /opt/wmx/setup.bash ]; then
    . /opt/wmx/setup.bash
    PATH=/opt/wmx/lib/wmx_ros2_package:$PATH
    profile=$here/fastdds_udp.xml
else
    . "$here/../env.sh"
    profile=$here/../config/fastdds_udp.xml
fi

# No shared memory between containers; the file says why.
case $ROS_DISTRO in
    humble | jazzy) export FASTRTPS_DEFAULT_PROFILES_FILE=$profile ;;
    *) export FASTDDS_DEFAULT_PROFILES_FILE=$profile ;;
esac

exec "$@"
