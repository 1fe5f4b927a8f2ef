"""`wmx replay` of a program for the vendor's SDK, beside the log that the real engine wrote."""

from pathlib import Path

from command_line import Shell
from programs import moved


def test_a_log_of_the_vendor_is_replayed_by_its_program(shell: Shell, tmp_path: Path) -> None:
    moved(tmp_path, "cm.motion.StartPos(move(0, 10)); cm.motion.Wait(0)")
    program, log = tmp_path / "program.py", tmp_path / "log.txt"
    assert shell.done("replay", program) == "program.py: equal\n"
    ended = shell("replay", log)
    assert ended.code == 2
    assert "is no MCAP file" in ended.err
    assert "wmx replay PROGRAM.py" in ended.err
    log.write_text(log.read_text().replace("\t5.", "\t6."))
    ended = shell("replay", program)
    assert (ended.code, "different" in ended.out) == (1, True)
    assert shell("replay", program, "--json").data["verdict"] == "different"
    log.unlink()
    assert shell("replay", program).code == 2
    ended = shell("replay", program, "--json")
    assert (ended.code, ended.data["verdict"], ended.err) == (2, "no log", "")
    assert shell("replay", tmp_path / "missing.py").code == 2


def test_ctrl_c_is_no_difference(shell: Shell, tmp_path: Path) -> None:
    moved(tmp_path, "cm.motion.StartPos(move(0, 10)); cm.motion.Wait(0)")
    program = tmp_path / "program.py"
    program.write_text(program.read_text().replace("cm.motion.Wait(0)", "raise KeyboardInterrupt"))
    ended = shell("replay", program)
    assert (ended.code, ended.out.strip()) == (130, "")
