import { execFile } from 'node:child_process';
import { readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { atSomePace } from '../../lab/pace.ts';
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
import { createProtector } from './protector.ts';

const execute = promisify(execFile);

const PDF = samplePdf();

/** Names in the two folders where the host may spool. */
function names(): string[] {
  return ['/dev/shm', tmpdir()].flatMap((place) => readdirSync(place));
}

const AWKWARD = [
  'secret',
  '-',
  '--',
  '-leading',
  '--password=x',
  '@file',
  '@-',
  "it's",
  'say "hi"',
  'back\\slash',
  '$(id)',
  '`id`',
  '%s%n',
  ';rm -rf /',
  '*',
  ' leading and trailing ',
  '    ',
  'รหัสผ่าน',
  'น้ำที่กู้',
  'ก'.repeat(42),
  'e\u0301',
  'é',
  '😀👩‍👩‍👧',
  '/proc/self/fd/4',
  '{"a":1}',
  'a'.repeat(127),
];

t.test('26 awkward passwords open the file in qpdf and mutool, others do not', async (t) => {
  t.equal(AWKWARD.length, 26);
  const folder = t.testdir();
  await withProtector({}, async (protector) => {
    const open = async (password: string, index: number): Promise<void> => {
      const place = join(folder, `${index}.pdf`);
      writeFileSync(place, await protectedBytes(protector, PDF, passwords(password, `o${index}`)));
      const job = join(folder, `${index}.json`);
      writeFileSync(job, JSON.stringify({ inputFile: place, password, check: '' }));
      const checked = await execute('qpdf', [`--job-json-file=${job}`]);
      t.match(checked.stdout, 'No syntax or stream encoding errors', `qpdf ${index}`);
      const shown = await execute('mutool', ['draw', '-q', '-F', 'txt', '-p', password, place]);
      t.match(shown.stdout, 'bodycanary', `mutool ${index}`);
    };
    await Promise.all(AWKWARD.map(open));
    await t.rejects(execute('qpdf', ['--check', '--password=wrong', join(folder, '0.pdf')]));
  });
});

t.test('AES-256 with unencrypted metadata and the requested permissions', async (t) => {
  const folder = t.testdir();
  const place = join(folder, 'a.pdf');
  const show = async (): Promise<string> =>
    (await execute('qpdf', ['--show-encryption', '--password=u', place])).stdout;
  await withProtector({}, async (protector) => {
    const pdf = await protectedBytes(protector, PDF, {
      userPassword: 'u',
      ownerPassword: 'o',
      permissions: { print: false, copy: false, modify: false },
    });
    writeFileSync(place, pdf);
    const text = Buffer.from(pdf).toString('latin1');
    t.match(text, 'xmpcanary');
    t.notMatch(text, 'bodycanary');
    t.notMatch(text, 'titlecanary');
    t.match(text, '/EncryptMetadata false');
    const denied = await show();
    t.match(denied, 'R = 6');
    t.match(denied, 'stream encryption method: AESv3');
    t.match(denied, 'extract for any purpose: not allowed');
    t.match(denied, 'print low resolution: not allowed');
    t.match(denied, 'modify anything: not allowed');
    t.match(denied, 'modify annotations: not allowed');

    writeFileSync(place, await protectedBytes(protector, PDF, passwords('u', 'o')));
    t.notMatch(await show(), 'not allowed');
    // With an owner password alone, the file opens for everybody, with its restrictions.
    const owned = { userPassword: '', ownerPassword: 'o', permissions: { print: false } };
    writeFileSync(place, await protectedBytes(protector, PDF, owned));
    const open = (await execute('qpdf', ['--show-encryption', place])).stdout;
    t.match(open, 'print low resolution: not allowed');
    t.match(open, 'extract for any purpose: allowed');
    // A user password alone stands for the owner's as well.
    writeFileSync(place, await protectedBytes(protector, PDF, passwords('u', '')));
    t.match(await show(), 'Supplied password is owner password');
  });
});

t.test('passwords nobody could use are refused', async (t) => {
  await withProtector({}, async (protector) => {
    for (const password of ['a'.repeat(128), 'ก'.repeat(43), '\ud800']) {
      t.match(await protector.protect(PDF, passwords(password)), {
        ok: false,
        code: 'bad_request',
      });
    }
    t.match(await protector.protect(PDF, passwords('')), { ok: false, code: 'bad_request' });
  });
});

t.test('qpdf that fails, lies or dies never gives a file', async (t) => {
  const folder = t.testdir();
  const fakes = {
    'exits 2 with a good file': `${QPDF} "$@"; exit 2`,
    'says nothing': 'exit 0',
    'gives garbage': 'echo "%PDF-1.7 not really"',
    'gives the input back': 'cat /proc/self/fd/3',
    'gives half the file': `${QPDF} "$@" | head -c 3000`,
    'loses the last bytes': `${QPDF} "$@" | head -c -20`,
    'is killed after its output': `${QPDF} "$@"; kill -9 $$`,
    'encrypts with the older method': `${QPDF} --encrypt a b 128 --use-aes=y -- /proc/self/fd/3 -`,
    'writes without end': 'exec cat /dev/zero',
    'appends an open copy': `${QPDF} "$@"; cat /proc/self/fd/3`,
  };
  for (const [name, lines] of Object.entries(fakes)) {
    const qpdf = script(folder, 'fake', lines);
    await withProtector({ qpdf }, async (protector) => {
      const outcome = await protector.protect(PDF, passwords('u'));
      t.match(outcome, { ok: false, code: 'internal_error' }, name);
      t.notOk('value' in outcome, name);
    });
  }
  const warns = script(folder, 'warns', `${QPDF} "$@"; exit 3`);
  await withProtector({ qpdf: warns }, async (protector) => {
    t.ok((await protector.protect(PDF, passwords('u'))).ok, 'warnings are not a failure');
  });
});

t.test('qpdf that hangs is killed with its children; the next run succeeds', async (t) => {
  const folder = t.testdir();
  const go = join(folder, 'go');
  // Its command line names the folder.
  const child = `sh -c 'sleep 600; :' ${folder}`;
  const hangs = script(folder, 'hangs', `[ -e ${go} ] && exec ${QPDF} "$@"; ${child} & wait`);
  await atSomePace(t, async (pace) => {
    rmSync(go, { force: true });
    const options = { qpdf: hangs, timeoutMs: 150 * pace, concurrencyMax: 1 };
    return withProtector(options, async (protector) => {
      const outcomes = await Promise.all([
        protector.protect(PDF, passwords('u')),
        protector.protect(PDF, passwords('u')),
      ]);
      t.match(outcomes, [{ code: 'internal_error' }, { code: 'internal_error' }]);
      const controller = new AbortController();
      const aborted = protector.protect(PDF, passwords('u'), controller.signal);
      controller.abort();
      t.match(await aborted, { ok: false, code: 'internal_error' });
      writeFileSync(go, '');
      const next = await protector.protect(PDF, passwords('u'));
      t.same(childrenOf(hostPid()), []);
      return next.ok ? '' : `not done in ${options.timeoutMs} ms: ${next.message}`;
    });
  });
  const left = readdirSync('/proc').filter((name) => procText(`${name}/cmdline`).includes(folder));
  t.same(left, [], 'none of its processes is left');
});

t.test('qpdf may come and go', async (t) => {
  const qpdf = join(t.testdir(), 'qpdf');
  await withProtector({ qpdf }, async (protector) => {
    t.equal(await protector.available(), false);
    t.match(await protector.protect(PDF, passwords('u')), { code: 'protection_unavailable' });
    symlinkSync(QPDF, qpdf);
    t.equal(await protector.available(), true);
    t.ok((await protector.protect(PDF, passwords('u'))).ok);
    rmSync(qpdf);
    t.equal(await protector.available(), false);
    t.match(await protector.protect(PDF, passwords('u')), { code: 'protection_unavailable' });
  });
  await withProtector({}, async (protector) => t.equal(await protector.available(), true));
  await withProtector({ qpdf: 'no-such-qpdf' }, async (protector) =>
    t.equal(await protector.available(), false),
  );
});

t.test('a host that dies is replaced, and the next one protects its documents', async (t) => {
  const folder = t.testdir();
  const once = `[ -e ${folder}/second ] || { : > ${folder}/second; kill -9 $PPID; exit 1; }`;
  const qpdf = script(folder, 'once', `${once}; exec ${QPDF} "$@"`);
  await withProtector({ qpdf }, async (protector) => {
    const first = hostPid();
    t.ok((await protector.protect(PDF, passwords('u'))).ok);
    t.not(hostPid(), first);
  });
  const always = script(folder, 'always', 'kill -9 $PPID');
  await withProtector({ qpdf: always }, async (protector) => {
    t.match(await protector.protect(PDF, passwords('u')), { code: 'internal_error' });
  });
});

t.test('no argument, environment or file name shows a password or page text', async (t) => {
  const folder = t.testdir();
  const secret = 'pw-canary-4711';
  // It runs until the poll has seen it.
  const seen = join(folder, 'seen');
  const untilSeen = `while [ ! -e ${seen} ]; do sleep 0.05; done`;
  const slow = script(folder, 'slow', `${untilSeen}; exec ${QPDF} "$@"`);
  await withProtector({ qpdf: slow }, async (protector) => {
    const before = new Set(names());
    const run = { done: false };
    const outcome = protector.protect(PDF, passwords(secret)).finally(() => (run.done = true));
    let polls = 0;
    let sawTool = false;
    const appeared = new Set<string>();
    while (!run.done) {
      for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
        const text = procText(`${pid}/cmdline`) + procText(`${pid}/environ`);
        if (text.includes(secret) || text.includes('bodycanary')) t.fail(`seen in process ${pid}`);
        sawTool ||= text.includes('--job-json-file=/proc/self/fd/4');
      }
      for (const name of names()) if (!before.has(name)) appeared.add(name);
      polls++;
      if (sawTool && polls > 3) writeFileSync(seen, '');
      await new Promise(setImmediate);
    }
    t.ok((await outcome).ok);
    t.ok(sawTool, 'the poll saw qpdf run');
    t.ok(polls > 3, `${polls} polls`);
    t.same(
      // A spool is named after its process; folders of tests that run beside this one are not.
      [...appeared].filter((name) => /^intaglio-\d+-|^#/.test(name)),
      [],
    );
  });
});

t.test('no descriptor or process is left over, and the queue bounds the bytes', async (t) => {
  const folder = t.testdir();
  const flaky = script(folder, 'flaky', `[ $(($$ % 2)) = 0 ] && exit 2; exec ${QPDF} "$@"`);
  await withProtector({ qpdf: flaky, concurrencyMax: 2 }, async (protector) => {
    await protector.protect(PDF, passwords('u'));
    const host = hostPid();
    const descriptors = (): number => readdirSync(`/proc/${host}/fd`).length;
    const before = descriptors();
    const burst = await Promise.all(
      Array.from({ length: 200 }, () => protector.protect(PDF, passwords('u'))),
    );
    const refused = burst.filter((one) => !one.ok && one.code === 'overloaded').length;
    t.equal(refused, 200 - 2 - 2 * 64);
    t.ok(descriptors() <= before, `${descriptors()} descriptors, ${before} before`);
    t.same(childrenOf(host), []);
  });
});

t.test('closing ends the host, and waiting tasks fail', async (t) => {
  const slow = script(t.testdir(), 'slow', 'exec sleep 600');
  const protector = createProtector({ qpdf: slow, timeoutMs: 60_000, concurrencyMax: 1 });
  const pid = hostPid();
  const waiting = [1, 2].map(() => protector.protect(PDF, passwords('u')));
  await protector.close();
  t.match(await Promise.all(waiting), [{ ok: false }, { ok: false }]);
  t.equal(procText(`${pid}/cmdline`), '');
  t.match(await protector.protect(PDF, passwords('u')), { ok: false, code: 'internal_error' });
});

t.test('a large document is protected whole', async (t) => {
  const large = samplePdf(3_000_000);
  await withProtector({}, async (protector) => {
    const pdf = await protectedBytes(protector, large, passwords('u'));
    t.ok(pdf.length > 3_000_000);
  });
});
