import { fail, type Failure, type Outcome, succeed } from '../../errors.ts';
import { REASONS } from '../contract/reasons.ts';
import type { FieldValues } from '../contract/types.ts';
import { fieldOf, type NarrowedAmount } from './amounts/amounts.ts';
import { AmountFault } from './amounts/fit.ts';
import type { CompiledTemplate } from '../model/nodes.ts';
import type { Box } from './box/blocks.ts';
import { Plans } from './box/plans.ts';
import { fillContents } from './contents.ts';
import { LayoutFault } from './layout-fault.ts';
import type { LaidOutDocument, SignatureAppearance } from '../model/frame.ts';
import { fillFiles, fillInfo } from './info.ts';
import { RunningElements } from './running-elements.ts';
import { buildOutline, findDestinations, fillReferences } from './navigation.ts';
import { finishPages } from './pages.ts';
import { placeSections } from './place/sections.ts';
import { DataScope } from './scope.ts';
import { drawUnsignedField, layOutSignature, type SignedAs } from './signature-field.ts';
import { Watermark } from './watermark.ts';

/** State kept for a template between documents: plans, static boxes, static headers and footers. */
interface Prepared {
  readonly plans: Plans;
  readonly watermark: Watermark | null;
}

const prepared = new WeakMap<CompiledTemplate, Prepared>();

/**
 * Lays a document out on pages. Faults that depend on the data (a block taller than the page, too
 * many pages) are `render_failed`; the message names the template path, never data.
 * `attachedPages`: the number of pages of other documents that get headers and footers of this one.
 * `signedAs`: who signs the document afterwards; null when nobody does.
 */
export function layoutDocument(
  template: CompiledTemplate,
  values: FieldValues,
  attachedPages = 0,
  signedAs: SignedAs | 'draft' | null = null,
): Outcome<LaidOutDocument> {
  try {
    return succeed(layOut(template, values, attachedPages, signedAs));
  } catch (error) {
    if (error instanceof AmountFault) return refusal(error, template, values);
    if (!(error instanceof LayoutFault)) throw error;
    return fail('render_failed', `${error.path}: ${error.message}.`);
  }
}

/** An amount that does not fit its line is a fault of the data: the field is refused. */
function refusal(
  { path, source }: AmountFault,
  { fields }: CompiledTemplate,
  values: FieldValues,
): Failure {
  const index = fieldOf(source, values);
  const field = fields[index]?.name;
  const message = `${path}: ${REASONS.amountWide}.`;
  if (field === undefined) return fail('render_failed', message);
  return fail('invalid_data', undefined, [{ field, reason: REASONS.amountWide }]);
}

/**
 * The amounts that were wider than their lines in the last document of a template, by the path of
 * their node.
 */
export function narrowedAmounts(template: CompiledTemplate): ReadonlyMap<string, NarrowedAmount> {
  return prepare(template).plans.amounts.narrowed;
}

function layOut(
  template: CompiledTemplate,
  values: FieldValues,
  attachedPages: number,
  signedAs: SignedAs | 'draft' | null,
): LaidOutDocument {
  const { plans, watermark } = prepare(template);
  plans.amounts.narrowed.clear();
  const scope = new DataScope(values);
  const contents = template.sections.map(({ content }): Box => plans.of(content).box(scope));
  const anchorIds = plans.hasToc ? fillContents(contents) : NO_IDS;
  const sheets = placeSections(template, contents, anchorIds);
  fillReferences(sheets);
  const runningElements = new RunningElements(template, plans, values, sheets);
  runningElements.demandBounded(attachedPages);
  const pages = finishPages(sheets, runningElements, watermark, scope, template.isTagged === true);
  const destinations = findDestinations(sheets);
  const { signatureField = null } = template;
  const source = { sections: template.sections, plans, scope };
  const placed = { pages, destinations };
  let signature: SignatureAppearance | null = null;
  if (signatureField !== null && signedAs === 'draft') {
    const isTagged = template.isTagged === true;
    drawUnsignedField(signatureField, template.language, source, placed, isTagged);
  } else if (signatureField !== null && signedAs !== null && signedAs !== 'draft') {
    signature = layOutSignature(signatureField, signedAs, source, placed);
  }
  return {
    pages,
    destinations,
    signature,
    outline: buildOutline(sheets),
    language: template.language,
    info: fillInfo(template.info ?? null, scope),
    files: fillFiles(template.files ?? [], scope),
    overlay: (request) => runningElements.overlay(request),
  };
}

const NO_IDS: ReadonlyMap<Box, string> = new Map();

/** The state kept for a template; made for its first document. */
function prepare(template: CompiledTemplate): Prepared {
  let known = prepared.get(template);
  if (known === undefined) {
    const { watermark } = template;
    known = {
      plans: new Plans(template),
      watermark: watermark === null ? null : new Watermark(watermark),
    };
    prepared.set(template, known);
  }
  return known;
}
