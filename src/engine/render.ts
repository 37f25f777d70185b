import assert from 'node:assert';
import { hash } from 'node:crypto';
import { workerData } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { Failure, Outcome } from '../errors.ts';
import { assertNever, fail, succeed } from '../errors.ts';
import { DecodeBudget } from './image/decode-budget.ts';
import { shareDecodeBudget } from './image/decode.ts';
import type { FieldValues } from './contract/types.ts';
import { loadFonts } from './font/library.ts';
import type {
  CheckJob,
  CheckedRows,
  CheckRowsJob,
  CheckResult,
  Finding,
  Job,
  RenderedDocument,
  PrintedRows,
  RenderedRows,
  RenderJob,
  RenderResult,
  RenderRowsJob,
  SharedTemplate,
  TemplateChange,
  SignaturePlace,
  SignatureRequest,
} from './job.ts';
import { layoutDocument } from './layout/layout.ts';
import { findPlaces } from './sample-places.ts';
import { addInstitutionWords } from './layout/text/words/words.ts';
import type { SignedAs } from './layout/signature-field.ts';
import type { LaidOutDocument } from './model/frame.ts';
import type { TemplateFile } from './pdf/template-file.ts';
import { writeDocument } from './pdf/document.ts';
import { prepareFile } from './pdf/template-file.ts';
import type { WrittenDocument } from './pdf/document.ts';
import type { AttachedPages } from './pdf/document.ts';
import { readAttachments } from './merge/merge.ts';
import type { RowStages } from './rows/rows.ts';
import { printRows } from './rows/print.ts';
import { checkRows, renderRows } from './rows/rows.ts';
import { ARCHIVE_PAGE_SIDE_MAX_PT } from './template/archive/archive.ts';
import type { ReadyTemplate } from './template/compile.ts';
import { findChanges } from './template/changes/changes.ts';
import { compileTemplate } from './template/compile.ts';
import { withCleanPdfs } from './template/clean-source.ts';
import { locate } from './template/source.ts';
import { fieldsOf, listFields } from './template/fields/field-list.ts';
import type { CheckedSample } from './values/check-template.ts';
import { checkTemplate } from './values/check-template.ts';
import { countMissingCharacters } from './values/check-values.ts';
import { findDefects } from './values/find-defects.ts';
import { countMissingInTexts, otherTextsFault, otherTextsOf } from './values/other-texts.ts';

/**
 * The entry of a worker thread, which runs the stages of a document:
 *
 *   body ─ contract ─▶ values ─ layout ─▶ pages ─ pdf ─▶ bytes
 *                        ▲                  ▲
 *              template ─┘     attachments ─┘
 */

interface RenderSettings {
  readonly templateCacheMb: number;
  readonly fontsDir: string | null;
  /** Words of the institution, which are never broken over two lines. */
  readonly words: readonly string[];
  /** Budget of the pixels that all threads decode at a time; null: each thread has its own. */
  readonly decodeCells: Int32Array | null;
  /** Longest wait while other images are decoded. */
  readonly decodeWaitMsMax: number;
}

/** A template ready to render: compiled, with the bytes that all its documents share. */
interface Prepared {
  readonly template: ReadyTemplate;
  readonly file: TemplateFile;
}

const DEFAULT_SETTINGS: RenderSettings = {
  templateCacheMb: 64,
  fontsDir: null,
  words: [],
  decodeCells: null,
  decodeWaitMsMax: 5_000,
};
// Absent where no pool started this module (commands, benches).
const setup = workerData as {
  settings?: Partial<RenderSettings>;
  laidOut?: Uint32Array;
  yields?: Int32Array;
} | null;
const settings: RenderSettings = { ...DEFAULT_SETTINGS, ...setup?.settings };
if (settings.decodeCells !== null) {
  shareDecodeBudget(new DecodeBudget(settings.decodeCells, settings.decodeWaitMsMax));
}
const laidOutCount = setup?.laidOut ?? new Uint32Array(1);
/** Nonzero while requests wait for a thread. */
const waitingRequests = setup?.yields ?? new Int32Array(1);
const fonts = loadFonts(settings.fontsDir === '' ? null : settings.fontsDir).library;
addInstitutionWords(settings.words);
const templates = new LRUCache<string, Prepared>({
  maxSize: settings.templateCacheMb * 1024 * 1024,
  sizeCalculation: ({ template, file }) => template.bytes + file.prefix.bytes.length,
});

/** The part of the template cache that is for drafts. */
const DRAFT_SHARE = 1 / 4;

