import type { Examples, KeyExample } from './key-examples.ts';

const of = (value: unknown, beside?: Readonly<Record<string, unknown>>): KeyExample =>
  beside === undefined ? { value } : { value, beside };

/** Examples of the keys of conditions and repetition. */
export const FLOW: Examples = {
  if: of('absent'),
  unless: of('number'),
  each: of('table', { text: '{{date}}' }),
  as: of('entry', { each: 'list', text: '{{entry.one}}' }),
};

/** The same for rows of a table, with their cells. */
export const ROW_FLOW: Examples = {
  each: of('table'),
  as: of('entry', { each: 'list', cells: ['{{entry.one}}'] }),
  cells: of(['{{0}}'], { each: 'table' }),
};
