# SPDX-License-Identifier: Apache-2.0
"""The hash map (clade/hashmap.h)."""
from __future__ import annotations

import os
from typing import Optional

import numpy as np

from .arrays import Array, Call, Data, DType, Launch, type_code
from .base import Mapping
from .context import Context
from .library import choice, ffi, lib

_FORMS = {"auto": lib.CLADE_HASHMAP_AUTO, "packed": lib.CLADE_HASHMAP_PACKED, "tagged": lib.CLADE_HASHMAP_TAGGED}
_CHANGES = {"plus": lib.CLADE_HASHMAP_PLUS, "min": lib.CLADE_HASHMAP_MIN, "max": lib.CLADE_HASHMAP_MAX}


class HashMap(Mapping):
    """A hash map, or a set, that kernels change and search at once. Any key and value is legal.

    capacity: keys that it can hold
    key:      numpy type of the keys, 32 or 64 bits; value: of the values; None makes a set
    form:     "auto", "packed" or "tagged": how a slot is laid out
    seed:     of the hash; 0: a fixed one
    no_erase: no key is ever erased; in turn many items may change one value at once
    """

    _name = "hashmap"

    def __init__(self, context: Context, capacity: int, key: DType, value: DType = None, *, form: str = "auto",
                 seed: int = 0, group_size: int = 0, no_erase: bool = False) -> None:
        self._kinds(key, value)
        super().__init__(context, ffi.new("clade_hashmap_params *", {
            "capacity": capacity, "key": type_code(key), "value": type_code(value),
            "form": choice(_FORMS, form, "form"), "seed": seed, "group_size": group_size, "no_erase": int(no_erase)}))

    @classmethod
    def load(cls, context: Context, path: "os.PathLike[str] | str", key: DType, value: DType = None) -> "HashMap":
        """Make a map from a file that save() wrote, of a map with these types."""
        return cls._load(context, path)._known(key, value)

    def update(self, keys: Data, operands: Data, what: str = "plus", *, count: Optional[int] = None,
               statuses: Optional[Data] = None, launch: Optional[Launch] = None) -> Optional[Array]:
        """Change values: "plus", "min" or "max" of each and its operand. A key that is not there is inserted with
        its operand. All operands of equal keys take effect: update(words, ones) counts words."""
        return self._in("update", keys, operands, count, statuses, launch, choice(_CHANGES, what, "what"))

    def grow(self, capacity: int, launch: Optional[Launch] = None) -> None:
        """Give the map another capacity. `mem` is another buffer afterwards."""
        call = Call(launch)
        self._call("grow", capacity, call.launch())
        call.done()