/** A draft; `file` null: it was checked and has not been rendered since. */
interface PreparedDraft {
  readonly template: ReadyTemplate;
  readonly file: TemplateFile | null;
}

/**
 * Drafts by their hash. A preview that does not come with the save is requested right after it, and
 * then the draft need not be compiled again. Most drafts are rendered once, until the next change: a
 * draft leaves the cache with its first preview, while it is still in the young generation, where
 * dropping it costs nothing. One that is rendered again is compiled again and stays. Drafts are kept
 * apart from the published templates, whose cache they would fill.
 */
const drafts = new LRUCache<string, PreparedDraft>({
  maxSize: Math.ceil(settings.templateCacheMb * 1024 * 1024 * DRAFT_SHARE),
  sizeCalculation: ({ template, file }) => template.bytes + (file?.prefix.bytes.length ?? 0),
});

type Answer =
  RenderResult | CheckResult | CheckedRows | RenderedRows | PrintedRows | Failure | void;

export default async function run(job: Job): Promise<Answer> {
  switch (job.kind) {
    case 'render':
      return render(job);
    case 'check':
      return check(job);
    case 'print_rows':
      return printRows(job);
    case 'check_rows':
    case 'render_rows':
      return runRows(job);
    case 'warm':
      await prepared(job.template);
      return undefined;
    default:
      return assertNever(job);
  }
}

/** Checks or renders rows of a run. */
async function runRows(
  job: CheckRowsJob | RenderRowsJob,
): Promise<CheckedRows | RenderedRows | Failure> {
  const known = templates.get(job.template.hash) ?? (await prepared(job.template));
  if ('ok' in known) return known;
  const { template } = known;
  const fault = otherTextsFault(template, otherTextsOf(job, template));
  const stages: RowStages = {
    fields: template.fields,
    check: async (data) => {
      if (fault !== null) return fault;
      const checked = await template.contract.check(data);
      if (!checked.ok) return checked;
      const defects = findDefects(template, checked.value);
      return defects.length > 0 ? fail('invalid_data', undefined, defects) : checked;
    },
    render,
    isWanted: () => Atomics.load(waitingRequests, 0) !== 0,
  };
  return job.kind === 'check_rows' ? checkRows(job, stages) : renderRows(job, stages);
}

/** Renders one document. Expected failures are values; what it throws is a bug. */
async function render(job: RenderJob): Promise<RenderResult> {
  const clock = new StageClock();
  const isDraft = job.isPreview === true;
  const known = templates.get(job.template.hash) ?? (await prepared(job.template, isDraft));
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
    const made = { pdf: new Uint8Array(0), pages: 0, sha256: '', missingCharacters, naming: null };
    return done(made, clock);
  }
  return compose(job, known, values, clock);
}

/** The properties of a job that composing its document reads. */
type Composing = Pick<
  RenderJob,
  | 'atMs'
  | 'attachments'
  | 'watermark'
  | 'metadata'
  | 'signature'
  | 'isProtected'
  | 'digest'
  | 'isPreview'
>;

function compose(
  job: Composing,
  { template, file }: Prepared,
  values: FieldValues,
  clock: StageClock,
): RenderResult {
  const archive = template.archive ?? null;
  if (archive !== null && job.isProtected === true) return fail('bad_request', PROTECTED_ARCHIVE);
  const signatureBytes = signatureRoom(job, template);
  if (typeof signatureBytes === 'object' && signatureBytes !== null) return signatureBytes;
  if (template.isTagged === true && job.attachments.length > 0) {
    return fail('bad_request', TAGGED_MERGE);
  }
  const texts = otherTextsOf(job, template);
  const fault = otherTextsFault(template, texts);
  if (fault !== null) return fault;
  const attached =
    job.attachments.length === 0
      ? succeed(null)
      : readAttachments(job.attachments, archive !== null);
  if (!attached.ok) return attached;
  // Reading attachments counts as post-processing.
  clock.mark('postMs');
  assert.equal(values.length, template.fields.length, 'a value, or null, for each field');
  Atomics.add(laidOutCount, 0, 1);
  const laidOut = layoutDocument(
    template,
    values,
    attached.value?.sizes ?? [],
    signedAs(job, template, signatureBytes),
  );
  clock.mark('layoutMs');
  if (!laidOut.ok) return laidOut;
  if (archive !== null) {
    const refusal = archiveRefusal(laidOut.value);
    if (refusal !== null) return refusal;
  }
  const { pdf, pages, signature, showsMissingGlyph } = write(
    job,
    template,
    file,
    laidOut.value,
    attached.value,
    signatureBytes,
  );
  clock.mark('pdfMs');
  const sha256 = job.digest && signature === null ? hash('sha256', pdf, 'hex') : '';
  clock.mark('postMs');
  const missingCharacters = showsMissingGlyph
    ? countMissingCharacters(template, values) + countMissingInTexts(template, texts)
    : 0;
  const naming = template.naming === null ? null : template.naming.of(values);
  const made = { pdf, pages, sha256, missingCharacters, naming };
  return done(made, clock, signature ?? undefined);
}

