import type { TypedField, TypeSource } from './model.ts';
import { literal } from './names.ts';

/** An interface; numbers are strings, so that no digit is lost. */
export function toTypeScript({ typeName, origin, fields }: TypeSource): string {
  const head = origin.map((line) => `// ${line}`);
  const members = fields.flatMap((field) => [...commentOf(field), `  ${memberOf(field)}`]);
  return [...head, '', `export interface ${typeName} {`, ...members, '}', ''].join('\n');
}

function commentOf({ comment }: TypedField): readonly string[] {
  const lines = comment.map((line) => `   * ${line.replaceAll('*/', String.raw`*\/`)}`);
  return ['  /**', ...lines, '   */'];
}

function memberOf({ name, isRequired, type, choices }: TypedField): string {
  const key = /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__' ? name : literal(name);
  const value = type === 'table' ? 'readonly (readonly string[])[]' : 'string';
  const words = choices === null ? value : choices.map(literal).join(' | ');
  return `readonly ${key}${isRequired ? '' : '?'}: ${words};`;
}
