#!/usr/bin/env python3
"""A decoder of KEYFOLD_animation_stream, written from `docs/stream.md` alone: the document is enough where both decoders agree.

    python3 decode.py STREAM.kfs...

holds what each stream decodes to against `STREAM.bin` beside it, and prints a line `NAME: same` or `NAME: differs at byte N` for each. The exit code is 1 where one differs. Names and
section numbers are the document's.
"""

import struct
import sys
from dataclasses import dataclass, field
from pathlib import Path

VERSION = 0xA2
END_OF_BLOCK = 0x5A

# Section 5: the kind of first keys, and the last of the others.
FIRST_KEYS = 23
LAST_KIND = 22

# Section 6: what an array's `coding` says.
ROTATIONS, STEPS, FLOATS = 0, 1, 2
INTEGER_BYTES = {3: 1, 4: 2, 5: 4}

# Section 5: coefficients in eighths.
PREDICTORS = [
    (0, 0, 0, 0),
    (8, 0, 0, 0),
    (16, -8, 0, 0),
    (24, -24, 8, 0),
    (12, -4, 0, 0),
    (10, -2, 0, 0),
    (14, -6, 0, 0),
    (8, 4, 0, -4),
    (16, -10, 2, 0),
    (20, -16, 4, 0),
    (11, 2, -5, 0),
    (18, -6, -10, 6),
    (6, 2, 0, 0),
    (4, 4, 0, 0),
]

# Section 5: what `longer[0]` to `longer[8]` of each kind of codes are known as.
CODE_KINDS = [
    (26, 9, 81, 181, 168, 148, 209, 168, 198),
    (56, 7, 12, 128, 128, 96, 192, 64, 128),
    (84, 13, 11, 74, 112, 32, 128, 128, 128),
    (102, 17, 13, 36, 80, 43, 128, 128, 128),
    (116, 29, 13, 19, 119, 55, 192, 64, 128),
    (139, 53, 16, 24, 32, 128, 43, 128, 128),
    (172, 90, 28, 20, 25, 46, 128, 192, 64),
    (197, 131, 49, 23, 38, 82, 192, 58, 43),
    (214, 164, 78, 33, 26, 31, 64, 32, 128),
    (225, 191, 118, 47, 28, 27, 34, 213, 43),
    (234, 210, 157, 69, 37, 28, 50, 89, 77),
    (220, 215, 188, 105, 49, 36, 43, 128, 115),
    (236, 226, 205, 151, 65, 52, 53, 73, 147),
    (245, 235, 219, 186, 94, 46, 31, 33, 96),
    (245, 238, 225, 202, 146, 70, 43, 35, 151),
    (247, 242, 232, 211, 187, 103, 57, 35, 96),
    (251, 244, 237, 224, 197, 139, 62, 44, 64),
    (247, 245, 242, 229, 217, 184, 74, 60, 43),
    (247, 239, 237, 225, 220, 195, 139, 57, 40),
    (246, 239, 230, 230, 223, 203, 171, 99, 102),
    (253, 242, 233, 235, 209, 216, 160, 153, 86),
    (240, 229, 238, 228, 200, 162, 194, 189, 168),
    (233, 244, 235, 215, 194, 211, 215, 225, 218),
    (223, 245, 243, 229, 214, 204, 177, 163, 154),
]

# Section 6: the same of the head's kinds.
HEAD_KINDS = {
    "CLOCKS": (247, 237, 59, 37, 128, 128, 128, 128, 128),
    "KEYS": (214, 126, 248, 248, 201, 196, 181, 199, 85),
    "ARRAYS": (247, 247, 247, 247, 247, 76, 142, 85, 85),
    "CODING": (56, 19, 15, 128, 128, 128, 128, 128, 128),
    "WIDTH": (248, 181, 35, 12, 128, 128, 128, 128, 128),
    "CLOCK": (40, 8, 43, 128, 128, 128, 128, 128, 128),
    "PREDICTOR": (230, 190, 170, 120, 8, 128, 128, 128, 128),
    "LEFT": (162, 175, 71, 25, 9, 128, 128, 128, 128),
    "RIGHT": (170, 158, 71, 8, 128, 128, 128, 128, 128),
    "STEP": (243, 237, 210, 173, 114, 20, 18, 128, 128),
    "OTHER_STEPS": (8, 128, 128, 128, 128, 128, 128, 128, 128),
    "MULTIPLIER": (248, 139, 233, 189, 106, 248, 248, 248, 248),
    "DIVISOR": (248, 36, 247, 247, 247, 115, 238, 18, 128),
    "EXPONENT": (219, 228, 221, 204, 141, 9, 85, 128, 128),
}


