import type { SvgElement } from '../../svg/tree.ts';
import { svgIds } from '../../svg/tree.ts';
import { declaredValues, readStyleSheet } from '../../svg/css.ts';

/** A part of an SVG that is not drawn as written. `at`: `svg/g[2]/text[1]`, counted from 1. */
export interface SvgFinding {
  readonly at: string;
  readonly message: string;
}

const FINDINGS_MAX = 50;
/** Elements that are not drawn, with the message about them. */
const ELEMENTS: Readonly<Record<string, string>> = {
  textPath: 'Text on a path is not drawn; place it with x, y and rotate.',
};

/** Findings for all that the layout leaves out or simplifies, at most 50. */
export function svgFindings(root: SvgElement): SvgFinding[] {
  const ids = svgIds(root);
  const sheet = readStyleSheet(root);
  const findings: SvgFinding[] = sheet.ignored.map((selector) => ({
    at: 'svg/style',
    message: `The selector "${selector}" is ignored; use element, .class and #id selectors.`,
  }));
  const visit = (element: SvgElement, path: string, inClip: boolean): void => {
    if (findings.length >= FINDINGS_MAX) return;
    const declared = declaredValues(element, sheet);
    for (const message of messagesOf(element, declared, ids, inClip)) {
      findings.push({ at: path, message });
    }
    const counts = new Map<string, number>();
    for (const child of element.children) {
      if (typeof child === 'string') continue;
      const count = (counts.get(child.name) ?? 0) + 1;
      counts.set(child.name, count);
      visit(child, `${path}/${child.name}[${count}]`, inClip || element.name === 'clipPath');
    }
  };
  visit(root, 'svg', false);
  return findings.slice(0, FINDINGS_MAX);
}

function* messagesOf(
  element: SvgElement,
  declared: ReadonlyMap<string, string>,
  ids: ReadonlyMap<string, SvgElement>,
  inClip: boolean,
): Generator<string> {
  const about = ELEMENTS[element.name];
  if (about !== undefined) yield about;
  const value = (name: string): string | null => {
    const text = declared.get(name)?.trim();
    return text === undefined || text === '' || text === 'none' ? null : text;
  };
  if (value('mask') !== null) yield 'Masks are not applied; use a clipPath.';
  if (value('filter') !== null) yield 'Filters are not applied.';
  if ((value('mix-blend-mode') ?? 'normal') !== 'normal') yield 'Blend modes are not applied.';
  if (value('transform-origin') !== null) {
    yield 'transform-origin is ignored; write rotate(angle x y) or translate around the transform.';
  }
  if (value('textLength') !== null) yield 'textLength is ignored; use letter-spacing.';
  if (/^(?:tb|vertical)/.test(value('writing-mode') ?? ''))
    yield 'Vertical text is set horizontally.';
  if (inClip && (element.name === 'text' || value('clip-path') !== null)) {
    yield 'Inside a clipPath only plain shapes count.';
  }
  if (element.name === 'text' || element.name === 'tspan') {
    if (value('stroke') !== null) yield 'Text is filled, its stroke is not drawn.';
    if (value('fill')?.startsWith('url(') === true) {
      yield 'Text takes plain colours; for a gradient its first colour is used.';
    }
  }
  yield* brokenReferences(declared, ids);
}

/** References to ids that do not exist. */
function* brokenReferences(
  declared: ReadonlyMap<string, string>,
  ids: ReadonlyMap<string, SvgElement>,
): Generator<string> {
  for (const [name, text] of declared) {
    const id =
      name === 'href'
        ? text.slice(1)
        : /^url\(\s*["']?#([^"'()\s]+)["']?\s*\)/.exec(text.trim())?.[1];
    if (id !== undefined && !ids.has(id)) yield `${name} names #${id}, which does not exist.`;
  }
}
