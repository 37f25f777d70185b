import { LIMITS } from '../../limits.ts';
import type { LetterheadPage } from '../model/letterhead.ts';
import { cleanApart } from '../letterhead/apart.ts';
import type { Cleaning, Dropped } from '../letterhead/faults.ts';
import { LETTERHEAD_FAULTS } from '../letterhead/faults.ts';
import { isCleaned, openLetterhead } from '../letterhead/letterhead.ts';
import { standardBreaks } from '../letterhead/standard.ts';
import type { JsonObject } from '../../runtime/json-object.ts';
import { isObject } from '../../runtime/json-object.ts';
import type { Findings } from './vocabulary/findings.ts';
import { suggested } from '../../runtime/nearest.ts';
import { memberPath } from './vocabulary/findings.ts';

type Opened =
  | {
      readonly ok: true;
      readonly pages: readonly LetterheadPage[];
      readonly dropped: readonly Dropped[];
      /** The cleaned file as a data URL; null when cleaning changed nothing. */
      readonly cleaned: string | null;
    }
  | { readonly ok: false; readonly message: string };

/** The mark of a cleaned file is trusted in stored templates only; all others are cleaned again. */
export type LetterheadTrust = 'stored' | 'foreign';

/** The PDFs of a template, read before its nodes are compiled; `Assets` holds its images. */
export class Letterheads {
  readonly #named: ReadonlyMap<string, string>;
  readonly #opened: ReadonlyMap<string, Opened>;
  readonly #used = new Map<string, LetterheadPage>();
  readonly #usedNames = new Set<string>();
  readonly #usedPages = new Map<string, LetterheadPage[]>();
  readonly #findings: Findings;

  private constructor(
    named: ReadonlyMap<string, string>,
    opened: ReadonlyMap<string, Opened>,
    findings: Findings,
  ) {
    this.#named = named;
    this.#opened = opened;
    this.#findings = findings;
  }

  /** Reads every PDF of the document, one after another. */
  static async prepare(
    document: JsonObject,
    trust: LetterheadTrust,
    findings: Findings,
  ): Promise<Letterheads> {
    const named = new Map<string, string>();
    const opened = new Map<string, Opened>();
    const read = async (source: string, path: string): Promise<void> => {
      if (opened.has(source)) return;
      const result = await openSource(source, trust);
      opened.set(source, result);
      if (!result.ok) findings.error(path, result.message);
      else for (const kind of result.dropped) findings.warning(path, DROPPED[kind]);
    };
    const dictionary = isObject(document['pdfs']) ? document['pdfs'] : {};
    for (const [name, source] of Object.entries(dictionary)) {
      const path = memberPath('document.pdfs', name);
      if (typeof source === 'string') {
        named.set(name, source);
        await read(source, path);
      } else {
        findings.error(path, 'A PDF is a data URL, or the name of a file beside the template.');
      }
    }
    return new Letterheads(named, opened, findings);
  }

  /** Page `number`, from 1, of the PDF `name`; null when there is none: a finding says why. */
  page(name: string, number: number, path: string): LetterheadPage | null {
    const source = this.#named.get(name);
    if (source === undefined) {
      this.#findings.error(path, this.#unknown(name));
      return null;
    }
    this.#usedNames.add(name);
    const opened = this.#opened.get(source);
    if (opened?.ok !== true) return null;
    const page = opened.pages[number - 1];
    if (page === undefined) {
      this.#findings.error(path, `This PDF has ${opened.pages.length} pages, no page ${number}.`);
      return null;
    }
    this.#used.set(page.key, page);
    this.#usedPages.set(name, [...(this.#usedPages.get(name) ?? []), page]);
    return page;
  }

  /** The pages that nodes place, each once. */
  used(): readonly LetterheadPage[] {
    return [...this.#used.values()];
  }

  /**
   * Reports every placed PDF as an error. Archived and tagged documents refuse pages of other PDFs:
   * their conformance cannot be proven. The message names the violations that were found.
   */
  reportNonStandard(): void {
    for (const [name, pages] of this.#usedPages) {
      const breaks = [...new Set(pages.flatMap((page) => standardBreaks(page)))];
      const reason =
        breaks.length === 0
          ? 'no violation of the standard was found in it, but its conformance cannot be shown'
          : `it has ${breaks.join('; ')}`;
      const message = `An archived or tagged document cannot place this PDF: ${reason}.`;
      this.#findings.error(memberPath('document.pdfs', name), message);
    }
  }

  /** Maps each data URL of the template file that cleaning changed to the cleaned one. */
  cleaned(): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const [source, opened] of this.#opened) {
      if (opened.ok && opened.cleaned !== null) found.set(source, opened.cleaned);
    }
    return found;
  }

  /** Total length of the distinct PDF sources in the template file, in characters. */
  get sourceChars(): number {
    return [...this.#opened.keys()].reduce((sum, source) => sum + source.length, 0);
  }

  reportUnused(mentioned: ReadonlySet<string>): void {
    for (const name of this.#named.keys()) {
      if (this.#usedNames.has(name) || mentioned.has(name)) continue;
      this.#findings.warning(memberPath('document.pdfs', name), 'No node places this PDF.');
    }
  }

  #unknown(name: string): string {
    const near = this.#findings.nearest(name, this.#named.keys());
    if (near !== null) this.#usedNames.add(near);
    const hint = near === null ? '; declare it in document.pdfs.' : suggested(near);
    return `There is no PDF ${JSON.stringify(name.slice(0, 60))}${hint}`;
  }
}

const PREFIX = 'data:application/pdf;base64,';
const NOT_FOUND =
  'No such PDF is beside the template (the name of the file ends in .pdf); a template saved over HTTP ' +
  'embeds it as a data URL.';

async function openSource(source: string, trust: LetterheadTrust): Promise<Opened> {
  if (source.slice(0, PREFIX.length).toLowerCase() !== PREFIX) {
    const message = /^data:/i.test(source)
      ? `A PDF as a data URL begins with ${PREFIX}`
      : NOT_FOUND;
    return { ok: false, message };
  }
  const bytes = new Uint8Array(Buffer.from(source.slice(PREFIX.length), 'base64'));
  if (bytes.length > LIMITS.pdfBytesMax) return { ok: false, message: LETTERHEAD_FAULTS.large };
  const isStored = trust === 'stored' && isCleaned(bytes);
  const cleaning: Cleaning = isStored
    ? { ok: true, pdf: bytes, dropped: [], fields: [] }
    : await cleanApart(bytes);
  if (!cleaning.ok) return { ok: false, message: LETTERHEAD_FAULTS[cleaning.fault] };
  const pages = openLetterhead(cleaning.pdf);
  if (pages === null) return { ok: false, message: LETTERHEAD_FAULTS.broken };
  const url = PREFIX + Buffer.from(cleaning.pdf).toString('base64');
  return { ok: true, pages, dropped: cleaning.dropped, cleaned: url === source ? null : url };
}

const DROPPED: Readonly<Record<Dropped, string>> = {
  scripts: 'The scripts and actions of this PDF are left out.',
  fields: 'The form fields of this PDF are left out; "templates import" turns them into fields.',
  annotations: 'Annotations of this PDF, such as notes and stamps, are left out; links are kept.',
  files: 'The files in this PDF are left out.',
};
