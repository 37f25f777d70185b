import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { startOptionsService } from './service.ts';

/** Protected documents are opened with passwords in the forms in which people type them. */

const service = await startOptionsService(t);
const file = join(t.testdir(), 'protected.pdf');

function opensIn(program: 'qpdf' | 'mutool', password: string): boolean {
  const args =
    program === 'qpdf'
      ? ['--check', `--password=${password}`, file]
      : ['info', '-p', password, file];
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 && !/cannot authenticate|invalid password/.test(stdout + stderr);
}

/** A password as it is sent, and as SASLprep makes it: what a reader that prepares asks for. */
const FORMS: readonly (readonly [name: string, sent: string, prepared: string])[] = [
  ['ASCII', 'Open sesame 1!', 'Open sesame 1!'],
  ['decomposed', 'cafe\u0301', 'caf\u00e9'],
  ['Thai with sara am', 'น้\u0e33ใจ', 'น้\u0e4d\u0e32ใจ'],
  ['full-width', 'ｓｅｃｒｅｔ１', 'secret1'],
  ['soft hyphen and joiner', 'pass\u00adwo\u200drd', 'password'],
  ['spaces', 'a\u00a0b\u3000c', 'a b c'],
  ['emoji', 'ก😀', 'ก😀'],
  ['127 bytes', 'ก'.repeat(42) + 'x', 'ก'.repeat(42) + 'x'],
];

for (const [name, sent, prepared] of FORMS) {
  t.test(`${name}: qpdf and MuPDF open the document`, async (t) => {
    const alone = await service.generate('slip', 'sync', 'a', {
      protection: { userPassword: sent },
    });
    t.equal(alone.status, 200);
    writeFileSync(file, alone.bytes);
    for (const password of [sent, prepared]) {
      t.ok(opensIn('qpdf', password), `qpdf: ${encodeURIComponent(password)}`);
      t.ok(opensIn('mutool', password), `MuPDF: ${encodeURIComponent(password)}`);
    }
    t.notOk(opensIn('qpdf', prepared.slice(1)), 'no other password');
    const owned = await service.generate('slip', 'sync', 'a', {
      protection: { userPassword: sent, ownerPassword: `o${sent.slice(1)}` },
    });
    writeFileSync(file, owned.bytes);
    t.ok(opensIn('qpdf', prepared), 'the user, beside an owner');
    t.ok(opensIn('qpdf', `o${prepared.slice(1)}`), 'the owner');
    t.equal(opensIn('qpdf', sent), sent === prepared, 'the user password in its other form');
  });
}

t.test('passwords that no reader could ask for are refused', async (t) => {
  for (const [userPassword, fault] of [
    ['a\ue000', /characters that passwords cannot have/],
    ['a\u202e', /characters that passwords cannot have/],
    ['שלום a', /characters that passwords cannot have/],
    ['\u00ad\u200d', /only characters that do not count/],
    // 66 bytes as sent, 132 as prepared.
    ['\u0e33'.repeat(22), /at most 127 bytes/],
    ['x'.repeat(128), /at most 127 bytes/],
  ] as const) {
    for (const protection of [
      { userPassword },
      { userPassword: 'a', ownerPassword: userPassword },
    ]) {
      const { status, json } = await service.generate('slip', 'sync', 'a', { protection });
      t.equal(status, 400);
      t.match(json['error'], fault);
    }
  }
});
