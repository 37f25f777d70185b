import type { Finding } from '#engine';

/**
 * The place in the imported file that a node of the draft was made of. A symbol, because it is kept
 * by copies of the node and left out of JSON.
 */
export const ORIGIN = Symbol('place in the imported file');

/** A step of a JSON path such as `document.content[3].table`. */
const STEP = /[^.[\]]+/g;

/**
 * Findings about a draft that an import has made, as findings about the imported file: with the
 * place there, if it is known, before that in the draft, and without lines, which are the draft's.
 */
export function inImportedFile(findings: readonly Finding[], draft: object): readonly Finding[] {
  return findings.map(({ severity, path, message }) => {
    const origin = originOf(draft, path);
    return {
      severity,
      path: origin === null ? path : `${origin} (in the draft: ${path})`,
      message,
    };
  });
}

/** The origin of the innermost node on the path that has one. */
function originOf(draft: object, path: string): string | null {
  let origin: string | null = null;
  let node: unknown = draft;
  for (const [step] of path.matchAll(STEP)) {
    if (typeof node !== 'object' || node === null) break;
    node = Reflect.get(node, step);
    if (typeof node !== 'object' || node === null) break;
    const found: unknown = Reflect.get(node, ORIGIN);
    if (typeof found === 'string') origin = found;
  }
  return origin;
}
