import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { readSigners } from '../../src/sign/signers.ts';
import { createSigning } from '../../src/sign/signing.ts';
import { findViolations } from '../../tools/pdfa/rules.ts';
import { SAMPLE_DATA, sampleTemplate } from '../../tools/pdfa/mutations/sample.ts';
import { check, faultsOf, render, shareTemplate, tryRender } from '../../lab/render.ts';
import { Authority } from './authority.ts';
import { opensslVerify, pdfsig } from './judges.ts';

/** A visible signature: its position, its drawing, and what readers report about it. */

const SIGNER = 'ธนาคารตัวอย่าง';
const authority = new Authority(t.testdir());
const EC = ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];
authority.issue(SIGNER, EC, 'keyUsage=critical,digitalSignature,nonRepudiation');
const entry = { pkcs12: `${SIGNER}.p12`, passwordFile: 'password' };
writeFileSync(authority.path('signers.json'), JSON.stringify({ teams: { bank: entry } }));
const signers = await readSigners(authority.path('signers.json'));
const signing = createSigning(signers, pino({ level: 'silent' }));
const SIGNATURE = { isAsked: true, ...signing.offerFor('bank') };

/** 21 November 2026, 20:30 UTC: in Bangkok it is the next day. */
const AT = { atMs: Date.UTC(2026, 10, 21, 20, 30), signature: SIGNATURE };
const PLACE = { x: 340, y: 700, width: 200, height: 60 };
const FULL = { ...PLACE, reason: 'หนังสือของ {{name}}', location: 'Bangkok', utcOffset: '+07:00' };

function source(signatureField: object, more: object = {}, document: object = {}): string {
  return sampleTemplate({ signatureField, ...more }, { watermark: null, ...document });
}

/** Renders, signs and keeps the file as `signed.pdf`. */
async function signed(t: Test, text: string): Promise<Buffer> {
  const document = await render(shareTemplate(text), SAMPLE_DATA, AT);
  const { pdf, signature = { from: 0, to: 0, catalogAt: 0 } } = document;
  const outcome = await signing.sign('bank', pdf, signature);
  if (!outcome.ok) throw new Error(outcome.code);
  t.equal(opensslVerify(authority, pdf, signature), 0, 'openssl cms -verify');
  t.equal(faultsOf(authority.path('signed.pdf'), pdf), '');
  return Buffer.from(pdf);
}

/** Words of a page with their boxes, in points from its upper left corner. */
function words(
  page = 1,
): { text: string; xMin: number; yMin: number; xMax: number; yMax: number }[] {
  const range = ['-f', String(page), '-l', String(page)];
  const file = authority.path('signed.pdf');
  const html = execFileSync('pdftotext', [...range, '-bbox', file, '-']).toString();
  const found = html.matchAll(
    /<word xMin="(.*?)" yMin="(.*?)" xMax="(.*?)" yMax="(.*?)">(.*?)<\/word>/g,
  );
  return [...found].map(([, xMin, yMin, xMax, yMax, text = '']) => {
    const [left, top, right, bottom] = [xMin, yMin, xMax, yMax].map(Number);
    return { text, xMin: left ?? 0, yMin: top ?? 0, xMax: right ?? 0, yMax: bottom ?? 0 };
  });
}

/** The signature dictionary up to its value, and the dictionary of its field. */
function dictionaries(pdf: Buffer): { readonly signature: string; readonly field: string } {
  const syntax = pdf.toString('latin1');
  const signature = /\/Type\/Sig\/.*?\/ByteRange/.exec(syntax)?.[0] ?? '';
  return { signature, field: /\/FT\/Sig.*\/V /.exec(syntax)?.[0] ?? '' };
}

function textAt(yFrom: number, page = 1): string {
  const below = words(page).filter(({ yMin, yMax }) => yMin >= yFrom && yMax < 790);
  return below.map(({ text }) => text).join(' ');
}

t.test('the field shows signer, day, time, reason and location', async (t) => {
  const pdf = await signed(t, source(FULL));
  t.match(await pdfsig(authority, pdf), /Signature is Valid[^]*Certificate is Trusted/);
  const shown = textAt(690);
  t.match(shown, /ลงลายมือชื่อดิจิทัลโดย ธนาคารตัวอย่าง/);
  t.match(shown, /22 พฤศจิกายน 2569 03:30:00 UTC\+07:00/, 'on the clock of the template');
  t.match(shown, /หนังสือของ Ĝoĉjo/, 'bound texts, also in other scripts');
  t.match(shown, /Bangkok/);
  const { signature, field } = dictionaries(pdf);
  t.match(signature, /\/Name<FEFF\w*>\/Reason<FEFF\w*>\/Location\(Bangkok\)/);
  t.match(field, /\/TU<FEFF\w*>\/Rect\[340 81\.89 540 141\.89\].*\/AP<<\/N \d+ 0 R>>/);
});

