# SPDX-License-Identifier: Apache-2.0
"""Where tinygrad's emulator is not yet as the processors are; importing this mends it.

Lanes that are off touch no memory. The emulator forgets that of local memory and of atomics, and crashes where such a
lane's register holds no address. Of CDNA it knows a later generation than gfx90a, which names two bits otherwise. RDNA's waves
of 64 it does not know."""
import ctypes
import struct

from test.mockgpu.amd import emu
from tinygrad.dtype import dtypes
from tinygrad.runtime.autogen.amd.rdna3 import ins as rdna
from tinygrad.uop.ops import UOp

LOCAL_BYTES = 65536
LOCAL_WORDS = LOCAL_BYTES // 4 + 4  # with some that stand for all beyond
# Always the same one, since it stands in code that is kept on disk.
NOWHERE = 0x7c0000000000


def make_nowhere():
    """A page for accesses of lanes that are off."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    read_write, private_anonymous_noreplace = 3, 0x100022
    if libc.mmap(NOWHERE, 4096, read_write, private_anonymous_noreplace, -1, 0) != NOWHERE:
        raise OSError(ctypes.get_errno(), "the page for lanes that are off")


class Local:
    """Local memory whose words beyond the end are one word."""
    whole = UOp.param(3, dtypes.uint32, (LOCAL_WORDS,))
    dtype = whole.dtype

    def index(self, place):
        inside = place.get_idx()
        inside = (inside < UOp.const(LOCAL_BYTES // 4, inside.dtype)).where(
            inside, UOp.const(LOCAL_BYTES // 4, inside.dtype))
        return self.whole.index(inside if place.get_idx() is place else inside.valid(place.get_valid()))


def write_where_on(bits, value, function, place, *rest, is_mem=False):
    """For emu._write_val: a write to memory by a lane that is off goes nowhere."""
    if is_mem:
        nowhere = NOWHERE if place.dtype == dtypes.uint64 else LOCAL_BYTES
        place = rest[0].where(place, UOp.const(nowhere, place.dtype))
    return own_write_val(bits, value, function, place, *rest, is_mem=is_mem)


def attribute(instruction, name, default=0):
    """For emu._iattr: whether an atomic returns what was there, and whether a register of the lanes is part of an
    address in scratch memory, which gfx90a has only without a scalar one."""
    if is_gfx90a and name == "glc":
        name = "sc0"
    if is_gfx90a and name == "sve":
        return int(instruction.saddr.offset >= 124)
    return own_attribute(instruction, name, default)


def mask_of_kind(context, data):
    """For _Ctx.canonical_mask: with that, instructions that name a scalar register are not as those that do not."""
    base, mask, size = own_mask(context, data)
    word, = struct.unpack_from("<I", data)
    if is_gfx90a and word >> 26 == 0b110111 and word >> 14 & 3 == 1:
        mask |= 0x7f << 48
        base |= int.from_bytes(data[:size], "little") & 0x7f << 48
    return base, mask, size


def write_scalar(context, register, value):
    """For _Ctx.wsgpr_dyn: RDNA's 124 takes nothing, in waves of 64 as well."""
    valid = register if is_gfx90a else register.valid(register.ne(UOp.const(124, register.dtype)))
    return context.sgpr.index(valid).store(value.cast(dtypes.uint32))


def write_mask(context, register, value):
    """For _Ctx.wmask: nor does what follows 124 take a mask's other half."""
    if context.wave_size == 32:
        return [context.wsgpr_dyn(register, value)]
    low, high = emu._split64(value)
    after = register + UOp.const(1, register.dtype)
    valid = after if is_gfx90a else after.valid(register.ne(UOp.const(124, register.dtype)))
    return [context.wsgpr_dyn(register, low), context.sgpr.index(valid).store(high)]


def select_by_both_halves(context, operation, sources, *rest, **more):
    """For _Ctx.compile_vop_pcode: where RDNA's V_CNDMASK names a mask, the emulator reads 32 bits of it in waves of 64,
    too, and takes the bits of lanes 0 to 31 for lanes 32 to 63."""
    if context.wave_size > 32 and not is_gfx90a and "CNDMASK" in operation.name and "S2" in sources:
        sources["VCC"] = context.rmask(context.inst_field(rdna.VOP3.src2))
    return own_compile(context, operation, sources, *rest, **more)


def fill(processor, wave):
    global is_gfx90a
    is_gfx90a = processor == "gfx90a"
    # The emulator knows one size for each architecture, and asks this.
    emu._wave_size = lambda architecture: wave


is_gfx90a = False
own_attribute, emu._iattr = emu._iattr, attribute
own_mask, emu._Ctx.canonical_mask = emu._Ctx.canonical_mask, mask_of_kind
emu._Ctx.wsgpr_dyn, emu._Ctx.wmask = write_scalar, write_mask
own_compile, emu._Ctx.compile_vop_pcode = emu._Ctx.compile_vop_pcode, select_by_both_halves
make_nowhere()
own_write_val = emu._write_val
emu._write_val = write_where_on
emu._Ctx.lds = Local()
