import assert from 'node:assert';
import type { Failure } from '../errors.ts';
import { fail, succeed } from '../errors.ts';
import type { FieldValues } from './contract/types.ts';
import { findExclusion, traitsOf, TRAITS } from './exclusions.ts';
import type { KeepFile, RenderJob, RenderResult, StageTimes } from './job.ts';
import { layoutDocument } from './layout/layout.ts';
import type { SignedAs } from './layout/signature-field.ts';
import { readAttachments } from './merge/merge.ts';
import type { LaidOutDocument } from './model/frame.ts';
import { writeDocument } from './pdf/document.ts';
import type { TemplateFile } from './pdf/template-file.ts';
import { ARCHIVE_PAGE_SIDE_MAX_PT } from './template/archive/archive.ts';
import type { ReadyTemplate } from './template/compile.ts';
import { countMissingCharacters } from './values/check-values.ts';
import { countMissingInTexts, otherTextsFault, otherTextsOf } from './values/other-texts.ts';

/**
 * A document of a compiled template and checked values:
 *
 *   values ─ layout ─▶ pages ─ pdf ─▶ bytes
 *                        ▲
 *         attachments ───┘
 */

/** A template ready to render: compiled, with the bytes that all its documents share. */
export interface Prepared {
  readonly template: ReadyTemplate;
  readonly file: TemplateFile;
}

/** The properties of a job that composing its document reads. */
export type Composing = Pick<
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

/** Keeps each file in its own buffer. */
export function keepAlone(file: Uint8Array): Uint8Array {
  return file.slice();
}

export function compose(
  job: Composing,
  { template, file }: Prepared,
  values: FieldValues,
  clock: StageClock,
  keep: KeepFile,
): RenderResult {
  const traits = traitsOf(job, template);
  const exclusion = findExclusion(traits);
  if (exclusion !== null) return exclusion;
  const texts = otherTextsOf(job, template);
  const fault = otherTextsFault(template, texts);
  if (fault !== null) return fault;
  const isArchived = (traits & TRAITS.archived) !== 0;
  const attached =
    job.attachments.length === 0 ? succeed(null) : readAttachments(job.attachments, isArchived);
  if (!attached.ok) return attached;
  // Reading attachments counts as post-processing.
  clock.mark('postMs');
  assert.equal(values.length, template.fields.length, 'a value, or null, for each field');
  clock.countLayout();
  const isSigned = (traits & TRAITS.signed) !== 0;
  const signedAs = isSigned ? signedAsOf(job, template) : null;
  const laidOut = layoutDocument(template, values, attached.value?.sizes ?? [], signedAs);
  clock.mark('layoutMs');
  if (!laidOut.ok) return laidOut;
  const refusal = isArchived ? archiveRefusal(laidOut.value) : null;
  if (refusal !== null) return refusal;
  const { watermark, metadata, atMs } = job;
  const {
    pdf: written,
    pages,
    signature,
    showsMissingGlyph,
  } = writeDocument({
    template,
    file,
    document: laidOut.value,
    attached: attached.value,
    watermark,
    metadata,
    atMs,
    signatureBytes: isSigned && !job.isPreview ? (job.signature?.bytesMax ?? 0) : null,
  });
  const pdf = keep(written);
  clock.mark('pdfMs');
  const sha256 = job.digest && signature === null ? file.digests.sha256(pdf) : '';
  clock.mark('postMs');
  const missingCharacters = showsMissingGlyph
    ? countMissingCharacters(template, values) + countMissingInTexts(template, texts)
    : 0;
  const naming = template.naming === null ? null : template.naming.of(values);
  const made = { pdf, pages, sha256, missingCharacters, naming };
  return {
    ok: true,
    value: { ...made, times: clock.times, signature: signature ?? undefined },
  };
}

/**
 * Gives the signer, if the document is to be signed. Drafts are never signed, because nobody has
 * published them; the signature field is still drawn if the template has one.
 */
function signedAsOf(
  { signature, atMs, isPreview }: Composing,
  template: ReadyTemplate,
): SignedAs | 'draft' | null {
  if (!isPreview) return { signer: signature?.signer ?? '', atMs };
  return template.profile.isSigned ? 'draft' : null;
}

/**
 * Refuses a page that is too high for an archive: without a fixed height it grows with its content.
 */
export function archiveRefusal({ pages }: LaidOutDocument): Failure | null {
  if (pages.every(({ heightPt }) => heightPt <= ARCHIVE_PAGE_SIDE_MAX_PT)) return null;
  const message = 'document.pageSize: a page of an archive document is at most 14,400 points high.';
  return fail('render_failed', message);
}

/** Wall time of the stages; each begins at the mark before it. */
export class StageClock {
  readonly times: { -readonly [K in keyof StageTimes]: StageTimes[K] } = {
    contractMs: 0,
    templateMs: 0,
    layoutMs: 0,
    pdfMs: 0,
    postMs: 0,
  };
  readonly #laidOut: Uint32Array;
  #last = performance.now();

  /** `laidOut`: its first number counts the documents whose layout began. */
  constructor(laidOut: Uint32Array) {
    this.#laidOut = laidOut;
  }

  mark(stage: keyof StageTimes): void {
    const now = performance.now();
    this.times[stage] += now - this.#last;
    this.#last = now;
  }

  countLayout(): void {
    Atomics.add(this.#laidOut, 0, 1);
  }
}
