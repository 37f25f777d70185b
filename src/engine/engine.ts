import { LRUCache } from 'lru-cache';
import type { Failure } from '../errors.ts';
import { fail, succeed } from '../errors.ts';
import { checkTemplateFile } from './check.ts';
import { compose, keepAlone, type Prepared, StageClock } from './document.ts';
import { findExclusion, traitsOf } from './exclusions.ts';
import type { FontLibrary } from './font/font.ts';
import { loadFonts } from './font/library.ts';
import { DecodeBudget, ownDecodeBudget } from './image/decode-budget.ts';
import type {
  CheckedRows,
  CheckJob,
  CheckResult,
  CheckRowsJob,
  Finding,
  KeepFile,
  PrintedRows,
  PrintRowsJob,
  RenderedRows,
  RenderJob,
  RenderResult,
  RenderRowsJob,
  SharedTemplate,
} from './job.ts';
import { cleanForeignPdf, type CleanedPdf } from './letterhead/clean-foreign.ts';
import { prepareFreeText } from './pdf/codes.ts';
import { prepareFile } from './pdf/template-file.ts';
import { printRows } from './rows/print.ts';
import { compilePasswords, isDefects, noPasswords } from './contract/format/passwords.ts';
import { checkRows, renderRows, type RowStages } from './rows/rows.ts';
import { compileTemplate, type ReadyTemplate } from './template/compile.ts';
import { listFields } from './template/fields/field-list.ts';
import { copySource } from './template/source.ts';
import type { Surroundings } from './template/context.ts';
import { countMissingCharacters } from './values/check-values.ts';
import { findDefects } from './values/find-defects.ts';
import { countMissingInTexts, otherTextsFault, otherTextsOf } from './values/other-texts.ts';

export interface EngineSettings {
  /** Memory of compiled templates; a quarter more is for drafts. */
  readonly templateCacheMb: number;
  /** Folder of further fonts; null: only those that ship with the package. */
  readonly fontsDir: string | null;
  /** Thai words of the institution, which are never broken over two lines. */
  readonly words: readonly string[];
  /** From `createDecodeCells`: the pixels that all engines with these cells decode at a time. */
  readonly decodeCells: Int32Array | null;
  /** Longest wait while other images are decoded. */
  readonly decodeWaitMsMax: number;
}

/** How an engine on a thread of a pool and the pool know of each other. */
interface PoolSignals {
  /** Its first number counts the documents whose layout began. Threads may share it. */
  readonly laidOut: Uint32Array;
  /** Whether jobs of rows are to stop after the current row, because other work waits. */
  readonly mustYield: () => boolean;
}

/**
 * Makes documents of templates and data. It runs one job at a time: a caller waits for a result
 * before the next call. Expected failures are values; what a verb throws is a bug. Nothing in it
 * reads a clock, randomness, environment or network: the same job gives the same bytes.
 */
export interface Engine {
  /** The families that templates may name. */
  readonly fonts: FontLibrary;
  /** Every fault of a template and of its samples; renders the samples when the job asks for it. */
  check(job: CheckJob): Promise<CheckResult>;
  /** Compiles a template before the first document needs it; null: it has no error. */
  compile(template: SharedTemplate): Promise<Failure | null>;
  render(job: RenderJob): Promise<RenderResult>;
  checkRows(job: CheckRowsJob): Promise<CheckedRows | Failure>;
  renderRows(job: RenderRowsJob): Promise<RenderedRows | Failure>;
  /** Appends finished documents to a print file. */
  printRows(job: PrintRowsJob): PrintedRows;
  /** The field descriptors of a template file: a JSON array, UTF-8. */
  listFields(source: Uint8Array): Uint8Array;
  /** Reads a foreign PDF in a separate thread and writes its pages anew, without scripts. */
  cleanPdf(bytes: Uint8Array): Promise<CleanedPdf>;
}

/** An engine on a thread of a pool. */
interface PooledEngine extends Engine {
  /** Loads and shapes what the first template would else wait for: the font that most of them use. */
  prepareFonts(): void;
  /** Hashes of the drafts that it keeps compiled, the last used first: `countMax` at most. */
  keptDrafts(countMax: number): readonly string[];
}

