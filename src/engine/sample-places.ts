import type { Finding } from './job.ts';
import type { NarrowedAmount, OverfullElement } from './layout/amounts/amounts.ts';
import { LEAST_MODULE_PT, leastScaleOf } from './layout/box/printed-code.ts';
import {
  linesBeyond,
  narrowedAmounts,
  overfullElements,
  refusedPlace,
  smallModules,
} from './layout/layout.ts';
import type { CompiledTemplate } from './model/nodes.ts';

/**
 * The places where values of a sample, which was laid out last, did not fit: amounts that were
 * printed smaller, what the sample was refused for, and headers and footers that are higher than their
 * margins. Nodes with a finding in `known` are left out.
 */
export function findPlaces(
  template: CompiledTemplate,
  sample: string,
  known: readonly Finding[],
): readonly Finding[] {
  const inSample = `In sample ${JSON.stringify(sample)}`;
  const found: Finding[] = [];
  for (const [path, narrowed] of narrowedAmounts(template)) {
    const severity = narrowed.isPrinted ? 'warning' : 'error';
    found.push({ severity, path, message: `${inSample} ${narrowedText(narrowed)}`, sample });
  }
  const refused = refusedPlace(template);
  // `found` already has the amounts and codes that do not fit even in the least size.
  const isFound = narrowedAmounts(template).get(refused?.path ?? '')?.isPrinted === false;
  if (refused !== null && !isFound) {
    const element = tooHighBy(overfullElements(template), refused.path);
    const message =
      element === null
        ? `${inSample}: ${refused.reason}. Give it more room, move it, or limit the length of the ` +
          'field with "validation".'
        : overfull(element, ' even with the shortest values');
    found.push({ severity: 'error', path: refused.path, message, sample });
  }
  for (const [path, modulePt] of smallModules(template)) {
    if (found.some((finding) => finding.path === path)) continue;
    const message =
      `${inSample} a module of the code is ${modulePt.toFixed(2)} points wide: many printers and ` +
      `readers need ${LEAST_MODULE_PT}. Make the code larger or its text shorter.`;
    found.push({ severity: 'warning', path, message, sample });
  }
  for (const [path, beyondPt] of linesBeyond(template)) {
    if (found.some((finding) => finding.path === path)) continue;
    const message =
      `${inSample} a line reaches ${Math.ceil(beyondPt)} points beyond its place. Make the place ` +
      'wider or the text smaller, or let the line wrap.';
    found.push({ severity: 'warning', path, message, sample });
  }
  for (const [path, element] of overfullElements(template)) {
    if (refused !== null || element.textEndPt < element.roomPt + OVERFULL_PT_MIN) continue;
    found.push({ severity: 'warning', path, message: overfull(element), sample });
  }
  return found.filter(({ path }) => known.every((finding) => finding.path !== path));
}

/** The message about an amount or a code that is larger than its place. */
function narrowedText({ neededPt, roomPt, isPrinted, modulePt }: NarrowedAmount): string {
  const has = Math.floor(roomPt);
  if (modulePt === null) {
    const outcome = isPrinted ? 'it is printed smaller' : 'it does not fit even in the least size';
    return (
      `an amount needs ${Math.ceil(neededPt)} points and its line has ${has}: ${outcome}. Make ` +
      'the column wider or the text smaller.'
    );
  }
  if (isPrinted) {
    return (
      `a code needs ${Math.ceil(neededPt)} points and its place has ${has}: it is printed smaller. ` +
      'Make the place or the page larger, or the code smaller.'
    );
  }
  const leastScale = leastScaleOf({ modulePt });
  return (
    `a code needs ${Math.ceil(neededPt * leastScale)} points with modules of ` +
    `${(modulePt * leastScale).toFixed(2)} and its ` +
    `place has ${has}: it cannot be read if it is smaller. Make the place or the page larger, or ` +
    'the text shorter.'
  );
}

/** Rounding and the room between lines may let a text end a little later. */
const OVERFULL_PT_MIN = 1;

/** The element of a refused place, if it has no room even with the shortest values; or null. */
function tooHighBy(
  elements: ReadonlyMap<string, OverfullElement>,
  refusedPath: string,
): OverfullElement | null {
  for (const [path, element] of elements) {
    const { leastEndPt, roomPt } = element;
    const isRefused = refusedPath === path || refusedPath.startsWith(`${path}.`);
    if (!isRefused || leastEndPt < roomPt + OVERFULL_PT_MIN) continue;
    return { ...element, textEndPt: leastEndPt };
  }
  return null;
}

function overfull({ role, textEndPt, roomPt }: OverfullElement, whichever = ''): string {
  const [margin, outcome] =
    role === 'header'
      ? ['top', 'it is printed over the content of the page']
      : ['bottom', 'its end leaves the paper'];
  return (
    `The texts and codes of the ${role} take ${Math.ceil(textEndPt)} points${whichever} and its margin has ` +
    `${Math.floor(roomPt)}: ${outcome}. Make the ${role} lower, or the ${margin} margin in ` +
    `"pageMargins" ${Math.ceil(textEndPt)} or more.`
  );
}
