#!/usr/bin/env bash
# Runs the container's command in the built workspace.
set -e
cd "$(dirname "$0")/.."
. ./env.sh

# No shared memory between containers; the file says why.
case $ROS_DISTRO in
    humble | jazzy) export FASTRTPS_DEFAULT_PROFILES_FILE=$PWD/config/fastdds_udp.xml ;;
    *) export FASTDDS_DEFAULT_PROFILES_FILE=$PWD/config/fastdds_udp.xml ;;
esac

exec "$@"
