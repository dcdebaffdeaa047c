# SPDX-License-Identifier: Apache-2.0
"""Machine code: from OpenCL C by clang, from clang's file into memory."""
import ctypes
import mmap
import os
import struct
import subprocess
import tempfile

LIBRARIES = os.environ.get("ROCM_DEVICE_LIBS", "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode")
# The libraries' file for a processor: Debian 12's know no gfx1100, and this file only says to them which of the
# instructions that all of RDNA has they may choose.
ISA = {"gfx1100": "1036"}
# gfx90a keeps what does not fit into registers in memory that a descriptor spreads over the lanes; the emulator knows
# only the instructions for which the processor does that by itself. Nor does it know v_mad_f32, which later ones lack.
FEATURES = {"gfx90a": ["+enable-flat-scratch", "-mad-mac-f32-insts"]}


def library(name):
    return ["-Xclang", "-mlink-builtin-bitcode", "-Xclang", f"{LIBRARIES}/{name}.bc"]


def command(processor, wave, options):
    names = ["opencl", "ocml", "ockl", f"oclc_isa_version_{ISA.get(processor, processor[3:])}",
             f"oclc_wavefrontsize64_{'on' if wave == 64 else 'off'}", "oclc_abi_version_400", "oclc_daz_opt_off",
             "oclc_finite_only_off", "oclc_unsafe_math_off", "oclc_correctly_rounded_sqrt_on"]
    features = FEATURES.get(processor, []) + (["+wavefrontsize64"] if wave == 64 else [])
    return ([os.environ.get("CLANG", "clang-15"), "-target", "amdgcn-amd-amdhsa", f"-mcpu={processor}",
             "-mcode-object-version=4", "-O2", "-w", "-x", "cl", "-Xclang", "-finclude-default-header", "-nogpulib"]
            + [word for name in names for word in library(name)]
            + [word for feature in features for word in ("-Xclang", "-target-feature", "-Xclang", feature)]
            + [word for word in options.split() if word != "-cl-opt-disable"])


def compile_source(processor, wave, options, source):
    """(the linked file, None), or (None, what the compiler says)."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("kernel.cl", "kernel.o", "kernel.so")]
        with open(paths[0], "w", encoding="utf-8") as file:
            file.write(source)
        for words in (command(processor, wave, options) + ["-c", paths[0], "-o", paths[1]],
                      ["ld.lld", "-shared", "--no-undefined", paths[1], "-o", paths[2]]):
            said = subprocess.run(words, capture_output=True, text=True)
            if said.returncode != 0:
                return None, said.stderr
        with open(paths[2], "rb") as file:
            return file.read(), None


# --- the notes' MessagePack -------------------------------------------------------------------------------------

SIZED = {0xc4: "B", 0xc5: ">H", 0xc6: ">I", 0xd9: "B", 0xda: ">H", 0xdb: ">I", 0xdc: ">H", 0xdd: ">I", 0xde: ">H",
         0xdf: ">I"}
NUMBERS = {0xca: ">f", 0xcb: ">d", 0xcc: "B", 0xcd: ">H", 0xce: ">I", 0xcf: ">Q", 0xd0: "b", 0xd1: ">h", 0xd2: ">i",
           0xd3: ">q"}
FIXED = ((0x80, 0x8f, 0xde), (0x90, 0x9f, 0xdc), (0xa0, 0xbf, 0xd9))
PLAIN = {0xc0: None, 0xc2: False, 0xc3: True}


def unpack(data, at=0):
    """(the value, where the next one begins)"""
    kind, at = data[at], at + 1
    if kind < 0x80 or kind >= 0xe0:
        return kind - (256 if kind >= 0xe0 else 0), at
    if kind in PLAIN:
        return PLAIN[kind], at
    if kind in NUMBERS:
        return struct.unpack_from(NUMBERS[kind], data, at)[0], at + struct.calcsize(NUMBERS[kind])
    count = None
    for low, high, long_form in FIXED:
        if low <= kind <= high:
            kind, count = long_form, kind - low
    if count is None:
        count, at = struct.unpack_from(SIZED[kind], data, at)[0], at + struct.calcsize(SIZED[kind])
    if kind >= 0xdc:
        values = []
        for _ in range(count * (2 if kind >= 0xde else 1)):
            value, at = unpack(data, at)
            values.append(value)
        return (dict(zip(values[::2], values[1::2])) if kind >= 0xde else values), at
    return data[at:at + count].decode(), at + count


# --- the linked file --------------------------------------------------------------------------------------------

class Kernel:
    """What the file tells of one kernel: its descriptor's fields, and its arguments from the notes."""

    def __init__(self, descriptor, address, notes):
        self.local_bytes, self.private_bytes, self.argument_bytes = struct.unpack_from("<3I", descriptor)
        self.entry = address + struct.unpack_from("<q", descriptor, 16)[0]
        self.resources, self.properties = struct.unpack_from("<IH", descriptor, 52)
        self.arguments = notes[".args"]
        self.group_size_most = notes[".max_flat_workgroup_size"]
        self.private_bytes = max(self.private_bytes, notes[".private_segment_fixed_size"])

    def described(self):
        """As tests/amd/programs.c reads it."""
        kinds = {"by_value": "v", "global_buffer": "g", "dynamic_shared_pointer": "l"}
        own = [argument for argument in self.arguments if not argument[".value_kind"].startswith("hidden")]
        return " ".join([str(self.group_size_most), str(self.local_bytes), str(self.private_bytes)] +
                        [kinds[argument[".value_kind"]] + str(argument[".size"]) for argument in own])


def cut(data, table, entry, count):
    size = struct.calcsize(entry)
    return [struct.unpack_from(entry, data, table + i * size) for i in range(count)]


def place(data):
    """The file's segments, where their addresses say from a page on."""
    program_table, = struct.unpack_from("<Q", data, 32)
    count, = struct.unpack_from("<H", data, 56)
    segments = [segment for segment in cut(data, program_table, "<2I6Q", count) if segment[0] == 1]
    memory = mmap.mmap(-1, max(segment[3] + segment[6] for segment in segments) + 4096)
    for _, _, offset, address, _, size, _, _ in segments:
        memory[address:address + size] = data[offset:offset + size]
    return memory, ctypes.addressof(ctypes.c_char.from_buffer(memory))


def load(data):
    """{name: Kernel}, and the memory that has to be kept."""
    memory, base = place(data)
    section_table, = struct.unpack_from("<Q", data, 40)
    count, = struct.unpack_from("<H", data, 60)
    sections = cut(data, section_table, "<2I4Q2I2Q", count)
    addresses, notes = {}, []
    for _, kind, _, _, offset, size, link, _, _, _ in sections:
        if kind == 4 and size:  # SHT_RELA: the loader's work, which kernels of one file never needed
            raise RuntimeError("the code has relocations")
        if kind == 7:
            name_size, = struct.unpack_from("<I", data, offset)
            notes = unpack(data, offset + 12 + (name_size + 3 & ~3))[0]["amdhsa.kernels"]
        if kind == 11:
            names = sections[link][4]
            for name, _, _, _, value, _ in cut(data, offset, "<I2BH2Q", size // 24):
                addresses[data[names + name:data.index(b"\0", names + name)].decode()] = value
    kernels = {}
    for note in notes:
        at = addresses[note[".symbol"]]
        kernels[note[".name"]] = Kernel(memory[at:at + 64], base + at, note)
    return kernels, memory
