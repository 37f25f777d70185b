import { checkObject } from './vocabulary/check.ts';
import { isObject } from '../../runtime/json-object.ts';
import type { JsonObject } from '../../runtime/json-object.ts';
import type { Context, CompileScope } from './context.ts';
import { IGNORED_SECTION_KEYS, SECTION_KEYS } from './vocabulary/keys.ts';
import type { Checked } from './vocabulary/values.ts';
import { VALUES } from './vocabulary/values.ts';
import type { RunningElement, Node, PageSetup, Section, StackNode } from '../model/nodes.ts';
import { PLAIN_NODE } from '../model/nodes.ts';
import {
  compileRunningElement,
  compileMargins,
  compilePaper,
  pageScope,
  turnPaper,
} from './pages.ts';

/** A stretch of content while it is gathered. */
interface OpenSection {
  readonly path: string;
  readonly setup: PageSetup;
  readonly children: Node[];
  readonly followsBreak: boolean;
}

type SectionSource = Checked<typeof SECTION_KEYS>;

/**
 * The document's content cut where the page set-up changes: at `section` nodes, and at page breaks
 * that turn the paper. Content that follows a section and is not one itself continues on its pages,
 * as in pdfmake.
 */
export function compileSections(
  content: unknown,
  setup: PageSetup,
  context: Context,
  scope: CompileScope,
): readonly Section[] {
  const path = 'document.content';
  const children: readonly unknown[] = Array.isArray(content) ? content : [content];
  const sections: OpenSection[] = [];
  const open = (at: string, next: PageSetup, followsBreak = false): OpenSection => {
    const section = { path: at, setup: next, children: [], followsBreak };
    sections.push(section);
    return section;
  };
  const startsWithSection = isSection(children[0]);
  let current = startsWithSection ? null : open(path, setup);
  children.forEach((child, index) => {
    const at = Array.isArray(content) ? `${path}[${index}]` : path;
    if (isSection(child)) {
      const own = checkObject(child, at, SECTION_KEYS, context.findings, IGNORED_SECTION_KEYS);
      // null says that the section has no header; absent, that it has the document's.
      const without = Object.keys(child).filter((key) => child[key] === null);
      const around = { path: at, previous: current?.setup ?? null, document: setup };
      current = open(at, sectionSetup(own, without, around, context, scope));
      const inner = pageScope(scope, current.setup);
      current.children.push(context.block(own.section, `${at}.section`, inner).node);
      return;
    }
    current ??= open(path, setup);
    const turn = turnOf(child);
    if (turn?.when === 'before') current = open(at, turned(current.setup, turn.orientation), true);
    const source = turn === null ? child : turn.rest;
    const inner = pageScope(scope, current.setup);
    current.children.push(context.block(source, at, inner).node);
    if (turn?.when === 'after') current = open(at, turned(current.setup, turn.orientation), true);
  });
  return sections.map(({ path: at, setup: page, children: nodes, followsBreak }) => ({
    path: at,
    setup: page,
    followsBreak,
    content: stackOf(at, nodes),
  }));
}

function isSection(child: unknown): child is JsonObject {
  return isObject(child) && child['section'] !== undefined && child['section'] !== null;
}

interface Turn {
  readonly when: 'before' | 'after';
  readonly orientation: string;
  /** The node without the break, which the new section makes. */
  readonly rest: JsonObject;
}

/** A page break that turns the paper; null for all other nodes. */
function turnOf(child: unknown): Turn | null {
  if (!isObject(child)) return null;
  const { pageBreak, pageOrientation, ...rest } = child;
  const isFixed = ['if', 'unless', 'each'].every((key) => rest[key] === undefined);
  if (!isFixed || !VALUES.pageOrientation.accepts(pageOrientation)) return null;
  if (pageBreak !== 'before' && pageBreak !== 'after') return null;
  return { when: pageBreak, orientation: pageOrientation, rest };
}

/** The set-up with the paper in another orientation. */
function turned(setup: PageSetup, orientation: string): PageSetup {
  return { ...setup, ...turnPaper(setup, orientation) };
}

/** The path of a section, and the set-ups from which it may inherit. */
interface SectionPlace {
  readonly path: string;
  /** Set-up of the section before; null for the first. */
  readonly previous: PageSetup | null;
  /** Set-up of the document, which applies where a section sets nothing. */
  readonly document: PageSetup;
}

/** The set-up of a section; `without` are the keys that it sets to null. */
function sectionSetup(
  own: SectionSource,
  without: readonly string[],
  place: SectionPlace,
  context: Context,
  scope: CompileScope,
): PageSetup {
  const { path, previous, document } = place;
  const { pageSize, pageOrientation, pageMargins } = own;
  const base = pageSize === 'inherit' ? (previous ?? document) : document;
  const sized = VALUES.pageSize.accepts(pageSize) && pageSize !== 'inherit' ? pageSize : undefined;
  if (pageSize !== undefined && pageSize !== 'inherit' && sized === undefined) {
    context.findings.error(`${path}.pageSize`, `must be "inherit" or ${VALUES.pageSize.says}.`);
  }
  const orientation = orientationOf(pageOrientation, place, context);
  const paper =
    sized === undefined
      ? turnPaper({ widthPt: base.widthPt, heightPt: base.heightPt }, orientation)
      : compilePaper(sized, orientation, `${path}.pageSize`, context);
  const part = (key: 'header' | 'footer' | 'background'): RunningElement | null => {
    const source = own[key];
    if (without.includes(key)) return null;
    if (source === undefined) return document[key];
    if (source === 'inherit') return previous === null ? null : previous[key];
    return compileRunningElement(source, `${path}.${key}`, context, scope);
  };
  return {
    ...paper,
    margins: marginsOf(pageMargins, place, paper, context),
    header: part('header'),
    footer: part('footer'),
    background: part('background'),
  };
}

function orientationOf(
  source: unknown,
  { path, previous }: SectionPlace,
  { findings }: Context,
): string | undefined {
  if (source === undefined) return undefined;
  if (source === 'inherit') {
    if (previous === null) return undefined;
    return previous.widthPt > previous.heightPt ? 'landscape' : 'portrait';
  }
  if (VALUES.pageOrientation.accepts(source)) return source;
  findings.error(`${path}.pageOrientation`, 'must be "portrait", "landscape" or "inherit".');
  return undefined;
}

function marginsOf(
  source: unknown,
  { path, previous, document }: SectionPlace,
  paper: { readonly widthPt: number; readonly heightPt: number },
  context: Context,
): PageSetup['margins'] {
  if (source === undefined) return document.margins;
  if (source === 'inherit') return (previous ?? document).margins;
  if (VALUES.margin.accepts(source)) {
    return compileMargins(source, paper, `${path}.pageMargins`, context);
  }
  context.findings.error(`${path}.pageMargins`, `must be "inherit" or ${VALUES.margin.says}.`);
  return document.margins;
}

function stackOf(path: string, children: readonly Node[]): StackNode {
  return { kind: 'stack', path, ...PLAIN_NODE, children };
}