/** Makes an engine; the settings that are left out have the defaults of a library. */
export function createEngine(settings: Partial<EngineSettings> = {}): Engine {
  return createPooledEngine(settings, { laidOut: new Uint32Array(1), mustYield: () => false });
}

/** Makes the engine of a pool's thread. */
export function createPooledEngine(
  settings: Partial<EngineSettings>,
  signals: PoolSignals,
): PooledEngine {
  return new TemplateEngine({ ...DEFAULT_SETTINGS, ...settings }, signals);
}

const DEFAULT_SETTINGS: EngineSettings = {
  templateCacheMb: 64,
  fontsDir: null,
  words: [],
  decodeCells: null,
  decodeWaitMsMax: 5_000,
};

/** A family that ships with the engine, and the one of templates that name none. */
const USUAL_FAMILY = 'Sarabun';

/** The part of the template cache that is for drafts. */
const DRAFT_SHARE = 1 / 4;

/** A draft; `file` null: it was checked and has not been rendered since. */
interface PreparedDraft {
  readonly template: ReadyTemplate;
  readonly file: Prepared['file'] | null;
}

class TemplateEngine implements PooledEngine {
  readonly fonts: FontLibrary;
  readonly #surroundings: Surroundings;
  readonly #laidOut: Uint32Array;
  readonly #mustYield: () => boolean;
  readonly #templates: LRUCache<string, Prepared>;
  /**
   * Drafts by their hash. A preview that does not come with the save is requested right after it,
   * and then the draft need not be compiled again. Most drafts are rendered once, until the next
   * change: a draft leaves the cache with its first preview, while it is still in the young
   * generation, where dropping it costs nothing. One that is rendered again is compiled again and
   * stays. Drafts are kept apart from the published templates, whose cache they would fill.
   */
  readonly #drafts: LRUCache<string, PreparedDraft>;

