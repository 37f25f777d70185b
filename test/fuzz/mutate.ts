import type { Random } from '../../lab/fuzz-random.ts';

/** Inputs are cut to this size: the service takes no larger body. */
export const INPUT_BYTES_MAX = 1024 * 1024;

const EDGES = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0xffffffff];

type Mutation = (
  bytes: Buffer,
  random: Random,
  dictionary: readonly Buffer[],
  other: Buffer,
) => Buffer;

/** Ways to change an input, as AFL's havoc stage does it. */
const MUTATIONS: readonly Mutation[] = [
  (bytes, random) => {
    const at = random.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
    return bytes;
  },
  (bytes, random) => {
    bytes[random.below(bytes.length)] = random.below(256);
    return bytes;
  },
  (bytes, random) => {
    const size = random.pick([1, 2, 4], 1);
    if (bytes.length < size) return bytes;
    const value = random.pick(EDGES, 0) % 256 ** size;
    const at = random.below(bytes.length - size + 1);
    if (random.chance(2)) bytes.writeUIntBE(value, at, size);
    else bytes.writeUIntLE(value, at, size);
    return bytes;
  },
  (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  (bytes, random) => {
    const [start, end] = range(bytes, random);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
  },
  (bytes, random) => {
    const [start, end] = range(bytes, random);
    const asked = random.chance(20) ? 1 + random.below(5000) : 1 + random.below(4);
    const times = Math.min(asked, Math.ceil(INPUT_BYTES_MAX / (end - start)));
    const repeated = Array.from({ length: times }, () => bytes.subarray(start, end));
    return Buffer.concat([bytes.subarray(0, end), ...repeated, bytes.subarray(end)]);
  },
  (bytes, random, dictionary) => insert(bytes, random, random.pick(dictionary, Buffer.from('0'))),
  (bytes, random, dictionary) => {
    const token = random.pick(dictionary, Buffer.from('0'));
    const at = random.below(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), token, bytes.subarray(at + token.length)]);
  },
  (bytes, random, _dictionary, other) => {
    const [start, end] = range(other, random);
    return insert(bytes, random, other.subarray(start, end));
  },
  (bytes, random, _dictionary, other) =>
    Buffer.concat([
      bytes.subarray(0, random.below(bytes.length)),
      other.subarray(random.below(other.length)),
    ]),
];

function range(bytes: Buffer, random: Random): readonly [number, number] {
  const start = random.below(bytes.length);
  const length = random.chance(4) ? bytes.length : 40;
  return [start, Math.min(bytes.length, start + 1 + random.below(length))];
}

function insert(bytes: Buffer, random: Random, token: Buffer): Buffer {
  const at = random.below(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), token, bytes.subarray(at)]);
}

/** Makes a new input from one or two known ones by one to eight changes. */
export function mutate(
  known: readonly Buffer[],
  dictionary: readonly Buffer[],
  random: Random,
): Buffer {
  let bytes = Buffer.from(random.pick(known, Buffer.alloc(1)));
  const count = 1 + random.below(random.chance(3) ? 8 : 2);
  for (let i = 0; i < count; i++) {
    if (bytes.length === 0) bytes = Buffer.from([random.below(256)]);
    const mutation = MUTATIONS[random.below(MUTATIONS.length)];
    const other = random.pick(known, bytes);
    if (mutation !== undefined) bytes = Buffer.from(mutation(bytes, random, dictionary, other));
  }
  return bytes.subarray(0, INPUT_BYTES_MAX);
}