class Broken(Exception):
    """A stream that is not one."""


def require(holds, otherwise):
    if not holds:
        raise Broken(otherwise)


def unsigned32(number):
    return number % 2**32


def signed32(number):
    return (number + 2**31) % 2**32 - 2**31


# Section 2: a stream


def read_leb128(data, at):
    """The number at a place, and the place behind it."""
    number = 0
    for i in range(5):
        require(at + i < len(data), "the stream ends within a number")
        byte = data[at + i]
        number |= (byte & 0x7F) << (7 * i)
        if byte < 0x80:
            require(number < 2**32, "a number of more than 32 bits")
            return number, at + i + 1
    raise Broken("a number of more than five bytes")


def read_blocks(data):
    require(data[:1] == bytes([VERSION]), "not a stream of this version")
    segments, at = read_leb128(data, 1)
    require(1 <= segments <= len(data), "no number of segments")
    lengths = []
    for _ in range(segments):
        length, at = read_leb128(data, at)
        lengths.append(length)
    blocks = []
    for length in lengths:
        require(at + length <= len(data), "the stream ends within a block")
        blocks.append(data[at : at + length])
        at += length
    return blocks


def decode(data):
    """The bytes that a stream stands for."""
    blocks = read_blocks(data)
    coders = [RangeDecoder(block) for block in blocks]
    arrays = read_head(coders[0], len(blocks), len(data))
    for segment, coder in enumerate(coders):
        kinds = [code_kind(known) for known in CODE_KINDS]
        for array in arrays:
            array.codes += read_codes(coder, kinds, array, array.keys[segment])
        require(coder.raw(8) == END_OF_BLOCK, "a block does not end as it should")
    return lay_out(arrays)


# Section 3: the range coder


@dataclass
class Probability:
    set: int = 32768
    seen: int = 0

    def learn(self, bit):
        rate = 131072 // (2 * self.seen + 3)
        self.seen = min(self.seen + 1, 59)
        if bit:
            self.set += ((65535 - self.set) * rate) >> 16
        else:
            self.set -= (self.set * rate) >> 16


def known_as(n):
    return Probability(set=256 * n, seen=12)


class RangeDecoder:
    def __init__(self, block):
        self.block = block
        self.at = 0
        self.range = 0xFFFFFFFF
        self.code = 0
        for _ in range(4):
            self.code = self.code * 2**8 + self.next_byte()

    def next_byte(self):
        byte = self.block[self.at] if self.at < len(self.block) else 0
        self.at += 1
        require(self.at <= len(self.block) + 4, "a block is truncated")
        return byte

    def normalize(self):
        while self.range < 2**24:
            self.range = unsigned32(self.range * 2**8)
            self.code = unsigned32(self.code * 2**8) + self.next_byte()

    def bit(self, p):
        bound = (self.range >> 16) * p.set
        if self.code < bound:
            bit = 1
            self.range = bound
        else:
            bit = 0
            self.code -= bound
            self.range -= bound
        p.learn(bit)
        self.normalize()
        return bit

    def raw(self, n):
        bits = 0
        for _ in range(n):
            self.range >>= 1
            bit = 0
            if self.code >= self.range:
                bit = 1
                self.code -= self.range
            bits = 2 * bits + bit
            self.normalize()
        return bits

    # Section 4: numbers

    def unsigned(self, kind):
        length = 0
        while length < 32 and self.bit(kind.longer[length]):
            length += 1
        if length < 2:
            return length
        below = length - 1
        number = 1
        if length <= 8:
            place = 0
            for _ in range(min(below, 2)):
                b = self.bit(kind.below[length][place])
                number = 2 * number + b
                below -= 1
                place = 1 + b
        return number * 2**below + self.raw(below)

    def signed(self, kind, s):
        size = self.unsigned(kind)
        if size == 0:
            return 0
        if s == 0:
            place = 0
        else:
            place = 1 if s > 0 else 2
        return signed32(-size if self.bit(kind.negative[place]) else size)


@dataclass
class Kind:
    longer: list
    below: dict
    negative: list


def head_kind(known):
    return Kind(
        longer=[known_as(n) for n in known] + [Probability() for _ in range(len(known), 32)],
        below={length: [Probability() for _ in range(3)] for length in range(2, 9)},
        negative=[Probability() for _ in range(3)],
    )


def code_kind(known):
    kind = head_kind(known)
    kind.below = {length: [known_as(115) for _ in range(3)] for length in range(2, 9)}
    kind.negative = [known_as(128) for _ in range(3)]
    return kind


