# Reads phrases from standard input, one a line, and writes the offsets at which libthai lets a line
# break, separated by spaces, one line a phrase.
import ctypes
import sys

lib = ctypes.CDLL("libthai.so.0")
POSITIONS_MAX = 4096
positions = (ctypes.c_int * POSITIONS_MAX)()
for line in sys.stdin.buffer.read().decode("utf-8").split("\n"):
    encoded = line.encode("tis-620", "replace")
    count = lib.th_brk(encoded, positions, ctypes.c_size_t(POSITIONS_MAX))
    print(" ".join(str(positions[index]) for index in range(count)))
