import { preparePassword } from '#engine/light';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { post } from '../../lab/service/gateway.ts';
import type { Combination, StoredName } from './combination.ts';
import { combinations, covering, REFUSED } from './combination.ts';
import { openBytes } from './pdf-bytes.ts';
import type { Answer, OptionsService, TemplateId } from './service.ts';
import {
  answerOf,
  canary,
  footerText,
  runQpdf,
  runTool,
  startOptionsService,
  TEMPLATES,
} from './service.ts';

/** Random combinations of options, over HTTP, with the real renderer and the real qpdf. */

/** Drawn; of these, 100 show two traits together that no earlier one has shown. */
const COUNT = 400;
const SEED = 20_261_121;
const LANES = 2;
const HOUR_MS = 3_600_000;

const scratch = mkdtempSync(join(tmpdir(), 'intaglio-options-'));
t.teardown(() => rmSync(scratch, { recursive: true }));

/** The texts that a page must show in addition to its footer. */
interface ExpectedPage {
  readonly name: string;
  /**
   * Watermarks of the request that made the page and of later requests that attached it, without
   * spaces.
   */
  readonly marks: readonly string[];
}

interface Stored {
  readonly documentId: string;
  readonly pages: readonly ExpectedPage[];
}

/** The stored documents by the names that combinations use. */
type StoredDocuments = Readonly<Record<StoredName, Stored>>;

function ownPages(templateId: TemplateId, name: string): ExpectedPage[] {
  return Array.from({ length: TEMPLATES[templateId].pages }, () => ({ name, marks: [] }));
}

function marked(pages: readonly ExpectedPage[], mark: string): ExpectedPage[] {
  return pages.map(({ name, marks }) => ({ name, marks: [...marks, mark] }));
}

/** A document that a request must not attach: none of its pages is ever expected. */
function refusedDocument(documentId: string): Stored {
  return { documentId, pages: [] };
}

/** Stores the documents that combinations attach. `shift` moves the service's clock. */
async function storeDocuments(
  service: OptionsService,
  shift: (ms: number) => void,
): Promise<StoredDocuments> {
  const store = async (
    templateId: TemplateId,
    attach: readonly Stored[] = [],
    mark = '',
  ): Promise<Stored> => {
    const name = canary();
    const documentId = await service.generateStored(templateId, name, {
      attach: attach.map((one) => one.documentId),
      ...(mark === '' ? {} : { watermark: { text: mark, opacity: 0.5 } }),
    });
    const pages = [...ownPages(templateId, name), ...attach.flatMap((one) => one.pages)];
    return { documentId, pages: mark === '' ? pages : marked(pages, mark) };
  };
  const [letter, thai] = [await store('letter'), await store('thai')];
  const [slip, scan] = [await store('slip'), await store('scan')];
  const merged = await store('letter', [slip, slip]);
  const protection = { userPassword: 'secret' };
  const protectedId = await service.generateStored('slip', canary(), { protection });
  shift(-2 * HOUR_MS);
  const expiredId = await service.generateStored('slip', canary());
  shift(0);
  return {
    letter,
    thai,
    slip,
    scan,
    merged,
    marked: await store('scan', [], 'ของเดิม#1'),
    nested: await store('thai', [merged, scan], 'NESTED#2'),
    protected: refusedDocument(protectedId),
    expired: refusedDocument(expiredId),
    foreign: refusedDocument(await foreignDocument(service)),
  };
}

async function foreignDocument(service: OptionsService): Promise<string> {
  const apiKey = await service.key('rival', ['generate']);
  const body = { templateId: 'rival-slip', mode: 'async', data: { name: canary() } };
  const headers = { 'x-api-key': apiKey };
  const { json } = await answerOf(await post(`${service.url}/v1/generate`, headers, body));
  return String(json['documentId']);
}

/** The ways in which the document of a combination is wrong. */
class Faults {
  readonly list: string[] = [];

  expect(holds: boolean, what: string): void {
    if (!holds) this.list.push(what);
  }
}

/** Requests combinations and checks the documents that come back. */
class CombinationChecker {
  readonly #service: OptionsService;
  readonly #stored: StoredDocuments;
  /** Digest and length of every file that was delivered. */
  readonly delivered: string[] = [];

  constructor(service: OptionsService, stored: StoredDocuments) {
    this.#service = service;
    this.#stored = stored;
  }

