# Everything there is to type; `make help` lists it.

SHELL := /bin/bash
export PYTHON ?= python3

# Stands on the ROS distribution that is sourced, else on plain Python with the wheels of .venv.
ifeq ($(ROS_VERSION),2)
UNDERLAY := $(ROS_DISTRO)
else
UNDERLAY := venv
SETUP := .venv/local_setup.sh
endif

# Stamps of what is built; what was built on one underlay means nothing to another.
MESSAGE := build/.message-on-$(UNDERLAY)
PACKAGE := build/.package-on-$(UNDERLAY)

COLCON_BUILD = $(if $(SETUP),. $(SETUP) &&) colcon build --symlink-install \
	--event-handlers console_start_end- summary- --packages-select

.PHONY: help run test lint bench build clean

help:  ## list what there is to make
	@sed -nE 's/^([a-z]+):.*  ## (.*)/make \1\t\2/p' Makefile | expand -t 12

run: build  ## run the system on the simulated engine until Ctrl-C
	@echo "run: the system on the simulated engine; Ctrl-C ends it. To see it move, in another"
	@echo "     terminal in this folder:  . ./env.sh && wmx_demo"
	@. ./env.sh && WMX_DRIVER=fake exec install/wmx_ros2_package/lib/wmx_ros2_package/bringup

test: build  ## run every test; fails when one does
	@. ./env.sh && colcon test --event-handlers console_direct+ --return-code-on-test-failure

lint: build  ## check style, types and layers
	@. ./env.sh && ruff check && ruff format --check && mypy && lint-imports

bench: build  ## measure the nodes and the simulated engine, about 15 minutes
	@. ./env.sh && python3 benchmarks/run.py

# One make at a time: another waits here, then finds nothing left to do.
build:  ## set up what is missing and build both packages
	@flock Makefile $(MAKE) --silent $(PACKAGE)

clean:  ## remove all that was set up or built
	rm -rf .venv build install log

.venv/local_setup.sh: requirements.txt constraints.txt $(wildcard scripts/*)
	@scripts/venv.sh

$(MESSAGE): $(SETUP) $(shell find wmx_ros2_message)
	@echo "build: wmx_ros2_message, about half a minute"
	@rm -f build/.*-on-*
	@$(COLCON_BUILD) wmx_ros2_message --cmake-clean-cache
	@touch $@

# Installed as links into the source: a build is due only when setup.py changes, or when a file
# comes or goes in launch/ or config/.
$(PACKAGE): $(MESSAGE) $(wildcard wmx_ros2_package/*.* launch config)
	@echo "build: wmx_ros2_package"
	@$(COLCON_BUILD) wmx_ros2_package
	@touch $@
