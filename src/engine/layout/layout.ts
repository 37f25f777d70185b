import { fail, type Failure, type Outcome, succeed } from '../../errors.ts';
import { REASONS } from '../contract/reasons.ts';
import type { FieldValues } from '../contract/types.ts';
import {
  fieldOf,
  type NarrowedAmount,
  type OverfullElement,
  type RefusedPlace,
} from './amounts/amounts.ts';
import { AmountFault } from './amounts/fit.ts';
import { fieldToShorten, LostTextFault } from './amounts/lost.ts';
import type { CompiledTemplate } from '../model/nodes.ts';
import type { Box } from './box/blocks.ts';
import { Plans } from './box/plans.ts';
import { fillContents } from './contents.ts';
import { LayoutFault } from './layout-fault.ts';
import type { LaidOutDocument, PageSize, SignatureAppearance } from '../model/frame.ts';
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
 * `attached`: the pages of other documents that get headers and footers of this one.
 * `signedAs`: who signs the document afterwards; null when nobody does.
 */
export function layoutDocument(
  template: CompiledTemplate,
  values: FieldValues,
  attached: readonly PageSize[] = [],
  signedAs: SignedAs | 'draft' | null = null,
): Outcome<LaidOutDocument> {
  try {
    return succeed(layOut(template, values, attached, signedAs));
  } catch (error) {
    if (error instanceof AmountFault || error instanceof LostTextFault) {
      return refuse(error, template, values);
    }
    if (!(error instanceof LayoutFault)) throw error;
    return fail('render_failed', `${error.path}: ${error.message}.`);
  }
}

/** Says that the layout refuses a value which the field contract allows. */
const NO_ROOM =
  'data matches the field contract, but the layout has no room for a value: send a shorter one, or make' +
  ' its place in the template larger.';

/** A value that does not fit its place: its field is refused. */
function refuse(
  fault: AmountFault | LostTextFault,
  template: CompiledTemplate,
  values: FieldValues,
): Failure {
  const { path } = fault;
  const isAmount = fault instanceof AmountFault;
  const index = isAmount ? fieldOf(fault.source, values) : fieldToShorten(fault, values);
  const field = template.fields[index]?.name;
  const reason = isAmount ? AMOUNT_REASONS[fault.misfit] : fault.reason;
  prepare(template).plans.amounts.refusedPlace = { path, reason };
  if (field === undefined) {
    return fail('render_failed', `${path}: ${reason}; give it more room, or move it.`);
  }
  return fail('invalid_data', NO_ROOM, [{ field, reason }]);
}

const AMOUNT_REASONS = {
  wide: REASONS.amountWide,
  cut: REASONS.amountCut,
  touches: REASONS.amountTouches,
} as const;

/** The place for which the last document of a template was refused as `invalid_data`; or null. */
export function refusedPlace(template: CompiledTemplate): RefusedPlace | null {
  return prepare(template).plans.amounts.refusedPlace;
}

/**
 * The amounts and codes that were larger than their places in the last document of a template, by the
 * path of their node.
 */
export function narrowedAmounts(template: CompiledTemplate): ReadonlyMap<string, NarrowedAmount> {
  return prepare(template).plans.amounts.narrowed;
}

/** The width of modules that are narrow in the last document of a template, by the path of the code. */
export function smallModules(template: CompiledTemplate): ReadonlyMap<string, number> {
  return prepare(template).plans.amounts.smallModules;
}

/** How far lines of the last document of a template reached beyond their places, by their node. */
export function linesBeyond(template: CompiledTemplate): ReadonlyMap<string, number> {
  return prepare(template).plans.amounts.beyond;
}

/** The headers and footers of the last document that end beyond their margins, by their node. */
export function overfullElements(template: CompiledTemplate): ReadonlyMap<string, OverfullElement> {
  return prepare(template).plans.amounts.overfull;
}

function layOut(
  template: CompiledTemplate,
  values: FieldValues,
  attached: readonly PageSize[],
  signedAs: SignedAs | 'draft' | null,
): LaidOutDocument {
  const { plans, watermark } = prepare(template);
  // Clearing a map allocates its table anew, even if it is empty.
  if (plans.amounts.narrowed.size > 0) plans.amounts.narrowed.clear();
  if (plans.amounts.beyond.size > 0) plans.amounts.beyond.clear();
  if (plans.amounts.smallModules.size > 0) plans.amounts.smallModules.clear();
  if (plans.amounts.overfull.size > 0) plans.amounts.overfull.clear();
  plans.amounts.refusedPlace = null;
  const scope = new DataScope(values);
  const contents = template.sections.map(({ content }): Box => plans.of(content).box(scope));
  const anchorIds = plans.hasToc ? fillContents(contents) : NO_IDS;
  const sheets = placeSections(template, contents, anchorIds);
  fillReferences(sheets);
  const runningElements = new RunningElements(template, plans, values, sheets);
  runningElements.demandBounded(attached.length);
  const pages = finishPages(sheets, runningElements, watermark, scope, template.profile.isTagged);
  runningElements.demandFitting(pages, attached);
  const destinations = findDestinations(sheets);
  const { signatureField } = template;
  const source = { sections: template.sections, plans, scope };
  const placed = { pages, destinations };
  let signature: SignatureAppearance | null = null;
  if (signatureField !== null && signedAs === 'draft') {
    const isTagged = template.profile.isTagged;
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
    info: fillInfo(template.info, scope),
    files: fillFiles(template.files, scope),
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
