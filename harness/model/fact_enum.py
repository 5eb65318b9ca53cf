"""Declare the base of enumerations whose members carry facts."""

from __future__ import annotations

from enum import Enum
from typing import Self

__all__ = ["FactEnum"]


class FactEnum(Enum):
    """An enumeration whose members are tuples: a name for users, then the facts of the member.

    The facts are attributes, in the order in which the class annotates them.
    """

    def __new__(cls, value: str, *facts: object) -> Self:
        member = object.__new__(cls)
        member._value_ = value
        for name, fact in zip(cls.__annotations__, facts, strict=True):
            setattr(member, name, fact)
        return member
