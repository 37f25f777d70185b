import { LIMITS } from '../../limits.ts';
import { CommandFailed } from '../console/failure.ts';
import { readInput } from '../engine.ts';
import { importPdfme } from './import-pdfme.ts';

/** A draft made from another system's template, and the list of what has no counterpart. */
export interface ImportedTemplate {
  readonly template: object;
  readonly notes: readonly { readonly place: string; readonly note: string }[];
}

export const OTHER_SYSTEMS = ['pdfme', 'pdfmake'] as const;
export type OtherSystem = (typeof OTHER_SYSTEMS)[number];

/** Reads a template of another system from a JSON file. */
export function importOther(from: OtherSystem, path: string, id: string): ImportedTemplate {
  const source = readObject(path);
  switch (from) {
    case 'pdfme':
      return importPdfme(id, source);
    case 'pdfmake':
      return importPdfmake(id, source);
  }
}

/** Uses a pdfmake definition as the document; functions in it are left out and listed. */
function importPdfmake(id: string, source: Readonly<Record<string, unknown>>): ImportedTemplate {
  const notes: { place: string; note: string }[] = [];
  const document = withoutFunctions(source, 'document', notes);
  return { template: { templateId: id, name: id, fields: [], document }, notes };
}

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
  const kept: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const at = `${place}.${key}`;
    if (typeof member === 'string' && FUNCTION.test(member)) {
      notes.push({
        place: at,
        note: 'a function is left out; docs/templates.md says what is instead',
      });
    } else {
      kept[key] = withoutFunctions(member, at, notes);
    }
  }
  return kept;
}

function readObject(path: string): Readonly<Record<string, unknown>> {
  const text = new TextDecoder().decode(readInput(path, LIMITS.templateBytesMax));
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
