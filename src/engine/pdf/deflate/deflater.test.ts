import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import {
  canonicalCodes,
  codeLengths,
  DISTANCE_RANGES,
  FIRST_LENGTH,
  LENGTH_RANGES,
  LITERAL_COUNT,
  rangeOf,
} from './codes.ts';
import { Deflater } from './deflater.ts';

const INPUT_MAX = 1 << 17;

/** Contents like those of pages: numbers and operators with much repetition; `seed` varies them. */
function contentOf(bytes: number, seed: number): Uint8Array {
  let state = seed;
  let text = '';
  while (text.length < bytes) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    text += `${state % 600}.${state % 97} ${(state >>> 8) % 800} Td (${(state >>> 4) % 5_000}) Tj\n`;
  }
  return new TextEncoder().encode(text.slice(0, bytes));
}

function randomBytes(bytes: number, seed: number): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length: bytes }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
}

/** The symbols of the kernel's tokens, by its algorithm in plain words. */
function expectedFrequencies(content: Uint8Array): Uint32Array {
  const frequencies = new Uint32Array(316);
  const bytes = Buffer.from(content);
  const places = new Map<number, readonly number[]>();
  const hash = (at: number): number => Math.imul(bytes.readUInt32LE(at), 0x9e3779b1) >>> 19;
  const placesAt = (at: number): readonly number[] => places.get(hash(at)) ?? [0, 0];
  const remember = (at: number): void => {
    if (at + 4 <= bytes.length) places.set(hash(at), [at, placesAt(at)[0]!]);
  };
  const agreeing = (one: number, other: number): number => {
    let length = 0;
    while (length < 258 && bytes[one + length] === bytes[other + length]) {
      if (other + length === bytes.length) break;
      length += 1;
    }
    return length;
  };
  let at = 0;
  while (at < bytes.length) {
    let [length, distance] = [0, 0];
    for (const place of at + 4 <= bytes.length ? placesAt(at) : []) {
      const away = (at - place) & 0xffff;
      const isInside = away > 0 && away <= Math.min(at, 32_768);
      const found = isInside ? agreeing(at - away, at) : 0;
      if (found < 4) break;
      if (found > length) [length, distance] = [found, away];
    }
    remember(at);
    if (length === 0) {
      frequencies[bytes[at]!]! += 1;
      at += 1;
      continue;
    }
    frequencies[FIRST_LENGTH + rangeOf(LENGTH_RANGES, length)]! += 1;
    frequencies[LITERAL_COUNT + rangeOf(DISTANCE_RANGES, distance)]! += 1;
    for (const next of [at + 1, at + 2, at + 3, at + length - 1]) remember(next);
    at += length;
  }
  frequencies[256] = 1;
  return frequencies;
}

const ODD: readonly Uint8Array[] = [
  new Uint8Array(0),
  Uint8Array.of(65),
  new Uint8Array(3),
  new Uint8Array(4),
  new Uint8Array(259),
  new Uint8Array(40_000),
  randomBytes(300, 1),
  randomBytes(70_000, 2),
  randomBytes(INPUT_MAX, 3),
  contentOf(INPUT_MAX, 1),
  contentOf(INPUT_MAX + 1, 1),
  // A match as far away as a window reaches, and one byte beyond it.
  ...[32_768, 32_769].map((away) =>
    Buffer.concat([Buffer.from('abcdefgh'), randomBytes(away - 8, 4), Buffer.from('abcdefgh')]),
  ),
];

/** Kraft's sum: 1 if the codes use all of the space. */
function sum(lengths: Uint8Array): number {
  return lengths.reduce((all, bits) => all + (bits === 0 ? 0 : 2 ** -bits), 0);
}

test('what is inflated is the content', () => {
  const deflater = new Deflater();
  for (const content of ODD) {
    assert.deepEqual(inflateSync(deflater.deflate(content)), Buffer.from(content));
  }
  for (let seed = 1; seed <= 300; seed++) {
    const content = contentOf(400 + ((seed * 7_919) % 20_000), seed);
    assert.deepEqual(inflateSync(deflater.deflate(content)), Buffer.from(content));
  }
  const letters = fc.array(fc.constantFrom(48, 49, 65, 66, 200), { maxLength: 3_000 });
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 3_000 }), letters), (values) => {
      const content = Uint8Array.from(values);
      assert.deepEqual(inflateSync(deflater.deflate(content)), Buffer.from(content));
    }),
    { numRuns: 2_000 },
  );
});

