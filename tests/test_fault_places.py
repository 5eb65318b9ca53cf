"""Planted faults fit the code as it is; planting them all takes too long for the gate."""

from __future__ import annotations

from support.faults import faulty_definition, locate_test, read_faults
from support.xtest import PACKAGES


def test_each_planted_fault_has_a_place_to_change_and_existing_tests() -> None:
    for fault in read_faults():
        faulty_definition(fault, PACKAGES)
        for test in fault.killed_by:
            locate_test(test)