  constructor(settings: EngineSettings, { laidOut, mustYield }: PoolSignals) {
    const { decodeCells, decodeWaitMsMax, fontsDir, words, templateCacheMb } = settings;
    this.fonts = loadFonts(fontsDir === '' ? null : fontsDir).library;
    const decodeBudget =
      decodeCells === null ? ownDecodeBudget() : new DecodeBudget(decodeCells, decodeWaitMsMax);
    this.#surroundings = { fonts: this.fonts, words, decodeBudget };
    this.#laidOut = laidOut;
    this.#mustYield = mustYield;
    const cacheBytes = templateCacheMb * 1024 * 1024;
    this.#templates = new LRUCache({
      maxSize: cacheBytes,
      sizeCalculation: ({ template, file }) => template.bytes + file.prefix.bytes.length,
    });
    this.#drafts = new LRUCache({
      maxSize: Math.ceil(cacheBytes * DRAFT_SHARE),
      sizeCalculation: ({ template, file }) => template.bytes + (file?.prefix.bytes.length ?? 0),
    });
  }

  async check(job: CheckJob): Promise<CheckResult> {
    const { result, draft } = await checkTemplateFile(job, this.#surroundings, this.#laidOut);
    if (draft !== null) this.#drafts.set(job.template.hash, { template: draft, file: null });
    return result;
  }

  async compile(template: SharedTemplate): Promise<Failure | null> {
    const known = await this.#prepared(template, false);
    return 'ok' in known ? known : null;
  }

  render(job: RenderJob): Promise<RenderResult> {
    return this.#render(job, keepAlone);
  }

  async #render(job: RenderJob, keep: KeepFile): Promise<RenderResult> {
    const clock = new StageClock(this.#laidOut);
    const isDraft = job.isPreview;
    const known =
      this.#templates.get(job.template.hash) ?? (await this.#prepared(job.template, isDraft));
    if ('ok' in known) return known;
    clock.mark('templateMs');
    const checking = known.template.contract.check(job.body.subarray(job.dataStart, job.dataEnd));
    const checked = checking instanceof Promise ? await checking : checking;
    clock.mark('contractMs');
    if (!checked.ok) return checked;
    const values = checked.value;
    const defects = findDefects(known.template, values);
    if (defects.length > 0) return fail('invalid_data', undefined, defects);
    if (job.checkOnly) {
      const texts = otherTextsOf(job, known.template);
      const fault = otherTextsFault(known.template, texts);
      if (fault !== null) return fault;
      const missingCharacters =
        countMissingCharacters(known.template, values) + countMissingInTexts(known.template, texts);
      const made = {
        pdf: new Uint8Array(0),
        pages: 0,
        sha256: '',
        missingCharacters,
        naming: null,
      };
      return { ok: true, value: { ...made, times: clock.times, signature: undefined } };
    }
    return compose(job, known, values, clock, keep);
  }

  prepareFonts(): void {
    prepareFreeText(this.fonts.stack(USUAL_FAMILY, false, false));
  }

  keptDrafts(countMax: number): readonly string[] {
    return [...this.#drafts.keys().take(countMax)];
  }

  async checkRows(job: CheckRowsJob): Promise<CheckedRows | Failure> {
    const stages = await this.#rowStages(job);
    return 'ok' in stages ? stages : checkRows(job, stages);
  }

  async renderRows(job: RenderRowsJob): Promise<RenderedRows | Failure> {
    const stages = await this.#rowStages(job);
    return 'ok' in stages ? stages : renderRows(job, stages);
  }

  printRows(job: PrintRowsJob): PrintedRows {
    return printRows(job);
  }

  listFields(source: Uint8Array): Uint8Array {
    return listFields(source);
  }

  cleanPdf(bytes: Uint8Array): Promise<CleanedPdf> {
    return cleanForeignPdf(bytes);
  }

  /** How rows of a run are checked and rendered; a failure when the template does not compile. */
  async #rowStages(job: CheckRowsJob | RenderRowsJob): Promise<RowStages | Failure> {
    const { hash } = job.template;
    const known = this.#templates.get(hash) ?? (await this.#prepared(job.template, false));
    if ('ok' in known) return known;
    const { template, file } = known;
    const { watermark, passwords, signature = null } = job;
    const isProtected = passwords !== undefined;
    const passwordsOf = isProtected
      ? compilePasswords(passwords, template.fields, template.language)
      : noPasswords;
    const texts = otherTextsOf({ watermark, signature, isPreview: false }, template);
    // A template that must be signed is refused when rows are rendered without a signature.
    const asked = { signature, isProtected, isPreview: true, attachments: [] };
    const fault = otherTextsFault(template, texts) ?? findExclusion(traitsOf(asked, template));
    return {
      fields: template.fields,
      check: async (data) => {
        if (fault !== null) return fault;
        const checked = await template.contract.check(data);
        if (!checked.ok) return checked;
        const defects = findDefects(template, checked.value);
        const made = passwordsOf(checked.value);
        const all = isDefects(made) ? [...defects, ...made] : defects;
        return all.length > 0 ? fail('invalid_data', undefined, all) : checked;
      },
      passwords: async (data) => {
        if (!isProtected) return succeed(null);
        const checked = await template.contract.check(data);
        if (!checked.ok) return checked;
        const made = passwordsOf(checked.value);
        return isDefects(made) ? fail('invalid_data', undefined, made) : succeed(made);
      },
      render: (row, keep) => this.#render(row, keep),
      crc32: (pdf) => file.digests.crc32(pdf),
      isWanted: this.#mustYield,
    };
  }

  /**
   * Compiles a template, unless it was checked a moment ago, and caches it. A template that does
   * not compile is `render_failed`.
   */
  async #prepared(shared: SharedTemplate, isDraft: boolean): Promise<Prepared | Failure> {
    const draft = this.#drafts.get(shared.hash);
    const { template, findings } =
      draft === undefined
        ? await compileTemplate(copySource(shared), shared, this.#surroundings)
        : { template: draft.template, findings: [] };
    if (template === null) {
      const first = findings.find((finding) => finding.severity === 'error');
      return fail(
        'render_failed',
        `The template has a fault${first === undefined ? '.' : at(first)}`,
      );
    }
    const ready = { template, file: draft?.file ?? prepareFile(template) };
    if (isDraft) {
      if (draft === undefined) this.#drafts.set(shared.hash, ready);
      else if (draft.file === null) this.#drafts.delete(shared.hash);
    } else {
      this.#drafts.delete(shared.hash);
      this.#templates.set(shared.hash, ready);
    }
    return ready;
  }
}

function at(finding: Finding): string {
  return finding.path === '' ? `: ${finding.message}` : ` at ${finding.path}: ${finding.message}`;
}