const PROTECTED_ARCHIVE =
  'options.protection: documents of this template are archived, and an archive document is never ' +
  'encrypted (PDF/A); leave protection out.';

/** Who signs the document; 'draft': its field is drawn without a signature. */
function signedAs(
  { signature, atMs, isPreview = false }: Composing,
  template: ReadyTemplate,
  signatureBytes: number | null,
): SignedAs | 'draft' | null {
  if (signatureBytes !== null) return { signer: signature?.signer ?? '', atMs };
  return isPreview && template.isSigned === true ? 'draft' : null;
}

/**
 * Bytes to reserve for a signature; null when none is needed, a failure when none is possible. A
 * draft is never signed, because nobody has published it.
 */
function signatureRoom(job: Composing, template: ReadyTemplate): number | null | Failure {
  const { signature = NO_SIGNATURE, isProtected = false } = job;
  if (!signature.isAsked && template.isSigned !== true) return null;
  if (isProtected) return fail('bad_request', PROTECTED_SIGNATURE);
  if (job.isPreview === true) return null;
  return signature.bytesMax > 0 ? signature.bytesMax : fail('signing_unavailable');
}

const NO_SIGNATURE: SignatureRequest = { isAsked: false, bytesMax: 0, signer: '' };

const PROTECTED_SIGNATURE =
  'options.protection: this document is signed, and a signed document is not encrypted afterwards; ' +
  'leave protection or signature out.';

const TAGGED_MERGE =
  'options.attach: documents of this template are tagged, and the tags of several documents are not ' +
  'merged; leave attach out.';

/**
 * Refuses a page that is too high for an archive: without a fixed height it grows with its content.
 */
function archiveRefusal({ pages }: LaidOutDocument): Failure | null {
  if (pages.every(({ heightPt }) => heightPt <= ARCHIVE_PAGE_SIDE_MAX_PT)) return null;
  const message = 'document.pageSize: a page of an archive document is at most 14,400 points high.';
  return fail('render_failed', message);
}

function write(
  job: Composing,
  template: ReadyTemplate,
  file: TemplateFile,
  document: LaidOutDocument,
  attached: AttachedPages | null,
  signatureBytes: number | null,
): WrittenDocument {
  const { watermark, metadata, atMs } = job;
  const options = { attached, watermark, metadata, atMs, signatureBytes };
  return writeDocument({ template, file, document, ...options });
}

function done(
  made: Omit<RenderedDocument, 'times' | 'signature'>,
  { times }: StageClock,
  signature?: SignaturePlace,
): RenderResult {
  return { ok: true, value: { ...made, times, signature } };
}

/**
 * Compiles a template, unless it was checked a moment ago, and caches it. A template that does not
 * compile is `render_failed`.
 */
async function prepared(shared: SharedTemplate, isDraft = false): Promise<Prepared | Failure> {
  const draft = drafts.get(shared.hash);
  const { template, findings } =
    draft === undefined
      ? await compileTemplate(sourceOf(shared), shared, fonts)
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
    if (draft === undefined) drafts.set(shared.hash, ready);
    else if (draft.file === null) drafts.delete(shared.hash);
  } else {
    drafts.delete(shared.hash);
    templates.set(shared.hash, ready);
  }
  return ready;
}

function at(finding: Finding): string {
  return finding.path === '' ? `: ${finding.message}` : ` at ${finding.path}: ${finding.message}`;
}

/** A copy of the source: TextDecoder does not accept shared memory. */
function sourceOf(shared: SharedTemplate): Uint8Array {
  return new Uint8Array(shared.source).slice();
}

