import { languageOf, parseText, staticText } from '../fields/bindings.ts';
import { checkObject } from '../vocabulary/check.ts';
import { isObject } from '../../../runtime/json-object.ts';
import type { JsonObject } from '../../../runtime/json-object.ts';
import type { Cascade } from '../style/cascade.ts';
import type { Context, CompileScope } from '../context.ts';
import { enterRepetition } from './repetition.ts';
import { shown } from '../vocabulary/findings.ts';
import { BindingFormat, checkFormat } from '../fields/format.ts';
import { BLOCK_KEYS, RUN_KEYS } from '../vocabulary/keys.ts';
import type { RunSource } from '../vocabulary/keys.ts';
import { hasForeignScheme, isLinkAddress } from '../../model/address.ts';
import type { NodeBase, Run, TextTemplate } from '../../model/nodes.ts';
import { legibleSpacing } from '../style/spacing.ts';
import { decorationOf, rgbOf } from '../style/textstyle.ts';
import { compileAnchors } from './toc.ts';
import { partsByLanguage } from './languages.ts';

/** Block keys that pdfmake's users also put on runs, where they have no effect. */
const EFFECTLESS = Object.keys(BLOCK_KEYS).filter((key) => !Object.hasOwn(RUN_KEYS, key));

type Hoisted = Pick<NodeBase, 'tocItem' | 'outline'>;

/** The runs of a text, and what an inline run says about the block it stands in. */
export interface Runs extends Hoisted {
  readonly runs: readonly Run[];
  /** The first run's style, which aligns and indents in pdfmake; null: there is no run. */
  readonly first: Cascade | null;
}

interface Walk {
  readonly context: Context;
  /** The text node. */
  readonly path: string;
  readonly runs: Run[];
  /** The text of the last run, which may have become several runs of different languages. */
  lastText: TextTemplate | null;
  first: Cascade | null;
  hoisted: Hoisted;
}

/**
 * The content of `text` as runs in reading order. Nested runs inherit from the run they stand in and
 * carry its conditions.
 */
export function compileRuns(
  source: unknown,
  at: string,
  context: Context,
  scope: CompileScope,
  own: RunSource,
  path: string,
): Runs {
  const walk: Walk = {
    context,
    path,
    runs: [],
    lastText: null,
    first: null,
    hoisted: { tocItem: null, outline: null },
  };
  const inner = formatScope(own, path, context, scope);
  addContent(source, { scope: inner, path, at, own, flow: NO_CONDITIONS }, walk);
  if (inner !== scope) inner.format?.report(isBound(walk.runs), context.findings);
  return { runs: walk.runs, first: walk.first, ...walk.hoisted };
}

interface RunConditions {
  readonly conditions: Run['conditions'];
  readonly each: number | null;
}

const NO_CONDITIONS: RunConditions = { conditions: [], each: null };

/** Where the walk stands: the surrounding run, its scope and its conditions. */
interface RunPlace {
  readonly scope: CompileScope;
  /** Path of the surrounding object, for its own keys. */
  readonly path: string;
  /** Path of the content itself. */
  readonly at: string;
  readonly own: RunSource;
  readonly flow: RunConditions;
}

function addContent(source: unknown, place: RunPlace, walk: Walk): void {
  const { at } = place;
  if (Array.isArray(source)) {
    source.forEach((item, index) => addContent(item, { ...place, at: `${at}[${index}]` }, walk));
  } else if (isObject(source) && Object.keys(source).length > 0) {
    addNested(source, place, walk);
  } else if (source === null || source === undefined || isObject(source)) {
    addRun('', place, walk);
  } else if (typeof source === 'string') {
    addRun(source, place, walk);
  } else if (typeof source === 'number' || typeof source === 'boolean') {
    if (typeof source === 'number' && !Number.isSafeInteger(source)) warnOfDigits(source, at, walk);
    addRun(String(source), place, walk);
  } else {
    walk.context.findings.error(at, `must be a text, not ${shown(source)}.`);
  }
}

/** JSON keeps neither the last zeros of a fraction nor more than some 16 digits. */
function warnOfDigits(source: number, at: string, { context }: Walk): void {
  const message = `The number prints as ${source}; to print it as it is written, put it in quotes.`;
  context.findings.warning(at, message);
}

function addNested(source: JsonObject, place: RunPlace, walk: Walk): void {
  const { context } = walk;
  const path = place.at;
  const own = checkObject(source, path, RUN_KEYS, context.findings, EFFECTLESS);
  if (!('text' in source) && own.pageReference === undefined && own.textReference === undefined) {
    const message = 'An inline run needs "text"; images and blocks cannot stand in a text.';
    context.findings.error(path, message);
    return;
  }
  const flow = enterRepetition(own, path, context, place.scope);
  if (flow.each !== null && place.flow.each !== null) {
    context.findings.error(`${path}.each`, 'This run stands in a run with "each" already.');
  }
  const style = context.styles.enter(flow.scope.style, own, path);
  const scope = formatScope(own, path, context, { ...flow.scope, style });
  const each = flow.each ?? place.flow.each;
  const conditions = [...place.flow.conditions, ...flow.conditions];
  const at = 'text' in source ? `${path}.text` : path;
  const runCount = walk.runs.length;
  addContent(source['text'], { scope, path, at, own, flow: { conditions, each } }, walk);
  if (own.format !== undefined) {
    scope.format?.report(isBound(walk.runs.slice(runCount)), context.findings);
  }
  const anchors = compileAnchors(own, path, context, scope);
  walk.hoisted = {
    tocItem: walk.hoisted.tocItem ?? anchors.tocItem,
    outline: walk.hoisted.outline ?? titled(anchors.outline, walk.lastText),
  };
}

