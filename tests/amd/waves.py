# SPDX-License-Identifier: Apache-2.0
"""Waves of a launch, one instruction of one wave at a time, by the instructions of tinygrad's emulator.

Its own loop runs groups one after another, and gives the waves of a group one scratch memory. Here some groups are
there at once, and each wave has its own; waves take turns of random length, by a seed."""
import ctypes
import functools
import random
import struct

import gaps
from test.mockgpu.amd import emu
from tinygrad.runtime.autogen.amd.rdna3 import ins as rdna
from tinygrad.runtime.autogen.amd.cdna import ins as cdna

ARCHITECTURES = {"gfx1100": "rdna3", "gfx90a": "cdna"}
RESIDENT_GROUPS = 4
TURN_MOST = 400
STEPS_MOST = 40_000_000
# Words of an instruction that writes caches back or makes them forget; one wave runs at a time here, and there are no
# caches. By architecture: (mask, value) of the first word.
CACHES = {
    "rdna3": [(0xfffc0000, 0xe0000000 | 43 << 18), (0xfffc0000, 0xe0000000 | 44 << 18)],
    "cdna": [(0xfdfc0000, 0xe0000000 | op << 18) for op in (40, 41, 62, 63)],
}
# Scalar instructions that tell the pipeline something: waits, hints, delays.
SILENT = {"S_NOP", "S_SLEEP", "S_CLAUSE", "S_DELAY_ALU", "S_WAITCNT", "S_WAITCNT_DEPCTR", "S_WAITCNT_VSCNT",
          "S_WAITCNT_VMCNT", "S_WAITCNT_EXPCNT", "S_WAITCNT_LGKMCNT", "S_SETPRIO", "S_INST_PREFETCH",
          "S_SET_INST_PREFETCH_DISTANCE", "S_ICACHE_INV", "S_CODE_END"}
NAMED_TYPES = tuple(getattr(m, n) for m in (rdna, cdna) for n in ("SOPP", "SOPK", "SOP1", "SOPC", "VOP1"))
MASK = 0xffffffff


def jump(wave, target):
    wave.words[256], wave.words[257] = target & MASK, target >> 32


def pair(wave, register):
    return wave.words[register] | wave.words[register + 1] << 32


def set_pair(wave, register, value):
    wave.words[register], wave.words[register + 1] = value & MASK, value >> 32


def get_address(wave, word, after):
    set_pair(wave, word >> 16 & 127, after)
    jump(wave, after)


def set_address(wave, word, after):
    jump(wave, pair(wave, word & 127))


def swap_address(wave, word, after):
    target = pair(wave, word & 127)
    set_pair(wave, word >> 16 & 127, after)
    jump(wave, target)


def pause(wave, word, after):
    jump(wave, after)


def lanes_on(wave):
    mask = wave.words[126] | (wave.words[127] << 32 if wave.state.wave_size == 64 else 0)
    return [lane for lane in range(wave.state.wave_size) if mask >> lane & 1]


def move_indexed(wave, word, after):
    """V_MOVRELS_B32 (67), V_MOVRELD_B32 (66) and V_MOVRELSD_B32 (68) of RDNA: M0 is added to a register's number."""
    registers, size, base = wave.state._vgpr_mv, wave.state.wave_size, wave.words[125]
    kind, source, target = word >> 9 & 0xff, word & 0x1ff, word >> 17 & 0xff
    target += base if kind in (66, 68) else 0
    source += base if kind in (67, 68) else 0
    for lane in lanes_on(wave):
        value = registers[(source - 256) * size + lane] if source >= 256 else wave.words[source]
        registers[target * size + lane] = value
    jump(wave, after)


