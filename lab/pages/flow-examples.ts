import type { Examples, KeyExample } from './key-examples.ts';

const of = (value: unknown, beside?: Readonly<Record<string, unknown>>): KeyExample =>
  beside === undefined ? { value } : { value, beside };

const IN_TEXT = { each: 'list', as: 'entry', text: '{{entry._number}} {{entry.one}}' };
const IN_ROW = { each: 'list', as: 'entry', cells: ['{{entry._number}} {{entry.one}}'] };

/** Examples of the keys of conditions and repetition. */
export const FLOW: Examples = {
  if: of('absent'),
  unless: of('number'),
  each: of('table', { text: '{{date}}' }),
  as: of('entry', { each: 'list', text: '{{entry.one}}' }),
  filter: of('entry.one != "first"', IN_TEXT),
  sortBy: of('entry.one desc', IN_TEXT),
};

/** The same for groups of nodes. */
export const NODE_GROUPS: Examples = {
  groupBy: of('entry.one', IN_TEXT),
  groupHeader: of('Above {{entry.one}}', { ...IN_TEXT, groupBy: 'entry.one' }),
  groupFooter: of('{{= size(group)}}', { ...IN_TEXT, groupBy: 'entry.one' }),
};

/** The same for rows of a table, with their cells. */
export const ROW_FLOW: Examples = {
  each: of('table'),
  as: of('entry', { each: 'list', cells: ['{{entry.one}}'] }),
  filter: of('entry.one != "first"', IN_ROW),
  sortBy: of(['entry.one desc'], IN_ROW),
  groupBy: of('entry.one', IN_ROW),
  groupHeader: of(['Above {{entry.one}}'], { ...IN_ROW, groupBy: 'entry.one' }),
  groupFooter: of(['{{= size(group)}}'], { ...IN_ROW, groupBy: 'entry.one' }),
  cells: of(['{{0}}'], { each: 'table' }),
};
