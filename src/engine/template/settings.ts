import { parseText } from './fields/bindings.ts';
import { checkObject, isAbsent } from './vocabulary/check.ts';
import { isObject } from '../../runtime/json-object.ts';
import type { JsonObject } from '../../runtime/json-object.ts';
import type { Context, CompileScope } from './context.ts';
import type { Findings } from './vocabulary/findings.ts';
import { shown } from './vocabulary/findings.ts';
import {
  ATTACHED_KEYS,
  BREAK_BEFORE_KEYS,
  IGNORED_INFO_KEYS,
  INFO_KEYS,
  WATERMARK_KEYS,
} from './vocabulary/keys.ts';
import type { CompiledTemplate, TextTemplate } from '../model/nodes.ts';
import type { InfoTemplate } from '../model/structure.ts';

/** pdfmake's default. */
const WATERMARK_OPACITY = 0.6;

/** The template's own watermark: a string, or an object over pdfmake's defaults. */
export function compileWatermark(
  source: unknown,
  path: string,
  context: Context,
  scope: CompileScope,
): CompiledTemplate['watermark'] {
  const object = isObject(source) ? source : { text: source };
  const own = checkObject(object, path, WATERMARK_KEYS, context.findings);
  const at = isObject(source) ? `${path}.text` : path;
  if (own.text === undefined) {
    if (isAbsent(object['text'])) context.findings.error(at, 'A watermark needs "text".');
    return null;
  }
  const { fontSize = 'auto' } = own;
  if (fontSize !== 'auto' && !(typeof fontSize === 'number' && fontSize > 0)) {
    const message = `must be a number greater than 0 or "auto", not ${shown(fontSize)}.`;
    context.findings.error(`${path}.fontSize`, message);
  }
  const cascade = {
    ...(scope.style.font === undefined ? {} : { font: scope.style.font }),
    ...(own.font === undefined ? {} : { font: own.font }),
    bold: own.bold ?? false,
    italics: own.italics ?? false,
    color: own.color ?? 'black',
  };
  const style = context.textStyles.of(cascade, `${path}.font`);
  const text = parseText(own.text, at, context, scope);
  context.uses.add(style.stack, text, at);
  return {
    text,
    style: { ...style, sizePt: typeof fontSize === 'number' ? fontSize : 0 },
    angle: own.angle ?? null,
    opacity: own.opacity ?? WATERMARK_OPACITY,
  };
}

/** Title, subject, author and keywords of the PDF; they may hold bindings. */
export function compileInfo(
  source: JsonObject | undefined,
  path: string,
  context: Context,
  scope: CompileScope,
): InfoTemplate | null {
  if (source === undefined) return null;
  const own = checkObject(source, path, INFO_KEYS, context.findings, IGNORED_INFO_KEYS);
  const text = (key: keyof typeof INFO_KEYS): TextTemplate | null => {
    const value = own[key];
    return value === undefined ? null : parseText(value, `${path}.${key}`, context, scope);
  };
  return {
    title: text('title'),
    subject: text('subject'),
    author: text('author'),
    keywords: text('keywords'),
  };
}

/** `{"headlineLevel", "minFollowing"}`, which stands for pdfmake's `pageBreakBefore`. */
export function breakBeforeOf(
  source: JsonObject | undefined,
  path: string,
  findings: Findings,
): CompiledTemplate['breakBefore'] {
  if (source === undefined) return null;
  const own = checkObject(source, path, BREAK_BEFORE_KEYS, findings);
  return { headlineLevel: own.headlineLevel ?? 1, minFollowing: own.minFollowing ?? 1 };
}

/** Which of the template's running elements attached pages get: the footer, unless it says otherwise. */
export function attachedPagesOf(
  source: JsonObject | undefined,
  findings: Findings,
): CompiledTemplate['attachedPages'] {
  const own = checkObject(source ?? {}, 'attachedPages', ATTACHED_KEYS, findings);
  return { header: own.header ?? false, footer: own.footer ?? true };
}
