# SPDX-License-Identifier: Apache-2.0
"""What tests/amd/device.c asks of an AMD device: programs compiled, kernels run.

  emulate.py SOCKET PROCESSOR WAVE [SEED]

A message is its length in four bytes and its text, each way. The answer begins with "ok" or "no".
  memory PATH BYTES               the file whose pages hold the buffers of each launch
  build OPTIONS \\0 SOURCE         -> ok NUMBER, and a line for each kernel
  launch NUMBER KERNEL GX GY GZ LX LY LZ OX OY OZ ARGUMENT...
     an argument: gPLACE in the memory, or g- for NULL; vHEX; lBYTES of local memory
"""
import contextlib
import ctypes
import mmap
import os
import socket
import struct
import sys
import time

import compile as compiler
import waves



class Device:
    def __init__(self, processor, wave, seed):
        self.processor, self.wave, self.seed = processor, wave, seed
        self.architecture = waves.ARCHITECTURES[processor]
        waves.gaps.fill(processor, wave)
        self.programs = []
        self.known = {}
        self.memory = self.base = None
        self.launches = self.steps = 0

    def map_memory(self, path, size):
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), int(size))
        self.base = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))

    def build(self, options, source):
        key = options, source
        if key not in self.known:
            file, said = compiler.compile_source(self.processor, self.wave, options, source)
            if file is None:
                return "no " + said
            kernels, kept = compiler.load(file)
            self.known[key] = len(self.programs)
            self.programs.append((kernels, kept, waves.Steps(self.architecture)))
        kernels = self.programs[self.known[key]][0]
        lines = [f"{name} {kernel.described()}" for name, kernel in kernels.items()]
        return f"ok {self.known[key]}\n" + "\n".join(lines) + "\n"

    def argument_bytes(self, kernel, given, sizes):
        """The kernel's argument segment: its own, and what the compiler added."""
        total, local, offset = sizes
        data = bytearray(kernel.argument_bytes + 256)
        local_place = kernel.local_bytes
        given = iter(given)
        for argument in kernel.arguments:
            kind, at, size = argument[".value_kind"], argument[".offset"], argument[".size"]
            value = self.hidden(kind, total, local, offset)
            if kind == "dynamic_shared_pointer":
                value = local_place = (local_place + 15) & ~15
                local_place += int(next(given)[1:])
            elif not kind.startswith("hidden"):
                value = self.own(next(given))
            data[at:at + size] = value if isinstance(value, bytes) else value.to_bytes(size, "little")
        if local_place > waves.gaps.LOCAL_BYTES:
            raise waves.Stopped(f"{local_place} bytes of local memory")
        return data

    @staticmethod
    def hidden(kind, total, local, offset):
        if kind[:-1] in ("hidden_block_count_", "hidden_group_size_", "hidden_remainder_", "hidden_global_offset_"):
            axis = "xyz".index(kind[-1])
            return {"hidden_block_count_": total[axis] // local[axis], "hidden_group_size_": local[axis],
                    "hidden_remainder_": total[axis] % local[axis], "hidden_global_offset_": offset[axis]}[kind[:-1]]
        return 3 if kind == "hidden_grid_dims" else 0

    def own(self, text):
        if text[0] == "v":
            return bytes.fromhex(text[1:])
        return 0 if text == "g-" else self.base + int(text[1:])

    def launch(self, number, name, *words):
        sizes = [int(word) for word in words[:9]]
        total, local, offset = sizes[:3], sizes[3:6], sizes[6:]
        kernels, _, steps = self.programs[int(number)]
        kernel = kernels[name]
        arguments = (ctypes.c_char * (kernel.argument_bytes + 256)).from_buffer(
            self.argument_bytes(kernel, words[9:], (total, local, offset)))
        packet = ctypes.create_string_buffer(waves.packet_words(total, local), 64)
        launch = waves.Launch(kernel, self.architecture, self.wave, steps, ctypes.addressof(arguments),
                              ctypes.addressof(packet), total, local)
        began = time.time()
        count = launch.run(self.seed + self.launches)
        self.launches += 1
        self.steps += count
        if "CLADE_AMD_TELL" in os.environ:
            print(f"{name} {total[0]}/{local[0]}: {count} instructions, {time.time() - began:.2f} s", file=sys.stderr,
                  flush=True)
        return "ok"

    def answer(self, message):
        word, _, rest = message.partition(" ")
        try:
            if word == "memory":
                self.map_memory(*rest.split(" "))
                return "ok"
            if word == "build":
                return self.build(*rest.split("\0", 1))
            return self.launch(*rest.split(" "))
        except Exception as error:  # the program that asked is told, and fails
            if "CLADE_AMD_TELL" in os.environ:
                import traceback
                traceback.print_exc()
            return f"no {type(error).__name__}: {error}"


def receive(connection, size):
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            return None
        data += part
    return data


def serve(device, connection):
    while (head := receive(connection, 4)) is not None:
        message = receive(connection, struct.unpack("<I", head)[0])
        said = device.answer(message.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        connection.sendall(struct.pack("<I", len(said)) + said)


def main():
    path, processor, wave, *seed = sys.argv[1:]
    device = Device(processor, int(wave), int(seed[0]) if seed else 0)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    while True:
        connection, _ = listener.accept()
        with connection, contextlib.suppress(OSError):  # of a program that was ended
            serve(device, connection)


if __name__ == "__main__":
    main()
