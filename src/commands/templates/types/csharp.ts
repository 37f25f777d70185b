import type { TypedField, TypeSource } from './model.ts';
import { literal, type NameRules, uniqueNames, wordsOf } from './names.ts';

const RESERVED =
  wordsOf(`Equals GetHashCode GetType ToString MemberwiseClone Finalize ReferenceEquals
  EqualityContract PrintMembers Clone`);

const TYPES: Readonly<Record<TypedField['type'], string>> = {
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
  const rules: NameRules = {
    isPascal: true,
    illegal: /[^\p{L}\p{Nd}\p{Mn}\p{Mc}]/gu,
    // A member cannot have the name of its type.
    reserved: new Set([...RESERVED, typeName]),
  };
  const names = uniqueNames(
    fields.map(({ name }) => name),
    rules,
  );
  const members = fields.flatMap((field, at) => memberOf(field, names[at] ?? ''));
  return [
    ...origin.map((line) => `// ${line}`),
    '#nullable enable',
    'using System;',
    'using System.Collections.Generic;',
    'using System.Text.Json.Serialization;',
    '',
    ...(scope === '' ? [] : [`namespace ${scope};`, '']),
    `public sealed record ${typeName}`,
    '{',
    ...members,
    '}',
    '',
  ].join('\n');
}

function memberOf({ name, type, isRequired, comment }: TypedField, own: string): readonly string[] {
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
    `    public ${isRequired ? 'required ' : ''}${TYPES[type]}${isRequired ? '' : '?'} ${own} { get; init; }`,
    '',
  ];
}

function escaped(line: string): string {
  return line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
