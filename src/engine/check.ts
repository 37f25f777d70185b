import type { Outcome } from '../errors.ts';
import { succeed } from '../errors.ts';
import { idFault, newIdFault } from '../runtime/id-rule.ts';
import type { FieldValues } from './contract/types.ts';
import { archiveRefusal, compose, keepAlone, type Prepared, StageClock } from './document.ts';
import type {
  CheckJob,
  CheckResult,
  Finding,
  RenderedDocument,
  TemplateChange,
  TemplateLabel,
} from './job.ts';
import { layoutDocument, refusedPlace } from './layout/layout.ts';
import { writeDocument } from './pdf/document.ts';
import { prepareFile } from './pdf/template-file.ts';
import { findPlaces } from './sample-places.ts';
import { findChanges } from './template/changes/changes.ts';
import { withCleanPdfs } from './template/clean-source.ts';
import type { ReadyTemplate } from './template/compile.ts';
import { fieldsOf, listFields, listSchema } from './template/fields/field-list.ts';
import { copySource, locate } from './template/source.ts';
import type { Surroundings } from './template/context.ts';
import { type CheckedSample, checkTemplate } from './values/check-template.ts';

/** `draft`: the compiled template, for a preview that follows; null: none will need it. */
interface Checked {
  readonly result: CheckResult;
  readonly draft: ReadyTemplate | null;
}

/**
 * Finds every fault of a template and of its samples, and renders the samples when asked to.
 * `laidOut` counts documents as in `StageClock`.
 */
export async function checkTemplateFile(
  job: CheckJob,
  surroundings: Surroundings,
  laidOut: Uint32Array,
): Promise<Checked> {
  const source = copySource(job.template);
  if (job.only !== undefined) {
    const listed = job.only === 'schema' ? listSchema(source) : listFields(source);
    return { result: onlyFields(listed), draft: null };
  }
  const checked = await checkTemplate(source, job.template, surroundings);
  const { template, label, file } = checked;
  // A file beyond a limit of templates has fields all the same.
  const fields = file === null ? listFields(source) : fieldsOf(file);
  const rendered =
    template !== null && job.renderSamples
      ? renderSamples(job, template, checked.samples)
      : { findings: [], samples: [] };
  const all = [...checked.findings, ...idFindings(job, label), ...rendered.findings];
  // A file without a label is not JSON; its only finding already names the place.
  const findings = label === null ? all : locate(source, all);
  const { cleanedPdfs } = checked;
  const cleaned = await withCleanPdfs(source, checked, async (bytes) =>
    checkTemplate(bytes, job.template, surroundings),
  );
  if (!cleaned.ok) return { result: refuseFile(cleaned.finding), draft: null };
  const clock = new StageClock(laidOut);
  const preview = previewOf(job, template, checked.samples, clock);
  const changes = changesOf(job, source);
  const stored = cleaned.source === source ? {} : { source: cleaned.source };
  const { samples } = rendered;
  const result = { label, findings, samples, fields, preview, changes, ...stored };
  // If a PDF was cleaned, the store keeps the cleaned template, which has another hash. A draft that
  // was rendered here is not kept, because it is seldom rendered twice.
  const isStoredAsSent = cleanedPdfs === undefined || cleanedPdfs.size === 0;
  return { result, draft: isStoredAsSent && preview === undefined ? template : null };
}

/** What is wrong with the id in the file; a missing one is found by the compiler. */
function idFindings({ hasNewId = false }: CheckJob, label: TemplateLabel | null): Finding[] {
  const id = label?.templateId ?? '';
  const fault = id === '' ? null : hasNewId ? newIdFault(id) : idFault(id);
  if (fault === null) return [];
  return [{ severity: 'error', path: 'templateId', message: `${fault}.` }];
}

/** The result of a job that asks for the fields alone. */
function onlyFields(fields: Uint8Array): CheckResult {
  return { label: null, findings: [], samples: [], fields, changes: [] };
}

/** The result of a check whose file cannot be stored. */
function refuseFile(finding: Finding): CheckResult {
  const none = { samples: [], fields: new Uint8Array(), changes: [] };
  return { label: null, findings: [finding], ...none };
}

/** Lists the changes from the version that the job names to this template. */
function changesOf({ against }: CheckJob, source: Uint8Array): readonly TemplateChange[] {
  if (against === undefined) return [];
  return findChanges(against === null ? null : copySource(against), source);
}

/** Renders the sample that the job wants to see; undefined: see `CheckResult`. */
function previewOf(
  { previewOf: wanted, atMs }: CheckJob,
  template: ReadyTemplate | null,
  validSamples: readonly CheckedSample[],
  clock: StageClock,
): RenderedDocument | undefined {
  const sample = validSamples.find(({ index }) => index === wanted);
  if (template === null || sample === undefined) return undefined;
  const ready = { template, file: prepareFile(template) };
  clock.mark('templateMs');
  const options = {
    attachments: [],
    watermark: null,
    metadata: null,
    signature: null,
    isProtected: false,
    digest: true,
    isPreview: true,
  };
  const rendered = compose({ atMs, ...options }, ready, sample.values, clock, keepAlone);
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
    // A place that was refused is among the findings.
    else if (outcome.code !== 'invalid_data' && refusedPlace(template) === null) {
      const { message } = outcome;
      findings.push({ severity: 'error', path: `samples[${index}]`, message, sample: name });
    }
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
  const refusal = template.profile.kind === 'archive' ? archiveRefusal(laidOut.value) : null;
  if (refusal !== null) return refusal;
  const { atMs } = job;
  const none = { attached: null, watermark: null, metadata: null, signatureBytes: null };
  return succeed(writeDocument({ template, file, document: laidOut.value, ...none, atMs }).pages);
}