def moves_indexed(wave, word, after):
    """S_SET_GPR_IDX_ON of gfx90a, the V_MOV_B32 that clang has behind it, and the S_SET_GPR_IDX_OFF at their end."""
    registers, size = wave.state._vgpr_mv, wave.state.wave_size
    base, which = wave.words[word & 0xff] & 0xff, word >> 8 & 15
    while (move := ctypes.c_uint32.from_address(after).value) != 0xbf9c0000:
        if move & 0xfe01fe00 != 0x7e000200:
            raise Stopped(f"an instruction {move:08x} while registers are indexed")
        source, target = move & 0x1ff, (move >> 17 & 0xff) + (base if which & 8 else 0)
        source += base if which & 1 and source >= 256 else 0
        for lane in lanes_on(wave):
            value = registers[(source - 256) * size + lane] if source >= 256 else wave.words[source]
            registers[target * size + lane] = value
        after += 4
    jump(wave, after + 4)


def compare_and_swap_64(instruction, wave, _, after):
    """Of this atomic alone, whose operand are two times 64 bits, the emulator takes 32."""
    registers, size = wave.state._vgpr_mv, wave.state.wave_size
    number = lambda register: register.offset - 256
    wide = lambda register, lane: registers[register * size + lane] | registers[(register + 1) * size + lane] << 32
    offset = (instruction.offset & 0x1fff ^ 0x1000) - 0x1000
    base = instruction.saddr.offset
    for lane in lanes_on(wave):
        at = wide(number(instruction.addr), lane)
        word = ctypes.c_uint64.from_address(offset + (pair(wave, base) + (at & MASK) if base < 124 else at))
        value, data = word.value, number(instruction.data)
        if value == wide(data + 2, lane):
            word.value = wide(data, lane)
        if gaps.attribute(instruction, "glc"):
            target = number(instruction.vdst)
            registers[target * size + lane], registers[(target + 1) * size + lane] = value & MASK, value >> 32
    jump(wave, after)


# What the emulator does not know: where the program is, functions that are called, arrays in registers.
CALLS = {"S_GETPC_B64": get_address, "S_SETPC_B64": set_address, "S_SWAPPC_B64": swap_address,
         "S_SET_GPR_IDX_ON": moves_indexed, "V_MOVRELD_B32_E32": move_indexed, "V_MOVRELS_B32_E32": move_indexed, "V_MOVRELSD_B32_E32": move_indexed}
WIDE_SWAPS = {"GLOBAL_ATOMIC_CMPSWAP_X2", "GLOBAL_ATOMIC_CMPSWAP_B64"}


class Stopped(Exception):
    """The launch did not end as it should."""


class Steps:
    """What each address of the code does: (function, its arguments' places, whether it is a barrier), or, of what is
    done here, (function, None, (the instruction's first word, the address after it))."""

    def __init__(self, architecture):
        self.architecture = architecture
        self.at = {}

    def decode(self, address):
        word = ctypes.c_uint32.from_address(address).value
        if any(word & mask == value for mask, value in CACHES[self.architecture]):
            return pause, None, (word, address + 8)
        instruction = emu.decode_inst(bytes((ctypes.c_char * 16).from_address(address).raw), self.architecture)
        name = instruction.op.name if isinstance(instruction, NAMED_TYPES) else ""
        if name in SILENT or name in CALLS:
            return CALLS.get(name, pause), None, (word, address + instruction.size())
        if getattr(instruction, "op", None) is not None and instruction.op.name in WIDE_SWAPS:
            return functools.partial(compare_and_swap_64, instruction), None, (word, address + instruction.size())
        (program, runtime), _ = emu._decode_at(address, self.architecture)
        return runtime.fxn, tuple(program.arg.globals), name == "S_BARRIER"

    def get(self, address):
        step = self.at[address] = self.decode(address)
        return step


class Wave:
    def __init__(self, group, state, places, scratch):
        self.group, self.state, self.scratch = group, state, scratch
        self.words = state._sgpr_mv
        self.places = [ctypes.c_uint64(place) for place in places]
        self.calls = {}
        self.ended = self.waits = False

    def arguments(self, which):
        found = self.calls.get(which)
        if found is None:
            found = self.calls[which] = [self.places[i] for i in which]
        return found

    def run(self, steps, count):
        """Up to `count` instructions; how many there were."""
        words, known = self.words, steps.at
        for done in range(count):
            address = words[256] | words[257] << 32
            if address == emu.ENDPGM_PC:
                self.ended = True
                return done
            function, which, extra = known.get(address) or steps.get(address)
            if which is None:
                function(self, *extra)
                continue
            function(*self.arguments(which))
            if extra:
                self.waits = True
                return done + 1
        return count


