import type { Definition } from './engines.ts';
import { prose, wholeWords } from './prose.ts';

/** Paragraphs, runs, alignment, spacing, lists, page breaks. */
export const TEXTS: Readonly<Record<string, Definition>> = {
  'plain paragraphs': { content: [prose(120), prose(60, 3), '', prose(30, 9)] },
  'long text over pages': { content: [prose(900), prose(700, 11)] },
  'one string content': { content: prose(20) },
  sizes: {
    content: [6, 8, 10, 14, 18, 24, 36].map((fontSize) => ({
      text: prose(25, fontSize),
      fontSize,
    })),
  },
  'bold and italics': {
    content: [
      { text: prose(40), bold: true },
      { text: prose(40, 2), italics: true },
      { text: prose(40, 4), bold: true, italics: true },
    ],
  },
  'inline runs': {
    content: [
      {
        text: [
          prose(12),
          { text: ' bold text ', bold: true },
          prose(9, 4),
          { text: 'large', fontSize: 22 },
          ' and ',
          { text: 'small words in a run', fontSize: 7, italics: true },
          ' end of it, ',
          prose(30, 6),
        ],
      },
    ],
  },
  'runs inside words': {
    content: [
      {
        text: [
          'inter',
          { text: 'nation', bold: true },
          'al ',
          prose(40),
          'x',
          { text: 'y', color: 'red' },
        ],
      },
    ],
  },
  'nested runs': {
    content: [
      { text: ['a ', { text: ['b ', { text: 'c ', bold: true }, prose(20)] }, prose(15, 5)] },
    ],
  },
  alignment: {
    content: ['left', 'center', 'right', 'justify'].map((alignment) => ({
      text: alignment === 'justify' ? wholeWords(60, 8) : prose(60, 8),
      alignment,
      margin: [0, 0, 0, 10],
    })),
  },
  'justify with runs': {
    content: [
      {
        text: [prose(20), { text: ` ${prose(12, 3)} `, bold: true }, prose(25, 1)],
        alignment: 'justify',
      },
      { text: `${prose(30)}\n${prose(25, 7)}`, alignment: 'justify' },
    ],
  },
  'justify narrow': {
    content: [{ text: wholeWords(100), alignment: 'justify', margin: [0, 0, 330, 0] }],
  },
  newlines: {
    content: [
      'first\nsecond\n\nfourth\r\nfifth\n',
      'after',
      { text: 'a\nb\nc', alignment: 'right' },
    ],
  },
  'line height': {
    content: [
      { text: prose(50), lineHeight: 1.5 },
      { text: prose(50, 4), lineHeight: 0.9 },
      { text: [prose(20), { text: prose(10), lineHeight: 2 }, prose(30)] },
    ],
  },
  'character spacing': {
    content: [
      { text: prose(40), characterSpacing: 2 },
      { text: prose(40, 3), characterSpacing: 0.5, alignment: 'center' },
      { text: wholeWords(40, 5), characterSpacing: 1, alignment: 'justify' },
      { text: 'WIDE TITLE', characterSpacing: 6, fontSize: 20, alignment: 'right' },
    ],
  },
  'spaces at ends': {
    content: [
      '  leading spaces of a text',
      { text: '   kept leading spaces', preserveLeadingSpaces: true },
      { text: 'trailing spaces   ', alignment: 'right' },
      { text: ['run ', ' run', '  run  ', 'end'] },
      'two  spaces   between    words',
      '\tafter a tab',
    ],
  },
  'leading indent': {
    content: [
      { text: prose(60), leadingIndent: 30 },
      { text: wholeWords(60, 5), leadingIndent: 20, alignment: 'justify' },
    ],
  },
  'long words': {
    content: [
      'x'.repeat(300),
      `${prose(8)} ${'abcdefghij'.repeat(20)} ${prose(10)}`,
      { text: 'W'.repeat(90), alignment: 'center', fontSize: 18 },
    ],
  },
  'no wrap': {
    content: [
      { text: prose(8), noWrap: true },
      { text: [prose(5), { text: ' not to be torn ', noWrap: true }, prose(20)] },
    ],
  },
  'break all': { content: [{ text: prose(60), wordBreak: 'break-all' }] },
  decorations: {
    content: [
      { text: prose(20), decoration: 'underline' },
      { text: prose(20, 2), decoration: 'lineThrough', decorationStyle: 'double' },
      {
        text: [
          prose(5),
          { text: ` ${prose(6)} `, decoration: 'overline', decorationColor: 'red' },
          prose(20),
        ],
      },
      { text: [prose(5), { text: ` ${prose(6)} `, background: 'yellow' }, prose(20)] },
    ],
  },
  'sup and sub': {
    content: [
      { text: ['x', { text: '2', sup: true }, ' + y', { text: 'i', sub: true }, ' ', prose(30)] },
      { text: ['note', { text: 'a, b', sub: true, fontSize: 8 }, prose(10)] },
    ],
  },
  margins: {
    content: [
      { text: prose(30), margin: 20 },
      { text: prose(30, 2), margin: [50, 5] },
      { text: prose(30, 4), margin: [10, 20, 100, 40] },
      { text: prose(30, 6), marginLeft: 60, marginBottom: 12 },
      { text: prose(5), margin: [-10, 0, 0, 0] },
    ],
  },
  'margins over a page end': {
    content: [
      { text: prose(500), margin: [0, 0, 0, 60] },
      { text: prose(60), margin: [0, 200, 0, 0] },
      { text: prose(20), margin: [0, 300, 0, 300] },
      { text: prose(20), margin: [0, 90, 0, 0] },
    ],
  },
  styles: {
    styles: {
      base: { fontSize: 11, color: '#333333' },
      head: { fontSize: 18, bold: true, margin: [0, 10, 0, 5] },
      sub: { extends: 'head', fontSize: 14 },
      tight: { lineHeight: 0.95, italics: true },
    },
    defaultStyle: { fontSize: 10, lineHeight: 1.1 },
    content: [
      { text: 'Heading of the page', style: 'head' },
      { text: prose(40), style: 'base' },
      { text: 'Sub heading', style: 'sub' },
      { text: prose(40, 6), style: ['base', 'tight'] },
      { stack: [prose(10), { text: prose(10), style: 'tight' }], style: 'base' },
      prose(40, 1),
    ],
  },
  'page breaks': {
    content: [
      prose(20),
      { text: prose(10), pageBreak: 'before' },
      { text: prose(12), pageBreak: 'after' },
      prose(14),
      { text: prose(5), pageBreak: 'beforeOdd' },
      { text: prose(5), pageBreak: 'beforeEven' },
      { text: prose(5), pageBreak: 'afterOdd' },
      prose(3),
    ],
  },
  'orientation change': {
    content: [
      prose(200),
      { text: prose(150, 4), pageBreak: 'before', pageOrientation: 'landscape' },
      { text: prose(300), pageBreak: 'after' },
      { text: prose(80), pageBreak: 'before', pageOrientation: 'portrait' },
    ],
  },
  'page size and margins': {
    pageSize: 'A5',
    pageOrientation: 'landscape',
    pageMargins: [30, 50, 60, 20],
    content: [prose(600)],
  },
  'custom size': { pageSize: { width: 300, height: 400 }, pageMargins: 25, content: [prose(300)] },
  'unordered lists': {
    content: [
      {
        ul: [
          'one',
          prose(40),
          { text: prose(20), margin: [0, 5] },
          { ul: ['inner', prose(30)] },
          'last',
        ],
      },
      { ul: ['a', 'b'], type: 'square', fontSize: 16 },
      { ul: ['a', { text: 'b', listType: 'none' }], type: 'circle' },
    ],
  },
  'ordered lists': {
    content: [
      { ol: ['one', prose(40), { ol: ['inner', prose(30)], type: 'lower-alpha' }, 'last'] },
      { ol: ['a', 'b', 'c'], type: 'upper-roman', start: 17 },
      { ol: ['a', 'b', 'c'], reversed: true },
      { ol: ['a', { text: 'b', counter: 30 }, 'c'], separator: ['(', ')'] },
      { ol: Array.from({ length: 12 }, (_, index) => prose(14, index)), separator: ')' },
    ],
  },
  'list over pages': {
    content: [{ ol: Array.from({ length: 70 }, (_, index) => prose(18, index)) }],
  },
  'list of stacks': {
    content: [
      {
        ul: [
          { stack: [prose(10), prose(20)] },
          { columns: [prose(5), prose(20)] },
          [prose(5), { ol: ['x', 'y'] }],
        ],
      },
    ],
  },
  'header and footer': {
    pageMargins: [40, 70, 40, 60],
    header: { text: 'Statement of account', alignment: 'right', margin: [40, 25] },
    footer: {
      columns: [{ text: 'Bank' }, { text: 'Page {{page}} of {{pages}}', alignment: 'right' }],
      margin: [40, 10],
    },
    content: [prose(1500)],
  },
  'absolute and relative': {
    content: [
      prose(30),
      { text: 'absolute text at a place', absolutePosition: { x: 200, y: 300 } },
      { text: 'moved', relativePosition: { x: 50, y: 20 } },
      prose(50),
      { text: prose(60), absolutePosition: { x: 300, y: 500 } },
    ],
  },
  unbreakable: {
    content: [
      prose(420),
      { stack: [prose(60), prose(60, 3)], unbreakable: true },
      prose(80),
      { text: prose(200), unbreakable: true },
    ],
  },
  'max height': { content: [{ text: prose(200), maxHeight: 50 }, prose(10)] },
  references: {
    content: [
      { text: ['see page ', { pageReference: 'chapter' }, ' for more'] },
      { text: prose(20), id: 'intro' },
      { text: 'Chapter', id: 'chapter', pageBreak: 'before' },
      { text: ['titled ', { textReference: 'intro' }] },
    ],
  },
  toc: {
    content: [
      { toc: { title: { text: 'Contents', fontSize: 18 }, numberStyle: { bold: true } } },
      ...['First chapter', 'Second chapter', 'Third'].flatMap((text) => [
        { text, tocItem: true, fontSize: 16, pageBreak: 'before' },
        prose(60),
      ]),
    ],
  },
  'roboto in other scripts': {
    content: ['Ελληνικά και Кириллица, ÄÖÜ ñ ç Ł ő — “quotes” ‘single’ … • © ®', prose(10)],
  },
  'money columns': {
    content: Array.from({ length: 30 }, (_, index) => ({
      columns: [prose(3, index), { text: (index * 1234.56).toFixed(2), alignment: 'right' }],
    })),
  },
};