/** Finds every fault of a template and of its samples, and renders the samples when asked to. */
async function check(job: CheckJob): Promise<CheckResult> {
  const source = sourceOf(job.template);
  if (job.fieldsOnly === true) {
    const fields = listFields(source);
    return { label: null, findings: [], samples: [], fields, changes: [] };
  }
  const checked = await checkTemplate(source, job.template, fonts);
  const { template, label, file } = checked;
  // A file beyond a limit of templates has fields all the same.
  const fields = file === null ? listFields(source) : fieldsOf(file);
  const rendered =
    template !== null && job.renderSamples
      ? renderSamples(job, template, checked.samples)
      : { findings: [], samples: [] };
  const all = [...checked.findings, ...rendered.findings];
  // A file without a label is not JSON; its only finding already names the place.
  const findings = label === null ? all : locate(source, all);
  const { cleanedPdfs } = checked;
  const cleaned = await withCleanPdfs(source, checked, async (bytes) =>
    checkTemplate(bytes, job.template, fonts),
  );
  if (!cleaned.ok) return refuseFile(cleaned.finding);
  const preview = previewOf(job, template, checked.samples);
  // If a PDF was cleaned, the store keeps the cleaned template, which has another hash. A draft that
  // was rendered here is not kept, because it is seldom rendered twice (see `drafts`).
  const isStoredAsSent = cleanedPdfs === undefined || cleanedPdfs.size === 0;
  if (template !== null && isStoredAsSent && preview === undefined) {
    drafts.set(job.template.hash, { template, file: null });
  }
  const stored = cleaned.source === source ? {} : { source: cleaned.source };
  const { samples } = rendered;
  return { label, findings, samples, fields, preview, changes: changesOf(job, source), ...stored };
}

/** The result of a check whose file cannot be stored. */
function refuseFile(finding: Finding): CheckResult {
  const none = { samples: [], fields: new Uint8Array(), changes: [] };
  return { label: null, findings: [finding], ...none };
}

/** What the template changes in the version that the job names. */
function changesOf({ against }: CheckJob, source: Uint8Array): readonly TemplateChange[] {
  if (against === undefined) return [];
  return findChanges(against === null ? null : sourceOf(against), source);
}

/** Renders the sample that the job wants to see; undefined: see `CheckResult`. */
function previewOf(
  { previewOf: wanted, atMs }: CheckJob,
  template: ReadyTemplate | null,
  validSamples: readonly CheckedSample[],
): RenderedDocument | undefined {
  const sample = validSamples.find(({ index }) => index === wanted);
  if (template === null || sample === undefined) return undefined;
  const clock = new StageClock();
  const ready = { template, file: prepareFile(template) };
  clock.mark('templateMs');
  const options = {
    attachments: [],
    watermark: null,
    metadata: null,
    digest: true,
    isPreview: true,
  };
  const rendered = compose({ atMs, ...options }, ready, sample.values, clock);
  return rendered.ok ? rendered.value : undefined;
}

function renderSamples(
  job: CheckJob,
  template: ReadyTemplate,
  validSamples: readonly CheckedSample[],
): Pick<CheckResult, 'findings' | 'samples'> {
  const findings: Finding[] = [];
  const samples: { name: string; pages: number }[] = [];
  const ready = { template, file: prepareFile(template) };
  for (const { index, name, values } of validSamples) {
    const outcome = renderSample(job, ready, values);
    findings.push(...findPlaces(template, name, findings));
    if (outcome.ok) samples.push({ name, pages: outcome.value });
    else if (outcome.code !== 'invalid_data')
      findings.push({ severity: 'error', path: `samples[${index}]`, message: outcome.message });
  }
  return { findings, samples };
}

const SAMPLE_SIGNER = 'Signer';

function renderSample(
  job: CheckJob,
  { template, file }: Prepared,
  values: FieldValues,
): Outcome<number> {
  // With a signer, because a signature field that does not fit is a fault of the template, too.
  const laidOut = layoutDocument(template, values, [], { signer: SAMPLE_SIGNER, atMs: job.atMs });
  if (!laidOut.ok) return laidOut;
  const refusal = (template.archive ?? null) === null ? null : archiveRefusal(laidOut.value);
  if (refusal !== null) return refusal;
  const { atMs } = job;
  const none = { attached: null, watermark: null, metadata: null };
  return succeed(writeDocument({ template, file, document: laidOut.value, ...none, atMs }).pages);
}

/** Wall time of the stages; each begins at the mark before it. */
class StageClock {
  readonly times = { contractMs: 0, templateMs: 0, layoutMs: 0, pdfMs: 0, postMs: 0 };
  #last = performance.now();

  mark(stage: keyof StageClock['times']): void {
    const now = performance.now();
    this.times[stage] += now - this.#last;
    this.#last = now;
  }
}
