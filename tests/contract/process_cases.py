"""Which tests of motion the engine in a process of its own has to pass each time, and `wmx3_sim`.

How axes move changes neither with the process that computes it nor with the module that is called;
that every command and its values get there does. So one test of each command is for these backends;
the others are `slow`. All tests of the engine, its status, I/O and EtherCAT are for them, too. The
process, which takes a third of a second to start, has to pass the first case of each of these.
"""

CASE_OF = {
    "set_servo": "test_a_servo_comes_on_when_the_drive_has_taken_its_time[process]",
    "clear_alarm": "test_a_cleared_alarm_is_gone_and_switches_nothing_on[process]",
    "set_command_mode": "test_the_command_mode_shows[process-1]",
    "set_polarity": "test_a_polarity_turns_the_number_round[process]",
    "set_gear_ratio": "test_a_gear_ratio_changes_the_number[process]",
    "set_position": "test_a_position_that_is_declared_shows_and_nothing_moves[process]",
    "move_absolute": "test_an_absolute_move_follows_its_trapezoid[process-trapezoid]",
    "move_relative": "test_a_relative_move_is_by_its_target[process-trapezoid]",
    "jog": "test_it_reaches_its_velocity_and_keeps_it[jog-process-2.0]",
    "move_velocity": "test_it_reaches_its_velocity_and_keeps_it[velocity-process-2.0]",
    "move_torque": "test_the_torque_is_in_force[process-20.0]",
    "move_linear": "test_the_point_follows_the_trapezoid_along_the_line[process-across]",
    "move_spline": "test_it_goes_through_its_points_at_their_times[process]",
    "set_override": "test_a_position_move_goes_on_at_another_velocity[process-50.0]",
    "stop": "test_it_slows_down_with_its_deceleration[stop-process]",
    "quick_stop": "test_it_slows_down_with_its_deceleration[quick_stop-process]",
    "emergency_stop": "test_level1_slows_every_axis_down_with_its_emergency_deceleration[process]",
    "release_emergency_stop": "test_released_after_level1_the_axes_can_be_moved[process]",
    "home": "test_homing_at_the_current_position_moves_nothing[process]",
    "load_parameters": "test_loaded_parameters_are_in_force[process]",
    "parameters": "test_the_engine_starts_with_the_parameters_of_the_machine[process]",
}
"""The test of each command of motion, by the command."""
REFUSAL = "test_an_axis_is_named_once[move_absolute-process]"
"""That what an engine refuses crosses processes, too."""
WHOLE = (
    *("test_contract_engine", "test_contract_motion_status"),
    *("test_contract_io", "test_contract_ecat"),
)
"""Modules of which every test is for them."""
SELECTED = "process", "wmx3_sim"
"""The backends of which only these tests are for each time."""


def is_on(backend: str, test: str) -> bool:
    """Whether a test, by its name with its case, is of a backend."""
    return backend in test.partition("[")[2]


def is_slow(module: str, test: str) -> bool:
    """Whether a test is not for each time, by the name of its module and its own with its case."""
    backend = next((name for name in SELECTED if is_on(name, test)), "")
    return (
        bool(backend)
        and not module.startswith(WHOLE)
        and test.replace(backend, "process") not in (*CASE_OF.values(), REFUSAL)
    )


class FurtherCases:
    """Finds the second case and later ones of each test that is for the process each time."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, str]] = set()

    def has(self, module: str, test: str) -> bool:
        """Whether a case of the same test was asked about before; to be asked once of each."""
        if not is_on("process", test) or not module.startswith(WHOLE):
            return False
        function = module, test.partition("[")[0]
        further = function in self._seen
        self._seen.add(function)
        return further
