# Everything there is to type; `make help` lists it.

SHELL := /bin/bash
export PYTHON ?= python3

RELEASES := $(basename $(notdir $(wildcard wheels/*.txt)))

# Stands on the ROS distribution that is sourced, else on plain Python with the wheels of a ROS
# release: those of Kilted, or `make test ROS=jazzy`, which gets folders of its own.
ifeq ($(ROS_VERSION),2)
UNDERLAY := $(ROS_DISTRO)
unexport ROS
else
export ROS ?= kilted
UNDERLAY := $(ROS)-wheels
PLACE := $(if $(filter-out kilted,$(ROS)),.$(ROS)/)
SETUP := $(PLACE).venv/local_setup.sh
ifeq ($(wildcard wheels/$(ROS).txt),)
$(error no wheels of ROS=$(ROS), there are $(RELEASES))
endif
endif

# Stamps of what is built; what was built on one underlay means nothing to another.
MESSAGE := $(PLACE)build/.message-on-$(UNDERLAY)
PACKAGE := $(PLACE)build/.package-on-$(UNDERLAY)
# Every ROS distribution has control_msgs, and no registry of wheels: a stand-in takes its place.
STAND_IN := $(if $(SETUP),$(PLACE)build/.control_msgs-on-$(UNDERLAY))

COLCON := colcon --log-base $(PLACE)log
BASES := --build-base $(PLACE)build --install-base $(PLACE)install
COLCON_BUILD = $(if $(SETUP),. $(SETUP) &&) $(COLCON) build $(BASES) --symlink-install \
	--event-handlers console_start_end- summary- parallel_status- --packages-select

# Where pytest-xdist is installed, one test more than there are processors, for tests wait much of their
# time; with two more, the systems that they start starve on two processors. The process of a test that
# hangs ends (tests/conftest.py). No other takes over: pytest-xdist would begin with that test again, or
# wait for ever.
# Files come in the order in which they are collected, where pytest-xdist can: the longest would be last.
workers = $$(python3 -c 'import os, xdist; print("-n", $(or $(1),(os.cpu_count() or 1) + 1), \
	"--dist loadfile --max-worker-restart 0", \
	"--no-loadscope-reorder" * ("3.7" <= xdist.__version__ < "4"))' 2>/dev/null)

# The tests start hundreds of programs. Each takes 0.1 s of processor time less where Python finds what
# it compiled before, which it may be forbidden to leave beside the sources. Empty is no to Python, and
# keeps colcon from saying yes.
COMPILED_ONCE = export PYTHONPYCACHEPREFIX=$(CURDIR)/$(PLACE)build/.pycache PYTHONDONTWRITEBYTECODE=

# In capitals: a variable of another name is ignored, and something else would be done.
VARIABLES := robot panel recorder tests late long times loops count seed places
ifneq ($(filter command,$(foreach name,$(VARIABLES),$(word 1,$(origin $(name))))),)
$(error ROBOT, PANEL and all other variables are written in capitals, such as: make run ROBOT=arm)
endif
# With several workers pytest does not name what it has not found.
file_of = $(wildcard $(firstword $(subst ::, ,$(1))))
MISSING := $(foreach each,$(TESTS),$(if $(findstring /,$(each)),$(if $(call file_of,$(each)),,$(each))))
ifneq ($(TESTS),)
ifneq ($(or $(strip $(MISSING)),$(if $(foreach each,$(TESTS),$(call file_of,$(each))),,$(TESTS))),)
$(error there is no $(or $(strip $(MISSING)),$(TESTS)): make test TESTS="tests/nodes/test_io.py")
endif
endif

# PANEL=0 is no panel.
$(foreach each,PANEL RECORDER LONG,$(eval override $(each) := $(filter-out 0,$($(each)))))

.PHONY: given_away real_control_msgs help run sdk sdk_headers editions check test test-all repeat mutants lint docs dist image bench build clean

help:  ## list what there is to make
	@sed -nE 's/^([a-z-]+):.*  ## (.*)/make \1\t\2/p' Makefile | expand -t 15
	@echo
	@echo "ROS=jazzy       on plain Python: the wheels of that release ($(RELEASES)); also for . ./env.sh"
	@echo "PYTHON=python3  the Python that .venv is made with"
	@echo "After . ./env.sh, wmx --help lists what can be done with a system."

# bringup takes the place of the shell, so that a signal to make reaches it; the kernel ends the panel
# when bringup has ended, however that was.
run: build  ## run the system on the simulated engine until Ctrl-C; ROBOT=arm: a robot, too (or gantry, base, mobile_manipulator, cr3a, cr5a, diffbot, a folder); PANEL=1: in the browser; RECORDER=1: recorded
	@echo "run: the system on the simulated engine$(if $(PANEL), and its panel at http://127.0.0.1:8642); Ctrl-C ends it"
	@. ./env.sh && $(if $(PANEL),wmx_panel --check && \
		{ setpriv --pdeathsig TERM wmx_panel --restart --open $(if $(ROBOT),--robot $(ROBOT)) & } &&) \
		WMX_DRIVER=fake exec bringup --events $(if $(ROBOT),--robot $(ROBOT)) \
		$(if $(RECORDER),--recorder)

# The binding to the vendor's SDK is a package of its own, which no other one needs.
SDK ?= /opt/wmx3

# Looked for before minutes of building are spent.
sdk_headers:
	@[ -e $(SDK)/include/WMX3Api.h ] || \
		{ echo "sdk: no SDK: there is no $(abspath $(SDK))/include/WMX3Api.h; make sdk SDK=/opt/wmx3" >&2; exit 1; }

sdk: sdk_headers build  ## build what real hardware needs: a binding to the vendor's SDK at SDK=/opt/wmx3
	@echo "sdk: the binding to $(SDK), a minute or two"
	@$(COLCON_BUILD) wmx_sdk_binding --paths wmx_sdk_binding --cmake-clean-cache --cmake-args \
		-DWMX3_SDK=$(abspath $(SDK)) $(if $(SETUP),-DPython_EXECUTABLE=$(CURDIR)/$(PLACE).venv/bin/python3)
	@. ./env.sh && python3 -m wmx3.loading

# What the tests of the binding stand on. It takes a compiler a minute, before any of them counts time.
editions: build
	@. ./env.sh && python3 tests/sdk_headers/build.py

# CONTRIBUTING.md says which test belongs to which circle.
HELD = -m 'not process and not slow$(if $(LONG),, and not long)$(1)' --durations 5 --durations-min 3 \
	$(if $(LATE),--late-threads $(LATE))

check: build  ## run the quickest tests: units, and the contract of drivers on the simulated engine (LATE=0.1: each thread begins so late, s)
	@. ./env.sh && $(COMPILED_ONCE) && pytest $(workers) -q --hypothesis-profile=quick \
		$(call HELD, and not vendor) tests/unit tests/contract

test: build editions  ## run the tests that start no other process and do not take long (LONG=1: these, too), or TESTS="tests/nodes ..."; a few minutes
	@. ./env.sh && $(COMPILED_ONCE) && pytest $(workers) -q --hypothesis-profile=fewer $(call HELD) $(TESTS)

COLCON_TEST = $(COLCON) test $(BASES) --packages-skip wmx_sdk_binding --event-handlers console_direct+ \
	--return-code-on-test-failure --pytest-args

# A browser, a panel and a system are three busy programs for one test. So the tests of the panel come
# first, two at a time. The others are named, for colcon takes --ignore for its own.
test-all: build editions $(if $(TESTS),,$(if $(SETUP),given_away))  ## all tests but those marked slow, the documentation and the archives, or only TESTS="tests/integration ..."; fails when one does
	@. ./env.sh && $(COMPILED_ONCE) && $(if $(TESTS),$(COLCON_TEST) $(workers) $(TESTS),\
		{ failed=; $(COLCON_TEST) $(call workers,2) tests/panel || failed=1; \
		$(COLCON_TEST) $(workers) $(filter-out tests/panel/,$(wildcard tests/*/)) && [ -z "$$failed" ]; })