/** The contents of one document, deflated in turn. */
function streamsOf(deflater: Deflater, contents: readonly Uint8Array[]): Buffer[] {
  deflater.begin();
  return contents.map((content) => Buffer.from(deflater.deflate(content)));
}

test('the bytes depend on the document alone', () => {
  const used = new Deflater();
  const documents = [ODD, ...ODD.map((content) => [content]), ODD.toReversed()];
  for (const contents of documents) {
    assert.deepEqual(streamsOf(used, contents), streamsOf(new Deflater(), contents));
  }
});

test('the later pages of a long document get codes that suit them', () => {
  const deflater = new Deflater();
  const pages = Array.from({ length: 6 }, (_, seed) => contentOf(9_000, seed + 1));
  const streams = streamsOf(deflater, pages);
  const [fifth] = streamsOf(deflater, [pages[4]!]);
  assert.ok(streams[4]!.length < 0.97 * fifth!.length, 'shorter than as the first of a document');
  streams.forEach((stream, index) =>
    assert.deepEqual(inflateSync(stream), Buffer.from(pages[index]!)),
  );
});

test('places stay right when their numbers begin anew after two gigabytes', () => {
  const used = new Deflater();
  const zeros = new Uint8Array(INPUT_MAX);
  for (let bytes = 0; bytes < 0x8200_0000; bytes += INPUT_MAX) used.frequencies(zeros);
  const content = contentOf(20_000, 7);
  assert.deepEqual(
    Buffer.from(used.deflate(content)),
    Buffer.from(new Deflater().deflate(content)),
  );
});

test('the kernel finds the matches of its algorithm', () => {
  const deflater = new Deflater();
  const contents = [...ODD.filter(({ length }) => length <= INPUT_MAX), contentOf(30_000, 5)];
  for (const content of contents) {
    assert.deepEqual(deflater.frequencies(content), expectedFrequencies(content));
  }
});

test('the kernel is compiled from its source', () => {
  const folder = new URL('kernel/', import.meta.url);
  const lines = readFileSync(new URL('kernel.sha256', folder), 'utf8').trimEnd().split('\n');
  assert.equal(lines.length, 2);
  for (const line of lines) {
    const [digest, name] = line.split('  ');
    const bytes = readFileSync(new URL(name!, folder));
    const message = `${name}: run node scripts/make-kernels.ts`;
    assert.equal(createHash('sha256').update(bytes).digest('hex'), digest, message);
  }
});

test('an odd content gets codes of its own, an incompressible one none', () => {
  const deflater = new Deflater();
  // Six letters that are rare in pages, equally likely: 2.6 bits each.
  const odd = randomBytes(20_000, 9).map((byte) => 0xf0 + (byte % 6));
  assert.ok(deflater.deflate(odd).length < 8_000);
  const random = randomBytes(100_000, 9);
  assert.equal(deflater.deflate(random).length, 2 + 2 * 5 + 100_000 + 4);
});

test('codes are prefix codes of at most the bits allowed, and those of Huffman if they fit', () => {
  assert.deepEqual([...codeLengths([5, 0, 1, 1, 2], 15)], [1, 0, 3, 3, 2]);
  assert.deepEqual([...codeLengths([0, 0, 7], 15)], [0, 0, 1]);
  assert.deepEqual([...codeLengths([0, 0], 15)], [1, 0]);
  const fibonacci = [1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377];
  const limited = codeLengths(fibonacci, 7);
  assert.equal(Math.max(...limited), 7);
  assert.equal(sum(limited), 1);
  fc.assert(
    fc.property(fc.array(fc.nat(100_000), { minLength: 2, maxLength: 286 }), (frequencies) => {
      const lengths = codeLengths(frequencies, 11);
      assert.ok(Math.max(...lengths) <= 11);
      const used = frequencies.filter((frequency) => frequency > 0).length;
      if (used > 1) assert.equal(sum(lengths), 1);
      frequencies.forEach((frequency, symbol) => {
        if (used > 0) assert.equal(lengths[symbol]! > 0, frequency > 0);
      });
    }),
  );
  // RFC 1951, §3.2.2: the example, each code with its first bit lowest.
  const codes = canonicalCodes(Uint8Array.of(3, 3, 3, 3, 3, 2, 4, 4));
  assert.deepEqual([...codes], [0b010, 0b110, 0b001, 0b101, 0b011, 0b00, 0b0111, 0b1111]);
});