  /** Returns what is wrong with the response and its document. */
  async check(combination: Combination, index: number): Promise<readonly string[]> {
    const faults = new Faults();
    const name = canary();
    const { templateId, mode, attach, watermark, metadata, protection } = combination;
    const answer = await this.#service.generate(templateId, mode, name, {
      attach: attach.map((one) => this.#stored[one].documentId),
      ...(watermark === null ? {} : { watermark }),
      ...(metadata === null ? {} : { metadata }),
      ...(protection === null ? {} : { protection }),
    });
    const refused = attach.find((one) => REFUSED.some((other) => other === one));
    if (refused !== undefined) {
      const status = refused === 'protected' ? 400 : 404;
      faults.expect(answer.status === status, `${answer.status} for a ${refused} attachment`);
      return faults.list;
    }
    const pdf = await this.#fileOf(answer, mode, faults);
    if (faults.list.length > 0) return faults.list;
    this.delivered.push(`${sha256Of(pdf)} ${pdf.length}`);
    const own = [
      ...ownPages(templateId, name),
      ...attach.flatMap((one) => this.#stored[one].pages),
    ];
    const mark =
      watermark === null || watermark.opacity === 0 ? null : withoutSpaces(watermark.text);
    const pages = mark === null ? own : marked(own, mark);
    const place = join(scratch, `${index}.pdf`);
    writeFileSync(place, pdf);
    await checkStructure(place, combination, faults);
    checkText(await textOf(place, combination), combination, pages, faults);
    checkBytes(pdf, combination, pages, faults);
    rmSync(place);
    return faults.list;
  }

  /**
   * The bytes of the document; for async those of the stored file, whose digest was acknowledged.
   */
  async #fileOf(answer: Answer, mode: Combination['mode'], faults: Faults): Promise<Buffer> {
    if (mode === 'sync') {
      faults.expect(answer.status === 200, `${answer.status} ${answer.bytes.toString()}`);
      faults.expect(answer.type === 'application/pdf', answer.type);
      return answer.bytes;
    }
    faults.expect(answer.status === 201, `${answer.status} ${answer.bytes.toString()}`);
    const { documentId, sha256 } = answer.json;
    const record = await this.#service.get(`/v1/documents/${String(documentId)}`);
    const file = await this.#service.get(`/v1/documents/${String(documentId)}?download=1`);
    faults.expect(record.json['sha256'] === sha256, 'the record has another digest');
    faults.expect(sha256Of(file.bytes) === sha256, 'the file has another digest');
    const found = await this.#service.store.documents.find('bank', String(documentId));
    faults.expect(found.found && found.value.bytes === file.bytes.length, 'another length');
    return file.bytes;
  }
}

function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function withoutSpaces(text: string): string {
  return text.replaceAll(/\s/g, '');
}

/** qpdf and poppler do not prepare what is typed (docs/calling.md), so they get it prepared. */
function asTyped(password: string): string {
  return preparePassword(password) ?? password;
}

/** Runs `qpdf --check` with the user's password; checks encryption and permissions. */
async function checkStructure(place: string, combination: Combination, faults: Faults) {
  const { protection } = combination;
  const password = asTyped(protection?.userPassword ?? '');
  const { code, out, err } = await runQpdf(place, { password, check: '' });
  faults.expect(code === 0, `qpdf --check: ${code} ${err}`);
  faults.expect(out.includes('No syntax or stream encoding errors found'), `qpdf: ${out}`);
  if (protection === null) {
    faults.expect(out.includes('File is not encrypted'), 'encrypted');
    return;
  }
  faults.expect(out.includes('\nR = 6\n'), 'not revision 6');
  for (const kind of ['stream', 'string', 'file']) {
    faults.expect(out.includes(`${kind} encryption method: AESv3`), `${kind}s are not AES-256`);
  }
  const { print, copy, modify } = protection.permissions ?? {};
  const asked = [
    ['print low resolution', print],
    ['print high resolution', print],
    ['extract for any purpose', copy],
    ['modify document assembly', modify],
    ['modify forms', modify],
    ['modify annotations', modify],
    ['modify other', modify],
    ['modify anything', modify],
  ] as const;
  for (const [right, allowed] of asked) {
    const line = `${right}: ${allowed === false ? 'not allowed' : 'allowed'}\n`;
    faults.expect(out.includes(line), `permissions lack "${line.trim()}"`);
  }
}

/** poppler reads no more bytes of a password on its command line. */
const POPPLER_PASSWORD_BYTES_MAX = 32;

/** Metadata and text as poppler reads them with the owner's password. */
async function textOf(place: string, { protection }: Combination): Promise<string> {
  const { ownerPassword, userPassword = '' } = protection ?? {};
  // Without an owner's password, the user's as it was typed takes its place.
  const owner = ownerPassword === undefined ? userPassword : asTyped(ownerPassword);
  const args = ['-raw', '-htmlmeta', '-opw', owner, place, '-'];
  if (Buffer.byteLength(owner) > POPPLER_PASSWORD_BYTES_MAX) {
    const open = `${place}.open`;
    await runQpdf(place, { password: owner, decrypt: '', outputFile: open });
    args.splice(2, 3, open);
  }
  const { out, err } = await runTool('pdftotext', ...args);
  return `${out}${err}`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
};