# On plain Python, which has what makes it; the documentation not for every version, see requirements.txt.
given_away: dist
	@. ./env.sh && if python3 -c 'import mkdocs' 2>/dev/null; then $(MAKE) --silent docs; \
		else echo "test-all: no mkdocs for this Python, so the documentation is not built" >&2; fi

TIMES ?= 5
LOOPS ?= 3
repeat:  ## run `make test` again and again: TIMES=5, beside LOOPS=3 busy loops; each failure is named once
	@scripts/repeat.py --times $(TIMES) --loops $(LOOPS) make test

COUNT ?= 20
SEED ?= 1
mutants: build  ## change the engine, or PLACES="control nodes", at COUNT=20 random places of SEED=1; list what no test notices
	@. ./env.sh && scripts/mutants.py --count $(COUNT) --seed $(SEED) $(PLACES)

# The rclpy of Jazzy says the types of hardly anything.
lint: build  ## check style, types and layers
	@. ./env.sh && ruff check && ruff format --check && lint-imports \
		$(if $(filter kilted-wheels,$(UNDERLAY)),&& mypy)

docs: build  ## build the documentation in build/site; every warning is an error, and the search finds what is asked
	@. ./env.sh && NO_MKDOCS_2_WARNING=1 python3 -m mkdocs build --quiet && \
		if command -v node >/dev/null; then node scripts/search.js build/site; \
		else echo "docs: no node, so the search is not asked" >&2; fi

