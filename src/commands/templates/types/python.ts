import { type EntryType, entryTypes, type TypedField, type TypeSource } from './model.ts';
import { literal } from './names.ts';

/**
 * A TypedDict by a call: its keys may be any text, and Python neither mangles nor normalises them as
 * it does with names of a class.
 */
export function toPython({ typeName, origin, fields }: TypeSource): string {
  // Inner types first: the value of a call is made at once.
  const types = [...entryTypes(fields).toReversed(), { typeName, fields }];
  return [
    ...origin.map((line) => `# ${line}`),
    'import sys',
    'from typing import List',
    '',
    'if sys.version_info >= (3, 11):',
    '    from typing import Literal, NotRequired, TypedDict',
    'else:',
    '    from typing_extensions import Literal, NotRequired, TypedDict',
    '',
    ...types.flatMap(definitionOf),
  ].join('\n');
}

function definitionOf({ typeName, fields }: EntryType): readonly string[] {
  const items = fields.flatMap((field) => [
    ...field.comment.map((line) => `        # ${line}`),
    `        ${literal(field.name)}: ${typeOf(field)},`,
  ]);
  return [
    `${typeName} = TypedDict(`,
    `    ${literal(typeName)},`,
    '    {',
    ...items,
    '    },',
    ')',
    '',
  ];
}

function typeOf({ type, isRequired, choices, entry }: TypedField): string {
  const single = type === 'table' ? 'List[List[str]]' : 'str';
  const inner = entry === null ? single : entry.typeName;
  const plain = type === 'list' ? `List[${inner}]` : inner;
  const value = choices === null ? plain : `Literal[${choices.map(literal).join(', ')}]`;
  return isRequired ? value : `NotRequired[${value}]`;
}