function unescaped(html: string): string {
  return html.replaceAll(/&(?:lt|gt|quot|apos|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}

/**
 * Without surrogate pairs, because poppler prints their halves one by one; the XMP is compared
 * whole.
 */
function withoutSurrogates(text: string): string {
  return text.replaceAll(/[\u{10000}-\u{10ffff}\ufffd]/gu, '');
}

function checkText(
  html: string,
  { templateId, metadata }: Combination,
  expected: readonly ExpectedPage[],
  faults: Faults,
): void {
  const [, head = '', body = ''] = /^([^]*?)<pre>\n([^]*)<\/pre>/.exec(html) ?? [];
  const title = unescaped(/<title>([^]*)<\/title>/.exec(head)?.[1] ?? '');
  const subject = unescaped(/<meta name="Subject" content="([^\n]*)"\/>/.exec(head)?.[1] ?? '');
  const { title: titleAsked = title, subject: subjectAsked = '' } = metadata ?? {};
  faults.expect(
    withoutSurrogates(title) === withoutSurrogates(titleAsked),
    `title in Info is ${title}`,
  );
  faults.expect(
    withoutSurrogates(subject) === withoutSurrogates(subjectAsked),
    `subject in Info is ${subject}`,
  );
  const pages = unescaped(body).split('\f').slice(0, -1).map(withoutSpaces);
  faults.expect(pages.length === expected.length, `${pages.length} pages, not ${expected.length}`);
  const { language } = TEMPLATES[templateId];
  for (const [index, { name, marks }] of expected.entries()) {
    const text = pages[index] ?? '';
    const footer = footerText(language, index + 1, expected.length);
    const footers = text.match(/\[(?:page|หน้า)[^\]]*\]/g) ?? [];
    faults.expect(footers.join() === footer, `footers of page ${index + 1}: ${footers.join()}`);
    faults.expect(text.includes(name), `page ${index + 1} lost its text`);
    for (const mark of marks) {
      faults.expect(text.split(mark).length === 2, `page ${index + 1}: ${mark} in ${text}`);
    }
    const count = text.match(/#\d/g)?.length ?? 0;
    faults.expect(count === marks.length, `page ${index + 1}: ${count} watermarks`);
  }
}

/**
 * Without a key, everything in an unprotected file is readable, but only the XMP of a protected
 * one.
 */
function checkBytes(
  pdf: Buffer,
  { metadata, protection, watermark }: Combination,
  expected: readonly ExpectedPage[],
  faults: Faults,
): void {
  const { raw, inflated, xmp } = openBytes(pdf);
  const readable = `${raw}${inflated.join('')}`;
  for (const { name } of expected) {
    const shown = readable.includes(name) || readable.includes(utf16(name));
    faults.expect(shown === (protection === null), `body text readable: ${shown}`);
  }
  if (protection === null && watermark !== null && watermark.opacity > 0) {
    const { opacity } = watermark;
    faults.expect(opacity === 1 || raw.includes(`/ca ${opacity}/`), 'another opacity');
  }
  if (protection !== null) {
    // PDF 1.7 has AES-256 as Adobe's extension level 8, which PDF 2.0 adopted.
    const isKnown = raw.startsWith('%PDF-1.7\n') && raw.includes('/ExtensionLevel 8');
    faults.expect(isKnown, 'not the version that has AES-256');
    faults.expect(inflated.length === 0, `${inflated.length} streams inflate without the key`);
    faults.expect(!raw.includes('example.test') && !raw.includes('front '), 'open strings');
  }
  for (const text of [metadata?.title, metadata?.subject]) {
    if (text === undefined) continue;
    const markup = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    faults.expect(xmp.includes(`<rdf:li xml:lang="x-default">${markup}<`), `XMP lacks ${text}`);
  }
}

function utf16(text: string): string {
  return Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase();
}

t.test(`combinations that cover what ${COUNT} show together`, async (t) => {
  let offsetMs = 0;
  const nowMs = (): number => Date.now() + offsetMs;
  const service = await startOptionsService(t, { parts: { nowMs } });
  const stored = await storeDocuments(service, (ms) => (offsetMs = ms));
  const checker = new CombinationChecker(service, stored);
  const all = covering(combinations(COUNT, SEED));
  t.comment(`${all.length} of them`);
  const failed: unknown[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < all.length; index = next++) {
      const combination = all[index];
      if (combination === undefined) return;
      const faults = await checker.check(combination, index);
      if (faults.length > 0) failed.push({ index, combination, faults });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  t.strictSame(failed.slice(0, 5), []);
  t.equal(failed.length, 0);
  await checkAudit(t, service, all, checker.delivered);
});

async function checkAudit(
  t: Test,
  service: OptionsService,
  all: readonly Combination[],
  delivered: readonly string[],
): Promise<void> {
  const records = await service.audit();
  const foreign = all.filter(
    ({ attach }) => attach.find((one) => REFUSED.some((other) => other === one)) === 'foreign',
  );
  t.ok(foreign.length > 0);
  t.equal(records.filter(({ outcome }) => outcome === 'denied').length, foreign.length);
  const audited = new Set(records.map(({ sha256, bytes }) => `${sha256} ${bytes}`));
  t.ok(delivered.length > all.length / 2);
  t.strictSame(
    delivered.filter((one) => !audited.has(one)),
    [],
    'the audit has the digest and length of each delivered file',
  );
}
