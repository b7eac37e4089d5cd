"""A decoder of KEYFOLD_animation_stream, written from `docs/stream.md` alone: the document is enough where both decoders agree.

`python3 decode.py STREAM.kfs...` holds what each stream decodes to against `STREAM.bin` beside it and prints a line for each; it exits with 1
where one differs. Names and section numbers are the document's.
"""

import struct
import sys

MASK = 0xFFFFFFFF

PREDICTORS = [
    (0, 0, 0, 0), (8, 0, 0, 0), (16, -8, 0, 0), (24, -24, 8, 0), (12, -4, 0, 0), (10, -2, 0, 0), (14, -6, 0, 0),
    (8, 4, 0, -4), (16, -10, 2, 0), (20, -16, 4, 0), (11, 2, -5, 0), (18, -6, -10, 6), (6, 2, 0, 0), (4, 4, 0, 0),
]  # fmt: skip

# Section 5: what `longer[0]` to `longer[8]` of each kind start with, in 256ths.
LONGER = """
26 9 81 181 168 148 209 168 198
56 7 12 128 128 96 192 64 128
84 13 11 74 112 32 128 128 128
102 17 13 36 80 43 128 128 128
116 29 13 19 119 55 192 64 128
139 53 16 24 32 128 43 128 128
172 90 28 20 25 46 128 192 64
197 131 49 23 38 82 192 58 43
214 164 78 33 26 31 64 32 128
225 191 118 47 28 27 34 213 43
234 210 157 69 37 28 50 89 77
220 215 188 105 49 36 43 128 115
236 226 205 151 65 52 53 73 147
245 235 219 186 94 46 31 33 96
245 238 225 202 146 70 43 35 151
247 242 232 211 187 103 57 35 96
251 244 237 224 197 139 62 44 64
247 245 242 229 217 184 74 60 43
247 239 237 225 220 195 139 57 40
246 239 230 230 223 203 171 99 102
253 242 233 235 209 216 160 153 86
240 229 238 228 200 162 194 189 168
233 244 235 215 194 211 215 225 218
223 245 243 229 214 204 177 163 154
"""

FIRST_KEYS = 23
(CLOCKS, KEYS, ARRAYS, CODING, WIDTH, CLOCK, PREDICTOR, LEFT, RIGHT, STEP, OTHER_STEPS, MULTIPLIER, DIVISOR, EXPONENT) = range(14)

# Section 6: the same for the head's kinds.
HEAD_LONGER = """
247 237 59 37 128 128 128 128 128
214 126 248 248 201 196 181 199 85
247 247 247 247 247 76 142 85 85
56 19 15 128 128 128 128 128 128
248 181 35 12 128 128 128 128 128
40 8 43 128 128 128 128 128 128
230 190 170 120 8 128 128 128 128
162 175 71 25 9 128 128 128 128
170 158 71 8 128 128 128 128 128
243 237 210 173 114 20 18 128 128
8 128 128 128 128 128 128 128 128
248 139 233 189 106 248 248 248 248
248 36 247 247 247 115 238 18 128
219 228 221 204 141 9 85 128 128
"""


class Broken(Exception):
    """The stream is not one."""


def to_signed(number):
    """32 bits as two's complement."""
    number &= MASK
    return number - (1 << 32) if number >> 31 else number


class Probability:
    def __init__(self, set_=32768, seen=0):
        self.set, self.seen = set_, seen

    def learn(self, bit):
        rate = 131072 // (2 * self.seen + 3)
        self.seen = min(self.seen + 1, 59)
        if bit:
            self.set += ((65535 - self.set) * rate) >> 16
        else:
            self.set -= (self.set * rate) >> 16


class Kind:
    """Section 4: the probabilities of one kind of numbers."""

    def __init__(self, longer, below=None, negative=None):
        known = lambda n: Probability() if n is None else Probability(256 * n, 12)
        self.longer = [known(start) for start in longer]
        self.longer += [Probability() for _ in range(32 - len(self.longer))]
        self.below = {length: [known(below) for _ in range(3)] for length in range(2, 9)}
        self.negative = [known(negative) for _ in range(3)]


def kinds_of(table, below=None, negative=None):
    return [Kind([int(n) for n in row.split()], below, negative) for row in table.strip().splitlines()]


