"""The words for codes: those of the code itself, else of its group."""

from wmx_core.device_codes import al_status_in_words, alarm_in_words

GROUPS = bytes.fromhex(
    "10 20212223 30313233 4041424344 505152535455 60616263 707172737475 80818283848586 90 F0 FF"
)
"""The first bytes of codes that CiA 402 gives a meaning."""


def test_every_group_of_alarms_has_words() -> None:
    known = [byte for byte in range(256) if "no known" not in alarm_in_words(byte << 8 | 0xEE)]
    assert known == [*GROUPS]


def test_a_code_has_words_of_its_own_or_those_of_its_group() -> None:
    assert alarm_in_words(0x7121) == "0x7121 (motor blocked)"
    assert alarm_in_words(0x7122) == "0x7122 (power module or motor)"
    assert al_status_in_words(0x11) == "0x0011 (invalid requested state change)"
    assert al_status_in_words(0x8000) == "0x8000 (see the manual of the slave)"