/** An inline run's outline shows the run's text, not the whole paragraph's. */
function titled(outline: NodeBase['outline'], text: TextTemplate | null): NodeBase['outline'] {
  return outline === null || outline.title !== null ? outline : { ...outline, title: text };
}

function addRun(text: string, { scope, path, at, own, flow }: RunPlace, walk: Walk): void {
  const { context } = walk;
  walk.first ??= scope.style;
  const template = parseText(text, at, context, { ...scope, printsSecrets: true });
  const reference = compileReference(own, path, context);
  const isValue = reference !== null || staticText(template) === null;
  const cascade = isValue ? legibleSpacing(scope.style, at, context.findings) : scope.style;
  const style = context.textStyles.of(cascade, at);
  if (reference?.kind === 'page') context.uses.addText(style.stack, '0123456789', at);
  else if (reference?.kind === 'text') context.uses.addFreeText(style.stack);
  else context.uses.add(style.stack, template, at);
  // The id of a text node belongs to the node, not to its run.
  const isInline = path !== walk.path;
  walk.lastText = template;
  const run: Omit<Run, 'text' | 'lang' | 'id'> = {
    ...flow,
    style,
    lineHeight: cascade.lineHeight ?? 1,
    background: rgbOf(cascade.background),
    decoration: decorationOf(cascade, style.color),
    noWrap: cascade.noWrap ?? false,
    wordBreak: cascade.wordBreak ?? 'normal',
    ...(context.words === null ? {} : { words: context.words }),
    preserveLeadingSpaces: cascade.preserveLeadingSpaces ?? false,
    preserveTrailingSpaces: cascade.preserveTrailingSpaces ?? false,
    script: cascade.sup === true ? 'sup' : cascade.sub === true ? 'sub' : null,
    link: compileLink(cascade, path, context, scope),
    reference,
  };
  let id = isInline ? (own.id ?? null) : null;
  for (const part of partsByLanguage(template, context, scope)) {
    walk.runs.push({ ...run, ...part, id });
    id = null;
  }
}

function compileReference(own: RunSource, path: string, { anchors }: Context): Run['reference'] {
  if (own.pageReference !== undefined) {
    anchors.mention(own.pageReference, `${path}.pageReference`, true);
    return { kind: 'page', id: own.pageReference };
  }
  if (own.textReference === undefined) return null;
  anchors.mention(own.textReference, `${path}.textReference`, true);
  return { kind: 'text', id: own.textReference };
}

/** Target of a click on the node; the link properties cascade as in pdfmake. */
export function compileLink(
  own: Pick<RunSource, 'link' | 'linkToPage' | 'linkToDestination'>,
  path: string,
  context: Context,
  scope: CompileScope,
): Run['link'] {
  if (own.link !== undefined && own.link !== '') {
    const to = parseText(own.link, `${path}.link`, context, scope);
    const text = staticText(to);
    if (text !== null && !isLinkAddress(text)) {
      const message = 'A link starts with https://, http://, mailto:, tel: or ftp://.';
      // Without any scheme it opens nothing; with a foreign one it may do harm.
      const severity = hasForeignScheme(text) ? 'error' : 'warning';
      context.findings[severity](`${path}.link`, message);
    }
    return { kind: 'uri', to };
  }
  if (own.linkToPage !== undefined) {
    return { kind: 'page', to: [{ kind: 'static', text: String(own.linkToPage) }] };
  }
  if (own.linkToDestination === undefined) return null;
  const to = parseText(own.linkToDestination, `${path}.linkToDestination`, context, scope);
  const id = staticText(to);
  if (id !== null) context.anchors.mention(id, `${path}.linkToDestination`, false);
  return { kind: 'destination', to };
}

/** The scope with the run's own `format`, if it has one. */
function formatScope(
  own: RunSource,
  path: string,
  context: Context,
  scope: CompileScope,
): CompileScope {
  if (own.format === undefined) return scope;
  const at = `${path}.format`;
  const format = checkFormat(own.format, at, languageOf(scope, context), context.findings);
  const isEmpty = format === null || Object.keys(format).length === 0;
  return { ...scope, format: isEmpty ? null : new BindingFormat(format, at) };
}

function isBound(runs: readonly Run[]): boolean {
  return runs.some(({ text, reference }) => reference === null && staticText(text) === null);
}