class Block:
    """Section 3: the range coder over one block."""

    def __init__(self, data):
        self.data, self.at = data, 0
        self.range = MASK
        self.code = 0
        for _ in range(4):
            self.code = (self.code << 8) | self.next_byte()

    def next_byte(self):
        byte = self.data[self.at] if self.at < len(self.data) else 0
        self.at += 1
        if self.at > len(self.data) + 4:
            raise Broken("a block is truncated")
        return byte

    def normalize(self):
        while self.range < 1 << 24:
            self.range = (self.range << 8) & MASK
            self.code = ((self.code << 8) & MASK) + self.next_byte()

    def bit(self, probability):
        bound = (self.range >> 16) * probability.set
        bit = self.code < bound
        if bit:
            self.range = bound
        else:
            self.code -= bound
            self.range -= bound
        probability.learn(bit)
        self.normalize()
        return int(bit)

    def raw(self, count):
        number = 0
        for _ in range(count):
            self.range >>= 1
            bit = self.code >= self.range
            if bit:
                self.code -= self.range
            number = 2 * number + int(bit)
            self.normalize()
        return number

    def unsigned(self, kind):
        length = 0
        while length < 32 and self.bit(kind.longer[length]):
            length += 1
        if length < 2:
            return length
        below, number = length - 1, 1
        if length <= 8:
            place = 0
            for _ in range(min(below, 2)):
                b = self.bit(kind.below[length][place])
                number = 2 * number + b
                below -= 1
                place = 1 + b
        return (number << below) + self.raw(below)

    def signed(self, kind, s):
        size = self.unsigned(kind)
        if size == 0:
            return 0
        place = 0 if s == 0 else 1 if s > 0 else 2
        return -size if self.bit(kind.negative[place]) else size


class Array:
    """Section 6: what is known of an array."""

    def __init__(self, coding, width, clock, predictor, **others):
        self.coding, self.width, self.clock, self.predictor = coding, width, clock, predictor
        self.__dict__.update(others)
        self.codes = []

    @property
    def codes_per_key(self):
        return 3 if self.coding == 0 else self.width


def within(number, least, most, what):
    number = to_signed(number)
    if not least <= number <= most:
        raise Broken(f"{what} is {number}")
    return number


def read_head(block, segments):
    kinds = kinds_of(HEAD_LONGER)
    u = lambda name: block.unsigned(kinds[name])
    i = lambda name: block.signed(kinds[name], 0)
    last_clock, last_step, last_exponent = 0, 100, -16
    keys = []
    for _ in range(u(CLOCKS)):
        last_keys, counts = 0, []
        for _ in range(segments):
            last_keys = (last_keys + i(KEYS)) & MASK
            counts.append(last_keys)
        keys.append(counts)
    arrays = []
    for _ in range(u(ARRAYS)):
        coding, others = u(CODING), {}
        if coding == 0:
            others["left"] = [within(i(LEFT), -128, 127, "a component of left") for _ in range(3)]
            others["right"] = [within(i(RIGHT), -128, 127, "a component of right") for _ in range(3)]
            last_step = to_signed(last_step + i(STEP))
            steps = [last_step, last_step + i(OTHER_STEPS), last_step + i(OTHER_STEPS)]
            others["steps"] = [within(step, 0, 199, "a step") for step in steps]
        elif coding == 1:
            others["multiplier"], others["divisor"] = u(MULTIPLIER), u(DIVISOR)
            last_exponent = within(last_exponent + i(EXPONENT), -150, 150, "an exponent")
            others["exponent"] = last_exponent
            if others["divisor"] == 0:
                raise Broken("a divisor is 0")
        elif coding > 5:
            raise Broken(f"the coding {coding} is not known")
        width = 4 if coding == 0 else u(WIDTH)
        last_clock = to_signed(last_clock + i(CLOCK))
        predictor = u(PREDICTOR)
        if width == 0 or not 0 <= last_clock < len(keys) or predictor >= len(PREDICTORS):
            raise Broken("an array's width, clock or predictor is none")
        arrays.append(Array(coding, width, last_clock, predictor, **others))
    return keys, arrays


def kind_of(expected):
    e = expected >> 3
    n = e.bit_length()
    kind = n if n < 2 else 2 * n - 2 + ((e >> (n - 2)) & 1)
    return min(kind, 22)


def read_codes(block, kinds, array, keys):
    """Section 5: the codes of an array in a segment."""
    width = array.codes_per_key
    a1, a2, a3, a4 = PREDICTORS[array.predictor]
    last, before, average = [0] * width, [0] * width, [0] * width
    code = []
    for k in range(keys):
        beside = [0, 0]
        row = []
        for c in range(width):
            if k == 0:
                predicted, kind, s = 0, FIRST_KEYS, 0
            else:
                x = lambda i: code[max(k - i, 0)][c]
                predicted = (a1 * x(1) + a2 * x(2) + a3 * x(3) + a4 * x(4) + 4) >> 3
                if k == 1:
                    expected, s = 512, 0
                else:
                    expected, s = 8 * abs(last[c]) + 5 * before[c] + 4 * average[c], last[c]
                if c > 0:
                    expected = (7 * expected + 50 * beside[0]) // 8
                if c > 1:
                    expected = (7 * expected + 24 * beside[1]) // 8
                kind = kind_of(expected)
            miss = to_signed(block.signed(kinds[kind], s))
            row.append(to_signed(predicted + miss))
            if k == 1:
                before[c], average[c] = abs(miss), 16 * abs(miss)
            elif k >= 2:
                before[c], average[c] = abs(last[c]), (3 * average[c] + 16 * abs(miss)) // 4
            last[c] = miss
            beside = [abs(miss), beside[0]]
        code.append(row)
    return code