t.test('without the key nothing is drawn, and nothing changes', async (t) => {
  await signed(t, sampleTemplate({}));
  t.equal(textAt(690), '');
  const plain = { ...AT, signature: { ...SIGNATURE, isAsked: false } };
  const shown = await render(shareTemplate(source(FULL)), SAMPLE_DATA, plain);
  t.equal(dictionaries(Buffer.from(shown.pdf)).field, '', 'not signed: no field');
});

t.test('archive documents keep their level', async (t) => {
  for (const level of ['2u', '3u', '3a'] as const) {
    const pdf = await signed(t, source(FULL, { archive: `PDF/A-${level}` }));
    t.strictSame(findViolations(pdf, level), [], level);
    t.match(await pdfsig(authority, pdf), /Signature is Valid/);
    if (level === '3a') t.strictSame(findViolations(pdf, 'ua'), []);
  }
});

t.test('the field lies at a node, whatever page the node is on', async (t) => {
  const box = [{ text: 'here', id: 'here', unbreakable: true, margin: [0, 0, 0, 60] }];
  const content = [{ text: '{{name}}' }, { text: 'next', pageBreak: 'before' }, ...box];
  const at = { at: 'here', x: 5, y: 14, width: 150, height: 40, content: '{{signature.signer}}' };
  await signed(t, source(at, {}, { content }));
  const here = words(2).find(({ text }) => text === 'here');
  const name = words(2).find(({ text }) => text === SIGNER);
  t.ok(here !== undefined && name !== undefined);
  t.equal(Math.round((name?.xMin ?? 0) - (here?.xMin ?? 0)), 5);
  t.equal(Math.round((name?.yMin ?? 0) - (here?.yMin ?? 0)), 14);
});

t.test('the signature is invisible if the data leaves its node out', async (t) => {
  const fields = [
    { name: 'name', type: 'text' },
    { name: 'other', type: 'text' },
  ];
  const content = ['{{name}}', { text: 'here', id: 'here', if: 'other' }, '{{other}}'];
  const pdf = await signed(
    t,
    source({ at: 'here', width: 90, height: 40 }, { fields }, { content }),
  );
  t.match(dictionaries(pdf).field, /\/Rect\[0 0 0 0\]/);
});

t.test('content that is too high is drawn smaller, within the field', async (t) => {
  const content = { text: 'โดย {{signature.signer}} '.repeat(14), fontSize: 14 };
  await signed(t, source({ ...PLACE, width: 150, height: 50, content }));
  const drawn = words().filter(({ yMin, yMax }) => yMin >= 690 && yMax < 790);
  t.ok(drawn.length >= 28);
  t.ok(drawn.every(({ xMin, xMax }) => xMin >= 339 && xMax <= 491));
  t.ok(drawn.every(({ yMin, yMax }) => yMin >= 699 && yMax <= 751));
});

t.test('a field that cannot be drawn is a finding with its place', async (t) => {
  const cases: [object, RegExp][] = [
    [{ ...PLACE, x: 420 }, /^signatureField: It lies outside the page of 595\.28 × 841\.89 points/],
    [{ ...PLACE, y: -1 }, /^signatureField: It lies outside/],
    [{ x: 1, y: 1 }, /^signatureField: .*"width" and "height"/],
    [{ width: 90, height: 30 }, /^signatureField: .*"x" and "y", or "at"/],
    [{ width: 90, height: 30, at: 'nowhere' }, /^signatureField\.at: There is no node with the id/],
    [{ width: 90, height: 30, at: 'top', page: 1 }, /^signatureField\.page: /],
    [{ ...PLACE, content: '{{signature.singer}}' }, /content.*: .*did you mean/i],
    [{ ...PLACE, utcOffset: '7' }, /^signatureField\.utcOffset: /],
  ];
  for (const [field, wanted] of cases) {
    const findings = await check(source(field));
    t.match(findings.map(({ path, message }) => `${path}: ${message}`).join('\n'), wanted);
  }
  const outside = source(PLACE, {}, { content: ['{{name}}', '{{signature.signer}}'] });
  const findings = await check(outside);
  const errors = findings.filter(({ severity }) => severity === 'error');
  t.match(errors, [{ path: 'document.content[1]', message: /known in signatureField only/ }]);
});

t.test('a page that a document does not have fails its rendering', async (t) => {
  const missing = await tryRender(shareTemplate(source({ ...PLACE, page: 3 })), SAMPLE_DATA, AT);
  t.match(missing, { ok: false, code: 'render_failed', message: /^signatureField: .*page 3/ });
  const content = ['{{name}}', { text: 'here', id: 'here', margin: [0, 700, 0, 0] }];
  const low = source({ at: 'here', width: 90, height: 90 }, {}, { content });
  const outside = await tryRender(shareTemplate(low), SAMPLE_DATA, AT);
  t.match(outside, { ok: false, code: 'render_failed', message: /outside page 1/ });
});
