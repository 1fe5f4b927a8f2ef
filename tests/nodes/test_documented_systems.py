"""Commands of the pages that need a system of their own."""

from pathlib import Path

import pytest
import system as systems
from documented_commands import carry_out, commands
from held_system import held_system

MANAGER = "wmx/lifecycle/"


@pytest.mark.long
def test_the_manager_is_asked_as_the_page_says() -> None:
    programs = "bringup", "wmx_lifecycle_manager_node"
    with systems.place() as place, held_system(place, executables=programs) as system:
        system.ready()
        found = [each for each in commands("docs/reference.md") if each.name.startswith(MANAGER)]
        assert len(found) == 3
        for command in found:
            answer = carry_out(system.client, command)
            assert answer.success, answer.message


@pytest.mark.long
def test_faults_are_injected_as_the_page_says() -> None:
    with systems.place() as place, held_system(place) as system:
        system.ready()
        first, second = commands("docs/faults.md")
        system.client.must(first.name, **first.values)
        system.client.states.next(lambda s: s.amp_alarm[0])
        system.says("Engine lost")
        system.client.eventually(
            lambda: system.client.call(second.name, **second.values).success,
            "the engine is brought up again",
        )
        system.client.eventually(
            lambda: system.client.call("wmx/io/get_input_bit", byte=0, bit=3).value, "it is on"
        )


def test_a_recording_is_saved_as_the_page_says() -> None:
    with systems.place() as place:
        parameters = f"folder:={place.folder / 'files'}", "seconds_after:=0.2"
        with held_system(place, *parameters, options=["--recorder"]) as system:
            system.ready()
            [save] = commands("docs/recording.md")
            answer = carry_out(system.client, save)
            assert answer.success, answer.message
        assert Path(answer.message).is_file()
