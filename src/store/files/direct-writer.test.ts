import fsp, { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { pageMemory } from '../../runtime/memory/page-memory.ts';
import { StillWriting, StorageUnavailable } from '../terms.ts';
import { uuidv7 } from '../ids.ts';
import { DirectWriter } from './direct-writer.ts';
import { DiskFiles, type FileSystem } from './disk.ts';

const MEGABYTE = 1024 * 1024;
const ID = uuidv7(1_700_000_000_000);

/** Page memory whose neighbouring bytes differ. */
function memory(byteLength: number): Uint8Array {
  const bytes = pageMemory(byteLength);
  for (let index = 0; index < bytes.length; index++) bytes[index] = index % 251;
  return bytes;
}

/** A disk with a handle that takes `counts` bytes, one after the other, and then all. */
function diskOf(...counts: readonly (number | string)[]) {
  const calls: [length: number, position: number][] = [];
  const rest = [...counts];
  let opened = 0;
  let closed = 0;
  const write = async (_bytes: Uint8Array, _offset: number, length: number, position: number) => {
    calls.push([length, position]);
    const taken = rest.shift() ?? length;
    if (typeof taken === 'string') throw Object.assign(new Error(taken), { code: taken });
    return { bytesWritten: taken };
  };
  const close = async () => {
    closed += 1;
  };
  const open = async () => {
    opened += 1;
    return { write, close };
  };
  return { open, calls, counts: () => ({ opened, closed }) };
}

await t.test('pieces that follow each other are one write, to the last whole page', async (t) => {
  const disk = diskOf();
  const bytes = memory(4 * MEGABYTE);
  const pieces = [bytes.subarray(0, 700_001), bytes.subarray(700_001, 2_000_000)];
  t.equal(await new DirectWriter(disk.open).write('/file', pieces), 1_998_848);
  t.strictSame(disk.calls, [[1_998_848, 0]]);
  t.strictSame(disk.counts(), { opened: 1, closed: 1 });
});

await t.test('a piece elsewhere ends them', async (t) => {
  const disk = diskOf();
  const bytes = memory(4 * MEGABYTE);
  const first = bytes.subarray(0, MEGABYTE + 5);
  const gap = [first, bytes.subarray(2 * MEGABYTE)];
  const other = [first, memory(2 * MEGABYTE).subarray(MEGABYTE + 5)];
  t.equal(await new DirectWriter(disk.open).write('/file', gap), MEGABYTE);
  t.equal(await new DirectWriter(disk.open).write('/file', other), MEGABYTE);
});

await t.test('other memory, small files and none are left to the page cache', async (t) => {
  const disk = diskOf();
  const writer = new DirectWriter(disk.open);
  t.equal(await writer.write('/file', [new Uint8Array(2 * MEGABYTE)]), 0);
  t.equal(await writer.write('/file', [memory(4 * MEGABYTE).subarray(16)]), 0);
  t.equal(await writer.write('/file', [memory(MEGABYTE).subarray(0, MEGABYTE - 1)]), 0);
  t.equal(await writer.write('/file', []), 0);
  t.strictSame(disk.counts(), { opened: 0, closed: 0 });
});

await t.test('a disk that takes less goes on from there', async (t) => {
  const pages = diskOf(8_192);
  const bytes = memory(MEGABYTE);
  t.equal(await new DirectWriter(pages.open).write('/file', [bytes]), MEGABYTE);
  t.strictSame(pages.calls, [
    [MEGABYTE, 0],
    [MEGABYTE - 8_192, 8_192],
  ]);
  const odd = diskOf(8_192, 100);
  t.equal(await new DirectWriter(odd.open).write('/file', [bytes]), 8_292);
  const nothing = diskOf(4_096, 0);
  t.equal(await new DirectWriter(nothing.open).write('/file', [bytes]), 4_096);
});

await t.test('a disk that refuses is asked once; another fault is thrown', async (t) => {
  const refusing = diskOf(4_096, 'EINVAL');
  const writer = new DirectWriter(refusing.open);
  t.equal(await writer.write('/file', [memory(MEGABYTE)]), 4_096);
  t.equal(await writer.write('/file', [memory(MEGABYTE)]), 0);
  t.strictSame(refusing.counts(), { opened: 1, closed: 1 });
  const full = diskOf('ENOSPC');
  await t.rejects(new DirectWriter(full.open).write('/file', [memory(MEGABYTE)]), {
    code: 'ENOSPC',
  });
  t.strictSame(full.counts(), { opened: 1, closed: 1 });
});

/** The real disk, except that it opens files for direct writes as `openDirect` does. */
function withDirect(openDirect: FileSystem['open']): FileSystem {
  const open: FileSystem['open'] = (path, flags, mode) =>
    typeof flags === 'number' && flags !== fsp.constants.O_RDONLY
      ? openDirect(path, flags, mode)
      : fsp.open(path, flags, mode);
  return { ...fsp, open };
}

const SYSTEMS: readonly [name: string, fs: FileSystem][] = [
  ['the disk of this machine', fsp],
  [
    'a disk that refuses to open',
    withDirect(async () => {
      throw Object.assign(new Error('refused'), { code: 'EINVAL' });
    }),
  ],
];
for (const [name, fs] of SYSTEMS) {
  await t.test(`a file is whole on ${name}`, async (t) => {
    const root = t.testdir();
    const bytes = memory(16 * MEGABYTE);
    const files = new DiskFiles({ root, timeoutMs: 60_000, putsMax: 1 }, fs);
    for (const byteLength of [MEGABYTE, MEGABYTE + 1, 8_000_001, 16 * MEGABYTE]) {
      const inMiddle = 400_000;
      const pieces = [bytes.subarray(0, inMiddle), bytes.subarray(inMiddle, byteLength)];
      await files.put(ID, [...pieces, Buffer.from('the end')], 'run');
      const path = join(root, ID.slice(0, 5), ID.slice(5, 8), `${ID}.run`);
      const expected = Buffer.concat([bytes.subarray(0, byteLength), Buffer.from('the end')]);
      t.ok(expected.equals(await readFile(path)), `${byteLength} bytes`);
    }
  });
}

await t.test('a full disk leaves no file', async (t) => {
  const root = t.testdir();
  const full = withDirect(async () => {
    throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  });
  const files = new DiskFiles({ root, timeoutMs: 60_000, putsMax: 1 }, full);
  const failure = await files.put(ID, memory(MEGABYTE), 'run').catch((error: unknown) => error);
  t.ok(failure instanceof StorageUnavailable && !(failure instanceof StillWriting));
  const left = await fsp.readdir(root, { recursive: true, withFileTypes: true });
  t.strictSame(
    left.filter((entry) => entry.isFile()),
    [],
  );
});

await t.test('a disk that hangs may still read the bytes, and the error says so', async (t) => {
  const hanging = withDirect(async () => new Promise(() => undefined));
  const files = new DiskFiles({ root: t.testdir(), timeoutMs: 50, putsMax: 1 }, hanging);
  const failure = await files.put(ID, memory(MEGABYTE), 'run').catch((error: unknown) => error);
  t.ok(failure instanceof StillWriting);
});