dist: build  ## make a wheel and a source archive of wmx_ros2_package in dist, and a file for `vcs import`
	@scripts/tag.sh && rm -rf dist && . ./env.sh && (cd wmx_ros2_package && python3 setup.py --quiet sdist --dist-dir ../dist) && \
		python3 -m pip --quiet --disable-pip-version-check wheel --no-deps --no-build-isolation --no-index \
			--wheel-dir dist dist/*.tar.gz && scripts/repos.sh > dist/wmx_ros2.repos && ls dist

COMPOSE := docker compose -f docker/compose.yaml
image:  ## build the container image, start it, and ask it for its status; needs Docker
	@command -v docker >/dev/null || { echo "image: Docker is not installed" >&2; exit 1; }
	@$(COMPOSE) build sim && trap '$(COMPOSE) down' EXIT && $(COMPOSE) up --detach --wait sim && \
		$(COMPOSE) exec sim /wmx/entrypoint.sh wmx status

bench: build  ## measure the nodes and the simulated engine, about 15 minutes
	@. ./env.sh && python3 benchmarks/run.py

# One make at a time: another waits here, then finds nothing left to do.
build:  ## set up what is missing and build both packages
	@scripts/check.sh
	@exec 9<Makefile && flock 9 && $(MAKE) --silent real_control_msgs $(PACKAGE)

# A stand-in that an earlier build on plain Python has left would shadow that of the distribution.
STAND_IN_LEFT = grep -qs stand-in install/control_msgs/share/control_msgs/package.xml
real_control_msgs:
	@$(if $(SETUP),,! $(STAND_IN_LEFT) || rm -rf build/control_msgs install/control_msgs build/.control_msgs-on-*)

clean:  ## remove all that was set up or built
	rm -rf .venv build install log dist $(RELEASES:%=.%)

# It is emptied before it is made anew, and what a link leads to is used from elsewhere, too.
$(PLACE).venv/local_setup.sh: wheels/$(ROS).txt requirements.txt constraints.txt \
		scripts/venv.sh scripts/local_setup.sh
	@[ ! -L $(PLACE).venv ] || { echo "make: $(PLACE).venv is a link to $$(readlink $(PLACE).venv), and" \
		"older than $?: run make there, or remove the link" >&2; exit 1; }
	@scripts/venv.sh $(PLACE).venv $(ROS)

$(MESSAGE): $(SETUP) $(shell find wmx_ros2_message -type f -not -name '*.rst' -not -name LICENSE)
	@echo "build: wmx_ros2_message, one to four minutes"
	@rm -f $(PLACE)build/.*-on-*
	@$(COLCON_BUILD) wmx_ros2_message --cmake-clean-cache
	@touch $@

$(PLACE)build/.control_msgs-on-%: $(SETUP) $(MESSAGE) $(shell find tests/underlay/control_msgs)
	@echo "build: control_msgs, up to a minute"
	@$(COLCON_BUILD) control_msgs --paths tests/underlay/control_msgs --cmake-clean-cache
	@touch $@

# Installed as links into the source: a build is due only when setup.py changes or the table of
# programs that it reads, or when a file comes or goes in launch/ or config/.
$(PACKAGE): $(MESSAGE) $(STAND_IN) $(wildcard wmx_ros2_package/*.* launch config config/*/ \
		config/*/*/) wmx_ros2_package/wmx_ros2_package/executables.py
	@echo "build: wmx_ros2_package"
	@$(COLCON_BUILD) wmx_ros2_package
	@touch $@
