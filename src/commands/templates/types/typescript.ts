import type { TypedField, TypeSource } from './model.ts';
import { literal } from './names.ts';

/** An interface; numbers are strings, so that no digit is lost. */
export function toTypeScript({ typeName, origin, fields }: TypeSource): string {
  const head = origin.map((line) => `// ${line}`);
  return [...head, '', `export interface ${typeName} {`, ...membersOf(fields), '}', ''].join('\n');
}

function membersOf(fields: readonly TypedField[]): readonly string[] {
  return fields
    .flatMap((field) => [...commentOf(field), ...memberOf(field)])
    .map((line) => `  ${line}`);
}

function commentOf({ comment }: TypedField): readonly string[] {
  const lines = comment.map((line) => ` * ${line.replaceAll('*/', String.raw`*\/`)}`);
  return ['/**', ...lines, ' */'];
}

function memberOf({ name, isRequired, type, choices, entry }: TypedField): readonly string[] {
  const key = /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__' ? name : literal(name);
  const start = `readonly ${key}${isRequired ? '' : '?'}: `;
  if (entry !== null) {
    const [open, close] = type === 'list' ? ['readonly {', '}[];'] : ['{', '};'];
    return [start + open, ...membersOf(entry.fields), close];
  }
  const value = type === 'table' ? 'readonly (readonly string[])[]' : 'string';
  return [`${start}${choices === null ? value : choices.map(literal).join(' | ')};`];
}
