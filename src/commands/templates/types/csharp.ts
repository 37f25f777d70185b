import type { PlainType } from '#engine';
import { type EntryType, entryTypes, type TypedField, type TypeSource } from './model.ts';
import { literal, type NameRules, uniqueNames, wordsOf } from './names.ts';

const RESERVED =
  wordsOf(`Equals GetHashCode GetType ToString MemberwiseClone Finalize ReferenceEquals
  EqualityContract PrintMembers Clone`);

const TYPES: Readonly<Record<PlainType, string>> = {
  text: 'string',
  number: 'decimal',
  date: 'DateOnly',
  image: 'string',
  qrcode: 'string',
  table: 'IReadOnlyList<IReadOnlyList<string>>',
  svg: 'string',
};

/** A record for System.Text.Json; decimals are written as strings, with the digits they have. */
export function toCSharp({ typeName, scope, origin, fields }: TypeSource): string {
  // A member cannot have the name of its type; the others are kept apart for readers.
  const types = [{ typeName, fields }, ...entryTypes(fields)];
  const reserved = new Set([...RESERVED, ...types.map((type) => type.typeName)]);
  return [
    ...origin.map((line) => `// ${line}`),
    '#nullable enable',
    'using System;',
    'using System.Collections.Generic;',
    'using System.Text.Json.Serialization;',
    '',
    ...(scope === '' ? [] : [`namespace ${scope};`, '']),
    ...types.flatMap((type) => recordOf(type, reserved)),
  ].join('\n');
}

function recordOf({ typeName, fields }: EntryType, reserved: ReadonlySet<string>) {
  const rules: NameRules = {
    isPascal: true,
    illegal: /[^\p{L}\p{Nd}\p{Mn}\p{Mc}]/gu,
    reserved,
  };
  const names = uniqueNames(
    fields.map(({ name }) => name),
    rules,
  );
  const members = fields.flatMap((field, at) => memberOf(field, names[at] ?? ''));
  return [`public sealed record ${typeName}`, '{', ...members, '}', ''];
}

function typeOf({ type, entry }: TypedField): string {
  if (entry !== null) {
    return type === 'list' ? `IReadOnlyList<${entry.typeName}>` : entry.typeName;
  }
  // Only records and lists have an entry.
  return TYPES[type as PlainType];
}

function memberOf(field: TypedField, own: string): readonly string[] {
  const { name, type, isRequired, comment } = field;
  const lines = comment.map((line) => `    /// ${escaped(line)}<br/>`);
  const digits = '    // decimal keeps 28 digits, zeros at the end included.';
  const asText = 'JsonNumberHandling.AllowReadingFromString | JsonNumberHandling.WriteAsString';
  return [
    '    /// <summary>',
    ...lines,
    '    /// </summary>',
    ...(type === 'number' ? [digits, `    [JsonNumberHandling(${asText})]`] : []),
    `    [JsonPropertyName(${literal(name)})]`,
    ...(isRequired ? [] : ['    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]']),
    `    public ${isRequired ? 'required ' : ''}${typeOf(field)}${isRequired ? '' : '?'} ${own} { get; init; }`,
    '',
  ];
}

function escaped(line: string): string {
  return line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
