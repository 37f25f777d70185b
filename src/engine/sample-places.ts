import type { Finding } from './job.ts';
import { linesBeyond, narrowedAmounts, overfullElements, refusedPlace } from './layout/layout.ts';
import type { OverfullElement } from './layout/amounts/amounts.ts';
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
  for (const [path, { neededPt, roomPt, isPrinted }] of narrowedAmounts(template)) {
    const outcome = isPrinted ? 'it is printed smaller' : 'it does not fit even in the least size';
    const message =
      `${inSample} an amount needs ${Math.ceil(neededPt)} points and its line has ` +
      `${Math.floor(roomPt)}: ${outcome}. Make the column wider or the text smaller.`;
    found.push({ severity: isPrinted ? 'warning' : 'error', path, message, sample });
  }
  const refused = refusedPlace(template);
  // An amount that does not fit in the least size is in `found`.
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
    `The text of the ${role} takes ${Math.ceil(textEndPt)} points${whichever} and its margin has ` +
    `${Math.floor(roomPt)}: ${outcome}. Make the ${role} lower, or the ${margin} margin in ` +
    `"pageMargins" ${Math.ceil(textEndPt)} or more.`
  );
}
