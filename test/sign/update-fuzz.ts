import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import { asCertificate } from '../../src/sign/long-term/revocation.ts';
import { appendSecurityStore } from '../../src/sign/long-term/security-store.ts';
import { readSigners } from '../../src/sign/signers.ts';
import { createSigning } from '../../src/sign/signing.ts';
import { verifyFile } from '../../src/sign/verification/verify-signature.ts';
import { SAMPLE_DATA, sampleTemplate } from '../../tools/pdfa/mutations/sample.ts';
import { render, shareTemplate } from '../../lab/render.ts';
import { Authority } from './authority.ts';
import { crlOf, issueAll } from './foreign/certificates.ts';
import { PAGE } from './foreign/made-pdf.ts';
import { assembled, ODD, plainParts, type Parts, type SignedFacts } from './foreign/odd-updates.ts';
import { streamOf, Workshop } from './foreign/samples.ts';

/*
 * Random updates of signed files. Whenever `verify` finds the signed document unchanged, poppler, mupdf
 * and qpdf must show the text that was signed. `node test/sign/update-fuzz.ts 2000` tries 2,000.
 */

const LATIN = 'latin1';

export interface FuzzResult {
  /** Files that verify calls as signed. */
  readonly valid: number;
  /** Those of them in which a reader shows other text. */
  readonly wrong: readonly string[];
}

/** A signed file and what makes updates of it. */
interface Base {
  readonly facts: SignedFacts;
  /** Objects that show another page, in a file that is searched. */
  readonly hidden: string;
  /** An update in the form of this service; null: it did not sign the file. */
  readonly own: Buffer | null;
}

