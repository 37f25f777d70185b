import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { STRIPPED_FLAGS } from '../runtime/thread-flags.ts';
import {
  childrenOf,
  hostPid,
  passwords,
  procText,
  protectedBytes,
  QPDF,
  samplePdf,
  script,
  withProtector,
} from './fixtures/protector.ts';
import { countInMemory } from './fixtures/memory.ts';
import { findsSound } from './library-check.ts';
import { libraryOf } from './program-library.ts';

const execute = promisify(execFile);
const PDF = samplePdf();

/** Whether the host has a library of qpdf in its memory. */
function hasLibrary(pid: number): boolean {
  return procText(`${pid}/maps`).includes('/libqpdf.so');
}

/** qpdf's description of a file without its random parts: keys, their digests and identifiers. */
async function told(place: string, password: string): Promise<string> {
  const { stdout } = await execute('qpdf', ['--json', `--password=${password}`, place], {
    maxBuffer: 64 * 1024 * 1024,
  });
  const shown = await execute('qpdf', ['--show-encryption', `--password=${password}`, place]);
  const random = /"\/(?:O|OE|U|UE|Perms)": "b:[0-9a-f]+"|"b:[0-9a-f]{32}"/g;
  return stdout.replaceAll(random, '') + shown.stdout;
}

t.test('the library of a program is that of its list of needed libraries', async (t) => {
  const folder = t.testdir();
  t.match(await libraryOf(QPDF), /^libqpdf\.so\.\d+$/);
  t.equal(await libraryOf(script(folder, 'qpdf', `exec ${QPDF} "$@" # libqpdf.so.29`)), null);
  t.equal(await libraryOf(process.execPath), null);
  t.equal(await libraryOf(join(folder, 'none')), null);
});

t.test('library and program make the same file but for what is random', async (t) => {
  const folder = t.testdir();
  const program = script(folder, 'program', `exec ${QPDF} "$@"`);
  const places = [join(folder, 'library.pdf'), join(folder, 'program.pdf')] as const;
  const cases = [true, false].flatMap((print) =>
    [true, false].flatMap((copy) => [true, false].map((modify) => ({ print, copy, modify }))),
  );
  await withProtector({}, (library) =>
    withProtector({ qpdf: program }, async (byProgram) => {
      await library.available();
      for (const permissions of [{}, ...cases]) {
        const protection = { userPassword: 'รหัส-u', ownerPassword: 'o', permissions };
        writeFileSync(places[0], await protectedBytes(library, PDF, protection));
        writeFileSync(places[1], await protectedBytes(byProgram, PDF, protection));
        const [one, other] = await Promise.all(places.map((each) => told(each, 'รหัส-u')));
        t.equal(one, other, JSON.stringify(permissions));
      }
    }),
  );
});

t.test('no process is started for a document where there is a library', async (t) => {
  await withProtector({}, async (protector) => {
    await protector.available();
    const run = { done: false };
    const all = Promise.all(
      Array.from({ length: 40 }, () => protectedBytes(protector, PDF, passwords('u'))),
    ).finally(() => (run.done = true));
    const seen = new Set<number>();
    while (!run.done) {
      for (const pid of childrenOf(hostPid())) seen.add(pid);
      await new Promise(setImmediate);
    }
    await all;
    t.same([...seen], []);
    t.ok(hasLibrary(hostPid()));
  });
});

t.test('another library is refused, and a copy of qpdf has the same library', async (t) => {
  t.notOk(findsSound('libqpdf.so.999'));
  t.notOk(findsSound('libc.so.6'), 'a library without the functions of qpdf');
  const own = await libraryOf(QPDF);
  t.ok(own !== null && findsSound(own), 'the library reads a file that it wrote');
  const place = join(t.testdir(), 'qpdf');
  copyFileSync(QPDF, place);
  await withProtector({ qpdf: place }, async (protector) => {
    await protector.available();
    t.ok((await protector.protect(PDF, passwords('u'))).ok);
    t.ok(hasLibrary(hostPid()), 'a copy of the program elsewhere has the same library');
  });
});

t.test('a crash of the library costs no document', async (t) => {
  await withProtector({ concurrencyMax: 4 }, async (protector) => {
    await protector.available();
    const first = hostPid();
    await protectedBytes(protector, PDF, passwords('u'));
    const outcomes = Array.from({ length: 60 }, () => protector.protect(PDF, passwords('u')));
    await outcomes[3];
    process.kill(first, 'SIGSEGV');
    t.same(
      (await Promise.all(outcomes)).filter(({ ok }) => !ok),
      [],
    );
    t.not(hostPid(), first);
  });
});

t.test('a host whose service is gone ends at once, without ending its threads first', async (t) => {
  const host = fileURLToPath(new URL('host.ts', import.meta.url));
  const child = spawn(process.execPath, [...STRIPPED_FLAGS, host], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const end = once(child, 'exit');
  child.stdio[3]?.destroy();
  t.same(await end, [null, 'SIGKILL']);
});

t.test('the program protects when the library hangs', async (t) => {
  await withProtector({ timeoutMs: 1_000 }, async (protector) => {
    await protector.available();
    await protectedBytes(protector, PDF, passwords('u'));
    const first = hostPid();
    process.kill(first, 'SIGSTOP');
    const outcome = await protector.protect(PDF, passwords('u'));
    t.ok(outcome.ok, outcome.ok ? '' : outcome.message);
    t.not(hostPid(), first);
  });
});

t.test('damaged documents are refused and reach nobody else', async (t) => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (seed >> 8) % below;
  };
  const damaged = Array.from({ length: 300 }, (_, index) => {
    const bytes = Buffer.from(PDF);
    const length = index % 3 === 0 ? random(bytes.length) : bytes.length;
    for (let i = 0; i < 1 + random(30); i++) bytes[random(bytes.length)] = random(256);
    return bytes.subarray(0, length);
  });
  const nested = `%PDF-1.7\n1 0 obj\n${'['.repeat(200_000)}\nendobj\ntrailer << /Root 1 0 R >>\n%%EOF\n`;
  damaged.push(Buffer.from(nested), Buffer.alloc(0), Buffer.alloc(100_000, '<<'));
  await withProtector({}, async (protector) => {
    await protector.available();
    let refused = 0;
    for (let i = 0; i < damaged.length; i += 20) {
      const some = damaged.slice(i, i + 20);
      const outcomes = await Promise.all(
        some.map((each) => protector.protect(each, passwords('u'))),
      );
      for (const outcome of outcomes) if (!outcome.ok) refused++;
      t.ok((await protector.protect(PDF, passwords('u'))).ok, 'a sound one beside them');
    }
    t.ok(refused > 100 && refused < damaged.length, `${refused} refused`);
  });
});

t.test('no password and no string of a document is left in the memory of the host', async (t) => {
  const canary = 'pw-canary-8215-of-this-test';
  await withProtector({}, async (protector) => {
    await protector.available();
    for (let i = 0; i < 20; i++) {
      const some = [0, 1, 2, 3].map((k) =>
        passwords(`${canary}-${i}-${k}`, `${canary}-o${i}-${k}`),
      );
      await Promise.all(some.map((each) => protectedBytes(protector, PDF, each)));
    }
    const pid = hostPid();
    t.ok(hasLibrary(pid));
    t.ok(countInMemory(pid, 'FrameReader') > 0, 'the memory can be read');
    t.equal(countInMemory(pid, canary), 0);
    t.equal(countInMemory(pid, 'titlecanary'), 0);
  });
});