# Section 5: the codes of an array


def predict(predictor, codes, c):
    """What the next key's code is likely to be, from those of the keys before it."""
    k = len(codes)
    total = 4
    for i, coefficient in enumerate(PREDICTORS[predictor], start=1):
        total += coefficient * codes[max(k - i, 0)][c]
    return total >> 3


def kind_of(expected):
    e = expected >> 3
    n = e.bit_length()
    if n < 2:
        return n
    return min(2 * n - 2 + (e >> (n - 2) & 1), LAST_KIND)


@dataclass
class Component:
    """What is remembered of the misses of one component."""

    last: int = 0
    before: int = 0
    average: int = 0

    def context(self, k, c, beside):
        """The number of a kind, and s."""
        if k == 0:
            return FIRST_KEYS, 0
        if k == 1:
            expected, s = 512, 0
        else:
            expected, s = 8 * abs(self.last) + 5 * self.before + 4 * self.average, self.last
        if c > 0:
            expected = (7 * expected + 50 * beside[0]) // 8
        if c > 1:
            expected = (7 * expected + 24 * beside[1]) // 8
        return kind_of(expected), s

    def remember(self, k, miss):
        if k == 1:
            self.before = abs(miss)
            self.average = 16 * abs(miss)
        if k >= 2:
            self.before = abs(self.last)
            self.average = (3 * self.average + 16 * abs(miss)) // 4
        self.last = miss


def read_codes(coder, kinds, array, keys):
    """The codes of an array in one segment, key by key."""
    components = [Component() for _ in range(array.codes_at_key)]
    codes = []
    for k in range(keys):
        beside = [0, 0]
        key = []
        for c, component in enumerate(components):
            kind, s = component.context(k, c, beside)
            predicted = predict(array.predictor, codes, c) if k > 0 else 0
            miss = coder.signed(kinds[kind], s)
            key.append(signed32(predicted + miss))
            component.remember(k, miss)
            beside = [abs(miss), beside[0]]
        codes.append(key)
    return codes


# Section 6: the head


@dataclass
class Array:
    coding: int
    left: list = field(default_factory=list)
    right: list = field(default_factory=list)
    steps: list = field(default_factory=list)
    multiplier: int = 0
    divisor: int = 1
    exponent: int = 0
    width: int = 4
    keys: list = field(default_factory=list)
    predictor: int = 0
    codes: list = field(default_factory=list)

    @property
    def codes_at_key(self):
        return 3 if self.coding == ROTATIONS else self.width


class HeadReader:
    def __init__(self, coder):
        self.coder = coder
        self.kinds = {name: head_kind(known) for name, known in HEAD_KINDS.items()}
        self.last_clock = 0
        self.last_step = 100
        self.last_exponent = -16

    def u(self, name):
        return self.coder.unsigned(self.kinds[name])

    def i(self, name):
        return self.coder.signed(self.kinds[name], 0)

    def read_clock(self, segments):
        """The numbers of keys in each segment."""
        last_keys = 0
        keys = []
        for _ in range(segments):
            last_keys = unsigned32(last_keys + self.i("KEYS"))
            keys.append(last_keys)
        return keys

    def read_array(self, clocks):
        array = Array(coding=self.u("CODING"))
        if array.coding == ROTATIONS:
            self.read_rotations(array)
        elif array.coding == STEPS:
            self.read_steps(array)
        else:
            require(array.coding == FLOATS or array.coding in INTEGER_BYTES, "no such coding")
        if array.coding != ROTATIONS:
            array.width = self.u("WIDTH")
            require(array.width != 0, "an array without width")
        self.last_clock = signed32(self.last_clock + self.i("CLOCK"))
        require(0 <= self.last_clock < len(clocks), "no such clock")
        array.keys = clocks[self.last_clock]
        array.predictor = self.u("PREDICTOR")
        require(array.predictor < len(PREDICTORS), "no such predictor")
        return array

    def read_rotations(self, array):
        array.left = [self.i("LEFT") for _ in range(3)]
        array.right = [self.i("RIGHT") for _ in range(3)]
        require(all(-128 <= n <= 127 for n in array.left + array.right), "no such middle or axes")
        self.last_step = signed32(self.last_step + self.i("STEP"))
        others = [self.i("OTHER_STEPS") for _ in range(2)]
        array.steps = [self.last_step] + [signed32(self.last_step + other) for other in others]
        require(all(0 <= n <= 199 for n in array.steps), "no such step")

    def read_steps(self, array):
        array.multiplier = self.u("MULTIPLIER")
        array.divisor = self.u("DIVISOR")
        require(array.divisor != 0, "a division by zero")
        self.last_exponent = signed32(self.last_exponent + self.i("EXPONENT"))
        require(-150 <= self.last_exponent <= 150, "no such exponent")
        array.exponent = self.last_exponent


