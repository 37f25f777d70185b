import { LIMITS } from '../../limits.ts';
import type { PaperPage } from '../model/paper.ts';
import { cleanApart } from '../paper/apart.ts';
import type { Cleaning, Dropped, PaperFaultKind } from '../paper/faults.ts';
import { isPaper, openPaper } from '../paper/paper.ts';
import { standardBreaks } from '../paper/standard.ts';
import type { JsonObject } from '../../runtime/json-object.ts';
import { isObject } from '../../runtime/json-object.ts';
import type { Findings } from './vocabulary/findings.ts';
import { memberPath, suggested } from './vocabulary/findings.ts';

type Opened =
  | {
      readonly ok: true;
      readonly pages: readonly PaperPage[];
      readonly dropped: readonly Dropped[];
      /** The data URL of the cleaned file, where it is another than the one given. */
      readonly cleaned: string | null;
    }
  | { readonly ok: false; readonly message: string };

/** Whether files that say they are cleaned are believed: those of stored templates are. */
export type PaperTrust = 'stored' | 'foreign';

/** A template's PDFs, read before the walk, as `Assets` holds its images. */
export class Papers {
  readonly #named: ReadonlyMap<string, string>;
  readonly #opened: ReadonlyMap<string, Opened>;
  readonly #used = new Map<string, PaperPage>();
  readonly #usedNames = new Set<string>();
  readonly #usedPages = new Map<string, PaperPage[]>();
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
    trust: PaperTrust,
    findings: Findings,
  ): Promise<Papers> {
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
    return new Papers(named, opened, findings);
  }

  /** A page, from 1, of a PDF of `document.pdfs`; null with a finding. */
  page(name: string, number: number, path: string): PaperPage | null {
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
  used(): readonly PaperPage[] {
    return [...this.#used.values()];
  }

  /**
   * Pages of other PDFs are refused in archived and tagged documents: their conformance cannot be
   * shown. What is known to break the standard is named.
   */
  reportNonStandard(): void {
    for (const [name, pages] of this.#usedPages) {
      const breaks = [...new Set(pages.flatMap((page) => standardBreaks(page)))];
      const reason =
        breaks.length === 0
          ? 'nothing in this PDF is known to break the standard, but that cannot be shown'
          : `this PDF has ${breaks.join('; ')}`;
      const message = `An archived or tagged document cannot place it: ${reason}.`;
      this.#findings.error(memberPath('document.pdfs', name), message);
    }
  }

  /** Cleaned files as data URLs, by the data URLs of the template file. */
  cleaned(): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const [source, opened] of this.#opened) {
      if (opened.ok && opened.cleaned !== null) found.set(source, opened.cleaned);
    }
    return found;
  }

  /** Characters of the template file that are PDFs. */
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

async function openSource(source: string, trust: PaperTrust): Promise<Opened> {
  if (source.slice(0, PREFIX.length).toLowerCase() !== PREFIX) {
    const message = /^data:/i.test(source)
      ? `A PDF as a data URL begins with ${PREFIX}`
      : 'This file is not beside the template; a template that is saved over HTTP holds it as a data URL.';
    return { ok: false, message };
  }
  const bytes = new Uint8Array(Buffer.from(source.slice(PREFIX.length), 'base64'));
  if (bytes.length > LIMITS.pdfBytesMax) return { ok: false, message: PDF_FAULTS.large };
  const isStored = trust === 'stored' && isPaper(bytes);
  const cleaning: Cleaning = isStored
    ? { ok: true, pdf: bytes, dropped: [], fields: [] }
    : await cleanApart(bytes);
  if (!cleaning.ok) return { ok: false, message: PDF_FAULTS[cleaning.fault] };
  const pages = openPaper(cleaning.pdf);
  if (pages === null) return { ok: false, message: PDF_FAULTS.broken };
  const url = PREFIX + Buffer.from(cleaning.pdf).toString('base64');
  return { ok: true, pages, dropped: cleaning.dropped, cleaned: url === source ? null : url };
}

/** The message of each fault for the author of the template. */
export const PDF_FAULTS: Readonly<Record<PaperFaultKind, string>> = {
  encrypted: 'This PDF is protected; save it without a password.',
  broken: 'This PDF is damaged, or none; open it in a reader and save it anew.',
  large:
    `This PDF is too large: at most ${LIMITS.pdfBytesMax} bytes, ${LIMITS.pdfObjectsMax} objects, ` +
    `and ${LIMITS.pdfUnpackedBytesMax} bytes unpacked.`,
  deep: 'Objects of this PDF stand in one another too deeply, or in themselves; save it anew.',
  pages: `This PDF has more than ${LIMITS.pdfPagesMax} pages; keep those that are placed.`,
  layers: 'This PDF has layers that are switched off; save it with what is to be seen only.',
  filter: 'A page of this PDF is compressed in a way that is not read; save it anew.',
  script: 'This PDF draws by a PostScript program; save it anew.',
  slow: `This PDF takes more than ${LIMITS.pdfCleanMsMax} ms of CPU time to read; save it anew.`,
  busy: 'This PDF could not be read: the service is too busy. Try again.',
};

const DROPPED: Readonly<Record<Dropped, string>> = {
  scripts: 'The scripts and actions of this PDF are left out.',
  fields: 'The form fields of this PDF are left out; "templates import" makes fields of them.',
  annotations: 'Notes, stamps and other annotations of this PDF are left out, but for links.',
  files: 'The files in this PDF are left out.',
};
