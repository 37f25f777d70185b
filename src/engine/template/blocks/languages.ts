import { languageOf } from '../fields/bindings.ts';
import { writtenLanguage } from '../../contract/format/formats.ts';
import type { Context, CompileScope } from '../context.ts';
import type { TextPart, TextTemplate } from '../../model/nodes.ts';

/** Consecutive parts of a text in one language. */
export interface LanguagePart {
  readonly text: TextTemplate;
  /** BCP 47; null: the document's language. */
  readonly lang: string | null;
}

/**
 * Divides a text by language: an amount in English words within a Thai sentence is a part. Only tagged
 * documents need it; in others a text is one part, so that its line breaks stay as they are.
 */
export function partsByLanguage(
  template: TextTemplate,
  context: Context,
  scope: CompileScope,
): readonly LanguagePart[] {
  const place = languageOf(scope, context);
  const placeLang = place === context.language ? null : place;
  if (!context.isTagged) return [{ text: template, lang: placeLang }];
  const parts: { text: TextPart[]; lang: string | null }[] = [];
  for (const part of template) {
    const written = writtenBy(part, place, context, scope);
    const isForeign = written !== null && primaryOf(written) !== primaryOf(place);
    const lang = isForeign ? languageTag(written, context) : placeLang;
    const last = parts.at(-1);
    if (last !== undefined && last.lang === lang) last.text.push(part);
    else parts.push({ text: [part], lang });
  }
  return parts.length === 0 ? [{ text: template, lang: placeLang }] : parts;
}

/** The language of the words that a placeholder prints; null: it prints none, or is static. */
function writtenBy(
  part: TextPart,
  place: string,
  { fields }: Context,
  { format }: CompileScope,
): string | null {
  switch (part.kind) {
    case 'field':
      return writtenLanguage(fields.descriptor(part.field).format, place);
    case 'formatted': {
      const field = fields.descriptor(part.field);
      return format?.writtenLanguage(field, place) ?? writtenLanguage(field.format, place);
    }
    case 'entry':
      return format?.writtenLanguage(part.of, place) ?? writtenLanguage(part.of.format, place);
    case 'cell':
    case 'sum':
    case 'columnSum':
      return format?.writtenLanguage(null, place) ?? null;
    case 'static':
    case 'page':
    case 'pages':
    case 'signature':
      return null;
  }
}

function languageTag(language: string, context: Context): string | null {
  return primaryOf(language) === primaryOf(context.language) ? null : language;
}

function primaryOf(language: string): string {
  return language.toLowerCase().split(/[-_]/, 1)[0] ?? '';
}