/** Tries `count` updates; a folder keeps the files that are judged wrongly. */
export async function fuzzUpdates(count: number, seed: number): Promise<FuzzResult> {
  const folder = mkdtempSync(join(tmpdir(), 'intaglio-updates-'));
  try {
    const authority = new Authority(folder);
    authority.issue('p256', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'], SIGNING);
    issueAll(authority, []);
    const crl = crlOf(authority, []);
    const bases = [
      made(new Workshop(authority)),
      await signedHere(authority, crl, false),
      await signedHere(authority, crl, true),
    ];
    const texts = bases.map(({ facts }) => textsOf(folder, facts.bytes).join('|'));
    const anchors = [asCertificate(new X509Certificate(authority.read('ca.pem')))];
    const wrong: string[] = [];
    let valid = 0;
    for (let index = 0; index < count; index += 1) {
      const next = random(seed * 1_000_003 + index);
      const at = Math.floor(next() * bases.length);
      const base = bases[at];
      if (base === undefined) throw new Error('no base');
      const pdf = mutated(base, crl, next);
      const [verdict] = await verifyFile(pdf, anchors);
      if (verdict === undefined || verdict.faults.length > 0) continue;
      valid += 1;
      const shown = textsOf(folder, pdf).join('|');
      if (shown !== texts[at]) wrong.push(`seed ${seed}, number ${index}: ${verdict.after}`);
    }
    return { valid, wrong };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const SIGNING = 'keyUsage=critical,digitalSignature,nonRepudiation';

function made(shop: Workshop): Base {
  const file = shop.signed('p256');
  const { bytes, size } = file;
  const page = `<<${PAGE.replace('4 0 R', '990 0 R')}>>`;
  const facts = { bytes, size, root: 1, catalog: file.text(1), info: 6, id: '<00>' };
  return { facts, hidden: hiddenPage(3, page), own: null };
}

/** A file that this service signed. */
async function signedHere(authority: Authority, crl: Buffer, compress: boolean): Promise<Base> {
  const path = authority.path('signers.json');
  const bank = { pkcs12: 'p256.p12', passwordFile: 'password' };
  writeFileSync(path, JSON.stringify({ teams: { bank } }));
  const signing = createSigning(await readSigners(path), pino({ level: 'silent' }));
  const signature = { isAsked: true, ...signing.offerFor('bank') };
  const template = shareTemplate(sampleTemplate({}, { compress }));
  const rendered = await render(template, SAMPLE_DATA, { signature });
  const place = rendered.signature;
  const outcome = place === undefined ? null : await signing.sign('bank', rendered.pdf, place);
  if (place === undefined || outcome?.ok !== true) throw new Error('not signed');
  const bytes = Buffer.from(outcome.value.pdf);
  const text = bytes.toString(LATIN);
  const catalog = /\n(\d+) 0 obj\n(<<\/Type\/Catalog.*>>)\nendobj/.exec(text);
  const number = (key: string): number =>
    Number([...text.matchAll(new RegExp(`/${key} (\\d+)`, 'g'))].at(-1)?.[1]);
  const id = /\/ID\[(<[0-9a-f]+>)/.exec(text)?.[1] ?? '';
  const page = /\n(\d+) 0 obj\n(<<[^\n]*\/Type\/Page\b[^\n]*)\nendobj/.exec(text);
  const blank = (page?.[2] ?? '').replace(/\/Contents(\[[^\]]*\]| \d+ 0 R)/, '/Contents 990 0 R');
  const root = Number(catalog?.[1]);
  const facts = {
    bytes,
    size: number('Size'),
    root,
    catalog: catalog?.[2] ?? '',
    info: number('Info'),
    id,
  };
  const certificates = ['ca', 'p256'].map(
    (name) => new X509Certificate(authority.read(`${name}.pem`)).raw,
  );
  const own = appendSecurityStore(bytes, place, { certificates, ocsps: [], crls: [crl] });
  const hidden = page === null ? '' : hiddenPage(Number(page[1]), blank);
  return { facts, hidden, own: Buffer.from(own) };
}

function hiddenPage(number: number, page: string): string {
  const content = streamOf(Buffer.from('0 0 9 9 re f'));
  return `990 0 obj\n${content}\nendobj\n${number} 0 obj\n${page}\nendobj\n`;
}

type Next = () => number;

function pick<T>(next: Next, items: readonly T[]): T {
  const item = items[Math.floor(next() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

function mutated({ facts, hidden, own }: Base, crl: Buffer, next: Next): Buffer {
  let parts = plainParts(facts, crl);
  if (own !== null && next() < 0.2) {
    const update = own.toString(LATIN, facts.bytes.length);
    const offset = next() < 0.5 ? '' : hidden;
    return Buffer.concat([facts.bytes, Buffer.from(offset + changedText(update, next), LATIN)]);
  }
  if (next() < 0.5) parts = { ...parts, ...placed(parts, hidden, next) };
  for (let count = Math.floor(next() * 3); count > 0; count -= 1) {
    parts = { ...parts, ...(next() < 0.5 ? odd(parts, facts, next) : spaced(parts, next)) };
  }
  const file = assembled(facts.bytes, parts);
  if (next() < 0.5) return file;
  const update = file.toString(LATIN, facts.bytes.length);
  return Buffer.concat([facts.bytes, Buffer.from(changedText(update, next), LATIN)]);
}

function odd(parts: Parts, { size }: SignedFacts, next: Next): Partial<Parts> {
  const [, change] = pick(next, ODD);
  return typeof change === 'function' ? change(parts, size) : change;
}

/** Puts hidden objects into one of the places where bytes may stand. */
function placed(parts: Parts, hidden: string, next: Next): Partial<Parts> {
  const inComment = hidden.replaceAll('\n', ' ');
  return pick<() => Partial<Parts>>(next, [
    () => ({ head: hidden }),
    () => ({ between: hidden }),
    () => ({ head: `%${inComment}\n` }),
    () => ({ more: `%${inComment}\n` }),
    () => ({ trailer: `${parts.trailer}\n${hidden}` }),
    () => ({ trailer: parts.trailer.replace('/Size', `/X(${hidden})/Size`) }),
    () => ({ trailer: parts.trailer.replace(/\[(<\w+>)<02>/, `[$1(${hidden})`) }),
    () => ({ objects: inStream(parts.objects, hidden) }),
    () => ({ ending: (start) => `startxref\n${start}\n%%EOF\n${hidden}` }),
    () => ({ ending: (start) => `${hidden}startxref\n${start}\n%%EOF\n` }),
  ])();
}

function inStream(objects: Parts['objects'], hidden: string): Parts['objects'] {
  const data = Buffer.from(`${hidden}\n`, LATIN);
  const change = (text: string): string => (text.includes('stream') ? streamOf(data) : text);
  return new Map([...objects].map(([number, text]) => [number, change(text)]));
}

/** Other white space, which may be as good. */
function spaced(parts: Parts, next: Next): Partial<Parts> {
  const space = pick(next, [' ', '\n', '\r\n', '\r', '\t', '\0', '\f', '% x\n', '%%\n', '']);
  return pick<Partial<Parts>>(next, [
    { head: `${space}${parts.head}` },
    { between: `${parts.between}${space}` },
    { keyword: `xref${space}` },
    {
      entry: (offset) =>
        parts.entry(offset).slice(0, 18) + pick(next, [' \r', ' \n', '\r\n', '\n']),
    },
    { trailer: parts.trailer.replaceAll('/', `${space}/`) },
    { trailer: parts.trailer.replaceAll(' ', ` ${space}`) },
    { more: space },
    { ending: (start) => `startxref${space}${start}${space}%%EOF${space}` },
    {
      objects: new Map(
        [...parts.objects].map(([number, text]) => [number, text.replace(/>>$/, `${space}>>`)]),
      ),
    },
  ]);
}

/** One token or byte of a text changed. */
function changedText(text: string, next: Next): string {
  const tokens = [...text.matchAll(/\/?[A-Za-z]+|\d+|<<|>>|[[\]\n%]/g)];
  const last = tokens.slice(-40);
  const { index, 0: token } = pick(next, next() < 0.7 ? last : tokens);
  const digits = /^\d+$/.test(token) ? Number(token) : null;
  const other = pick(next, [
    '',
    `${token}${token}`,
    `${token} `,
    `${token}.0`,
    `+${token}`,
    `0${token}`,
    `-${token}`,
    pick(next, last)[0],
    digits === null ? `${token}x` : String(digits + 1),
    digits === null ? token.toUpperCase() : String(Math.max(0, digits - 1)),
    `%${token}\n`,
    '\0',
    `${token}\n%%EOF\n`,
  ]);
  return text.slice(0, index) + other + text.slice(index + token.length);
}

/** The text that poppler, mupdf and qpdf (its copy, by poppler) find; errors as they are. */
function textsOf(folder: string, pdf: Uint8Array): readonly string[] {
  const file = join(folder, 'file.pdf');
  const copy = join(folder, 'copy.pdf');
  writeFileSync(file, pdf);
  rmSync(copy, { force: true });
  spawnSync('qpdf', ['--object-streams=disable', file, copy]);
  return [
    spawnSync('pdftotext', ['-layout', file, '-']).stdout.toString(),
    spawnSync('mutool', ['draw', '-q', '-F', 'txt', '-o', '-', file]).stdout.toString(),
    spawnSync('pdftotext', ['-layout', copy, '-']).stdout.toString(),
    spawnSync('pdfinfo', [file])
      .stdout.toString()
      .replaceAll(/File size.*/g, ''),
  ];
}

/** Numbers in [0, 1) that depend on the seed alone (mulberry32). */
function random(seed: number): Next {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [count = 200, seed = 1] = process.argv.slice(2).map(Number);
  const { valid, wrong } = await fuzzUpdates(count, seed);
  for (const one of wrong) console.error(one);
  console.log(`${count} updates: ${valid} as signed, ${wrong.length} of them wrongly`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}
