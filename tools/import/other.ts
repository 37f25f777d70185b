import { readConfig } from '../../src/settings/config.ts';
import { LIMITS } from '../../src/limits.ts';
import type { Engine } from '#engine';
import { CommandFailed } from '../../src/commands/console/failure.ts';
import { asUtf8 } from '../../src/commands/console/files/text-file.ts';
import { readInput } from '../../src/commands/engine.ts';
import { importPdfme } from './pdfme/pdfme.ts';
import type { PdfmeSurroundings } from './pdfme/pdfme.ts';
import type { ImportNote } from './pdfme/schema-reader.ts';

/** A draft made of another system's template, with notes on what has no exact counterpart. */
export interface ImportedTemplate {
  readonly template: object;
  readonly notes: readonly ImportNote[];
}

export const OTHER_SYSTEMS = ['pdfme', 'pdfmake'] as const;
export type OtherSystem = (typeof OTHER_SYSTEMS)[number];

/** Reads a template of another system from a JSON file. */
export async function importOther(
  from: OtherSystem,
  path: string,
  id: string,
): Promise<ImportedTemplate> {
  const source = readObject(path);
  switch (from) {
    case 'pdfme': {
      const { createEngine } = await import('#engine');
      const engine = createEngine({ fontsDir: readConfig(process.env).fontsDir });
      const pages = await pagesOf(source['basePdf'], path, engine);
      return importPdfme(id, source, { fonts: engine.fonts, pages });
    }
    case 'pdfmake':
      return importPdfmake(id, source);
  }
}

const PDF_URL = /^data:application\/pdf[^,]*,/;

/** Page sizes of a PDF given as a data URL; empty for any other value. */
async function pagesOf(
  base: unknown,
  path: string,
  engine: Engine,
): Promise<PdfmeSurroundings['pages']> {
  const prefix = typeof base === 'string' ? PDF_URL.exec(base)?.[0] : undefined;
  if (typeof base !== 'string' || prefix === undefined) return [];
  const bytes = new Uint8Array(Buffer.from(base.slice(prefix.length), 'base64'));
  const cleaned = await engine.cleanPdf(bytes);
  if (!cleaned.ok) {
    throw new CommandFailed(`basePdf of ${path} cannot be read: ${cleaned.message}`);
  }
  return cleaned.pages.map(({ widthPx, heightPx }) => ({ width: widthPx, height: heightPx }));
}

/** Uses a pdfmake definition as the document; functions in it are left out and listed. */
function importPdfmake(id: string, source: Readonly<Record<string, unknown>>): ImportedTemplate {
  const notes: { place: string; note: string }[] = [];
  const document = withoutFunctions(source, 'document', notes);
  const template = { templateId: id, name: id, missingGlyph: 'reject', fields: [], document };
  return { template, notes };
}

/** The beginning of a function in JavaScript, which some programs write into JSON as a text. */
const FUNCTION = /^\s*(?:async\s+)?(?:function\b|\([^()]*\)\s*=>|\w+\s*=>)/;

function withoutFunctions(
  value: unknown,
  place: string,
  notes: { place: string; note: string }[],
): unknown {
  if (Array.isArray(value)) {
    return value.map((item, index) => withoutFunctions(item, `${place}[${index}]`, notes));
  }
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const memberPlace = `${place}.${key}`;
    if (typeof member === 'string' && FUNCTION.test(member)) {
      const note = 'a function is left out; docs/templates.md says what is instead';
      notes.push({ place: memberPlace, note });
    } else {
      copy[key] = withoutFunctions(member, memberPlace, notes);
    }
  }
  return copy;
}

function readObject(path: string): Readonly<Record<string, unknown>> {
  const { bytes } = asUtf8(readInput(path, LIMITS.templateBytesMax), path, 'utf-8');
  const text = new TextDecoder().decode(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CommandFailed(`${path} is no JSON`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CommandFailed(`${path} holds no JSON object`);
  }
  return { ...value };
}