def read_head(coder, segments, stream_bytes):
    """All arrays, without codes. Counts are held against the limits of section 8."""
    most = max(64, 8 * stream_bytes)
    head = HeadReader(coder)
    number_of_clocks = head.u("CLOCKS")
    require(number_of_clocks * segments <= most, "too many numbers of keys")
    clocks = [head.read_clock(segments) for _ in range(number_of_clocks)]
    number_of_arrays = head.u("ARRAYS")
    require(number_of_arrays <= most, "too many arrays")
    arrays = [head.read_array(clocks) for _ in range(number_of_arrays)]
    values = sum(sum(array.keys) * array.width for array in arrays)
    require(values <= max(1_000_000, 256 * stream_bytes), "too many values")
    return arrays


# Section 7: from codes to bytes


def round_up(place, multiple):
    return -(-place // multiple) * multiple


def lay_out(arrays):
    out = bytearray()
    for array in arrays:
        data = array_bytes(array)
        start = round_up(len(out), 100 if len(data) >= 100 else 4)
        out += bytes(start - len(out)) + data
    return bytes(out) + bytes(round_up(len(out), 4) - len(out))


def array_bytes(array):
    if array.coding == ROTATIONS:
        rotation = Rotation(array)
        return b"".join(rotation.quaternion(key) for key in array.codes)
    codes = [code for key in array.codes for code in key]
    if array.coding == STEPS:
        return b"".join(step_bytes(array, code) for code in codes)
    if array.coding == FLOATS:
        return b"".join(float_bytes(code) for code in codes)
    size = INTEGER_BYTES[array.coding]
    return b"".join((code % 2 ** (8 * size)).to_bytes(size, "little") for code in codes)


def float_bytes(code):
    bits = code if code >= 0 else (-1 - code) + 2**31
    return struct.pack("<I", bits)


def nearest_float(double):
    """The bytes of the nearest float, infinite where it is too large."""
    try:
        return struct.pack("<f", double)
    except OverflowError:
        return struct.pack("<f", float("inf") if double > 0 else float("-inf"))


def step_bytes(array, code):
    product = float(code * array.multiplier)
    return nearest_float(product / float(array.divisor) * 2.0**array.exponent)


def turn(n, d):
    s = n[0] ** 2 + n[1] ** 2 + n[2] ** 2
    parts = (2 * d * n[0], 2 * d * n[1], 2 * d * n[2], d**2 - s)
    return [(it * 2**30) // (d**2 + s) for it in parts]


def product(a, b):
    x = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1]
    y = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0]
    z = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3]
    w = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]
    return [x >> 30, y >> 30, z >> 30, w >> 30]


def step(n):
    return (8 + n % 8) * 2 ** (n // 8)


class Rotation:
    """The middle, the axes and the steps of an array of rotations."""

    def __init__(self, array):
        left = turn(array.left, 8)
        right = turn(array.right, 8)
        self.columns = []
        for j in range(4):
            e = [2**30 if i == j else 0 for i in range(4)]
            self.columns.append(product(product(left, e), right))
        self.steps = [step(n) for n in array.steps]

    def quaternion(self, codes):
        v = [max(-(2**29), min(code * size, 2**29)) for code, size in zip(codes, self.steps)]
        s = (v[0] ** 2 + v[1] ** 2 + v[2] ** 2) >> 28
        inverse = 2**58 // (2**28 + s)
        x = (2 * v[0], 2 * v[1], 2 * v[2], 2**28 - s)
        out = b""
        for j in range(4):
            total = sum(x[i] * self.columns[i][j] for i in range(4))
            out += nearest_float(((total >> 28) * inverse >> 30) * 2.0**-30)
        return out


# The command


def first_difference(a, b):
    """The place of the first byte that differs, None where all are the same."""
    for place, (x, y) in enumerate(zip(a, b)):
        if x != y:
            return place
    return None if len(a) == len(b) else min(len(a), len(b))


def check(path):
    """Whether a stream decodes to the bytes beside it, and says so."""
    try:
        decoded = decode(path.read_bytes())
    except Broken as why:
        print(f"{path.stem}: broken: {why}")
        return False
    place = first_difference(decoded, path.with_suffix(".bin").read_bytes())
    print(f"{path.stem}: same" if place is None else f"{path.stem}: differs at byte {place}")
    return place is None


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    results = [check(Path(name)) for name in sys.argv[1:]]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