def to_f32(number):
    """Rounded to the nearest float of 32 bits, ties to even; infinite where it is too large."""
    try:
        return struct.pack("<f", number)
    except OverflowError:
        return struct.pack("<f", float("inf") if number > 0 else float("-inf"))


def step_bytes(array, code):
    value = float(code * array.multiplier) / float(array.divisor)
    return to_f32(value * 2.0**array.exponent)


def float_bytes(code):
    return struct.pack("<I", code if code >= 0 else (-1 - code) + (1 << 31))


def turn(n, d):
    s = sum(x * x for x in n)
    return [(it * (1 << 30)) // (d * d + s) for it in (2 * d * n[0], 2 * d * n[1], 2 * d * n[2], d * d - s)]


def product(a, b):
    return [
        (a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1]) >> 30,
        (a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0]) >> 30,
        (a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3]) >> 30,
        (a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]) >> 30,
    ]


def rotation_bytes(array):
    left, right = turn(array.left, 8), turn(array.right, 8)
    column = [product(product(left, [(1 << 30) * (i == j) for i in range(4)]), right) for j in range(4)]
    step = [(8 + n % 8) << (n // 8) for n in array.steps]
    out = bytearray()
    for code in array.codes:
        v = [max(-(1 << 29), min(1 << 29, code[i] * step[i])) for i in range(3)]
        s = sum(x * x for x in v) >> 28
        inverse = (1 << 58) // ((1 << 28) + s)
        x = [2 * v[0], 2 * v[1], 2 * v[2], (1 << 28) - s]
        for j in range(4):
            q = ((sum(x[i] * column[i][j] for i in range(4)) >> 28) * inverse) >> 30
            # Scaling by a power of two is exact: one rounding, from the whole number to the float.
            out += to_f32(struct.unpack("<f", struct.pack("<f", q))[0] * 2.0**-30)
    return bytes(out)


def array_bytes(array):
    """Section 7: an array's codes as the bytes that they stand for."""
    if array.coding == 0:
        return rotation_bytes(array)
    if array.coding == 1:
        each = lambda code: step_bytes(array, code)
    elif array.coding == 2:
        each = float_bytes
    else:
        size = {3: 1, 4: 2, 5: 4}[array.coding]
        each = lambda code: (code & MASK).to_bytes(4, "little")[:size]
    return b"".join(each(code) for row in array.codes for code in row)


def leb128(data, at):
    number = 0
    for i in range(5):
        if at >= len(data):
            raise Broken("the stream ends in its table")
        number |= (data[at] & 0x7F) << (7 * i)
        at += 1
        if data[at - 1] < 0x80:
            if number > MASK:
                raise Broken("a number has more than 32 bits")
            return number, at
    raise Broken("a number has more than five bytes")


def decode(data):
    """Section 2: the bytes that a stream stands for."""
    if data[:1] != b"\xa2":
        raise Broken("the version is not known")
    segments, at = leb128(data, 1)
    if segments == 0:
        raise Broken("there is no segment")
    lengths = []
    for _ in range(segments):
        length, at = leb128(data, at)
        lengths.append(length)
    keys, arrays = None, None
    for segment, length in enumerate(lengths):
        if at + length > len(data):
            raise Broken("a block reaches past the end")
        block = Block(data[at : at + length])
        at += length
        if arrays is None:
            keys, arrays = read_head(block, segments)
        kinds = kinds_of(LONGER, below=115, negative=128)
        for array in arrays:
            array.codes += read_codes(block, kinds, array, keys[array.clock][segment])
        if block.raw(8) != 0x5A:
            raise Broken("a block does not end as it should")
    out = bytearray()
    for array in arrays:
        data = array_bytes(array)
        multiple = 100 if len(data) >= 100 else 4
        out += bytes(-len(out) % multiple)
        out += data
    out += bytes(-len(out) % 4)
    return bytes(out)


def verdict(path):
    """What is to be said about a stream: `same`, or what is wrong."""
    with open(path, "rb") as stream, open(path.removesuffix(".kfs") + ".bin", "rb") as expected:
        try:
            decoded = decode(stream.read())
        except Broken as broken:
            return f"error: {broken}"
        return "same" if decoded == expected.read() else "differs"


def main(paths):
    verdicts = [(path, verdict(path)) for path in paths]
    for path, said in verdicts:
        print(f"{path}: {said}")
    sys.exit(int(any(said != "same" for _, said in verdicts)))


if __name__ == "__main__":
    main(sys.argv[1:])
