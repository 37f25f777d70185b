import type { TypedField, TypeSource } from './model.ts';
import { literal } from './names.ts';

/**
 * A TypedDict by a call: its keys may be any text, and Python neither mangles nor normalises them as
 * it does with names of a class.
 */
export function toPython({ typeName, origin, fields }: TypeSource): string {
  const items = fields.flatMap((field) => [
    ...field.comment.map((line) => `        # ${line}`),
    `        ${literal(field.name)}: ${typeOf(field)},`,
  ]);
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
    `${typeName} = TypedDict(`,
    `    ${literal(typeName)},`,
    '    {',
    ...items,
    '    },',
    ')',
    '',
  ].join('\n');
}

function typeOf({ type, isRequired, choices }: TypedField): string {
  const plain = type === 'table' ? 'List[List[str]]' : 'str';
  const value = choices === null ? plain : `Literal[${choices.map(literal).join(', ')}]`;
  return isRequired ? value : `NotRequired[${value}]`;
}