class Group:
    def __init__(self, launch, index):
        self.lds = emu.Buffer("CPU", gaps.LOCAL_WORDS, emu.dtypes.uint32).ensure_allocated()
        # What a group finds in local memory is what another one left there.
        ctypes.memset(self.lds._buf.va_addr, 0xa5, gaps.LOCAL_BYTES)
        size = launch.local_size
        items = size[0] * size[1] * size[2]
        self.waves = [self.make_wave(launch, index, start, items) for start in range(0, items, launch.wave)]

    def make_wave(self, launch, index, start, items):
        kernel, wave = launch.kernel, launch.wave
        bytes_each = kernel.private_bytes
        scratch = emu.Buffer("CPU", max(bytes_each, 4) * wave, emu.dtypes.uint8).ensure_allocated()
        ctypes.memset(scratch._buf.va_addr, 0x5a, max(bytes_each, 4) * wave)
        state = emu._init_wave(kernel.entry, start, items, *launch.local_size, launch.arguments, kernel.resources,
                               bytes_each, launch.architecture, *index, launch.user_words(), wave)
        places = [state.sgpr_buf._buf.va_addr, state.vgpr_buf._buf.va_addr, launch.memory._buf.va_addr,
                  self.lds._buf.va_addr, scratch._buf.va_addr, state.accvgpr_buf._buf.va_addr]
        return Wave(self, state, places, scratch)

    def pass_barrier(self):
        """The waves go on when all that have not ended wait."""
        left = [wave for wave in self.waves if not wave.ended]
        if left and all(wave.waits for wave in left):
            for wave in left:
                wave.waits = False
        return bool(left)


class Launch:
    memory = None

    def __init__(self, kernel, architecture, wave, steps, arguments, packet, global_size, local_size):
        self.kernel, self.architecture, self.wave, self.steps = kernel, architecture, wave, steps
        self.arguments, self.packet = arguments, packet
        self.local_size = local_size
        self.counts = [(a + b - 1) // b for a, b in zip(global_size, local_size)]
        if Launch.memory is None:
            Launch.memory = emu.Buffer("CPU", 1 << 40, emu.dtypes.uint32,
                                       options=emu.BufferSpec(external_ptr=0)).ensure_allocated()

    def user_words(self):
        """The first scalar registers, as the kernel's descriptor asks for them."""
        words = []
        packet, arguments = ([value & MASK, value >> 32] for value in (self.packet, self.arguments))
        for bit, given in enumerate(([0] * 4, packet, [0, 0], arguments, [0, 0], [0, 0], [self.kernel.private_bytes])):
            if self.kernel.properties >> bit & 1:
                words += given
        return words or [0]

    def run(self, seed):
        turns = random.Random(seed)
        waiting = [(x, y, z) for z in range(self.counts[2]) for y in range(self.counts[1])
                   for x in range(self.counts[0])][::-1]
        groups, steps = [], 0
        with emu._MXCSRContext():
            while waiting or groups:
                while waiting and len(groups) < RESIDENT_GROUPS:
                    groups.append(Group(self, waiting.pop()))
                for wave in [wave for group in groups for wave in group.waves]:
                    if not wave.ended and not wave.waits:
                        steps += wave.run(self.steps, turns.randint(1, TURN_MOST))
                groups = [group for group in groups if group.pass_barrier()]
                if steps > STEPS_MOST:
                    raise Stopped(f"no end after {steps} instructions")
        return steps


def packet_words(global_size, local_size):
    """The parts of a dispatch packet that kernels read: sizes."""
    return struct.pack("<2H3H2x3I40x", 0, 3, *local_size, *global_size)
