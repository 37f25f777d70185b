import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync, inflateSync } from 'node:zlib';
import { Deflater } from './deflater.ts';

const SETTINGS = { level: 1, windowBits: 13, memLevel: 7 };

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

test('a deflated content has the bytes of deflateSync, whatever was deflated before', () => {
  const deflater = new Deflater(SETTINGS);
  for (let seed = 1; seed <= 300; seed++) {
    const content = contentOf(400 + ((seed * 7_919) % 20_000), seed);
    assert.deepEqual(Buffer.from(deflater.deflate(content)), deflateSync(content, SETTINGS));
  }
});

test('contents at the limits are deflated as a whole: none, incompressible, long ones', () => {
  const deflater = new Deflater(SETTINGS);
  const random = new Uint8Array(1 << 17);
  let state = 1;
  for (let at = 0; at < random.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    random[at] = state >>> 24;
  }
  for (const content of [new Uint8Array(0), random, contentOf((1 << 17) + 1, 1)]) {
    assert.deepEqual(inflateSync(deflater.deflate(content)), Buffer.from(content));
  }
});
