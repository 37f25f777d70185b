import type { Editable } from './edit.ts';
import { addObject, putTogether, replaceIn } from './edit.ts';
import { ARCHIVE_MUTATIONS, type Mutation } from './mutations.ts';

/*
 * Mutations that break the rules of ISO 14289-1 (PDF/UA-1) and those that the levels A of PDF/A add
 * to the levels U; most of them break the tags. Each is named after the rule that must report it.
 */

/** Replaces a pattern in the first object that has it. */
function swap(breaks: string, from: RegExp, to: string): Mutation {
  return edit(breaks, (editable) => replaceIn(editable, from, to));
}

function edit(breaks: string, change: (editable: Editable) => void): Mutation {
  return {
    breaks,
    apply: (editable) => {
      change(editable);
      return putTogether(editable);
    },
  };
}

const CATALOG = /<<\/Type\/Catalog/;
const DOCUMENT = /(<<\/S\/Document\/P (\d+) 0 R[^]*?\/K)\[/;

/** Adds entries to the catalog. */
function inCatalog(breaks: string, entries: string): Mutation {
  return swap(breaks, CATALOG, `<</Type/Catalog${entries}`);
}

/** A structure element, the entries of its dictionary, and its kids. */
type Tree = readonly [type: string, entries: string, ...kids: Tree[]];

/** Adds structure elements at the start of the document element. */
function grow(breaks: string, ...trees: Tree[]): Mutation {
  return edit(breaks, (editable) => {
    for (const [number, body] of editable.objects) {
      if (!DOCUMENT.test(body)) continue;
      const added = trees.map((tree) => addTree(editable, number, tree)).join(' ');
      editable.objects.set(number, body.replace(DOCUMENT, `$1[${added} `));
      return;
    }
    throw new Error('no document element');
  });
}

/** Adds an element with its kids below the object `parent`; returns a reference to it. */
function addTree(editable: Editable, parent: number, [type, entries, ...kids]: Tree): string {
  const number = addObject(editable, 'null');
  const list = kids.map((kid) => addTree(editable, number, kid)).join(' ');
  editable.objects.set(number, `<</S/${type}/P ${parent} 0 R${entries}/K[${list}]>>`);
  return `${number} 0 R`;
}

const NO_LANG = / ?\/Lang\(th\)/;

/** Adds elements to a document without a language. */
function withoutLanguage(breaks: string, ...trees: Tree[]): Mutation {
  const grown = grow(breaks, ...trees);
  return {
    breaks,
    apply: (editable) => {
      replaceIn(editable, NO_LANG, '');
      return grown.apply(editable);
    },
  };
}

function dropTree(breaks: string): Mutation {
  return swap(breaks, /\/StructTreeRoot \d+ 0 R/, '');
}

/** Adds an annotation to the first page that has some. */
function annotation(breaks: string, entries: string): Mutation {
  return swap(breaks, /\/Annots\[/, `/Annots[<</Type/Annot/Rect[1 1 50 50]${entries}>> `);
}

const ROW: Tree = ['TR', '', ['TD', '']];

const STRUCTURE: readonly Mutation[] = [
  grow('7.1-5', ['Oddity', '']),
  edit('7.1-6', (editable) => {
    replaceIn(editable, /\/Type\/StructTreeRoot/, '/Type/StructTreeRoot/RoleMap<</A/B/B/A>>');
    replaceIn(editable, /\/S\/H1/, '/S/A');
  }),
  swap('7.1-7', /\/Type\/StructTreeRoot/, '/Type/StructTreeRoot/RoleMap<</H1/P>>'),
  dropTree('7.1-11'),
  swap('7.1-12', /(<<\/S\/H1)\/P \d+ 0 R/, '$1'),
  grow('7.2-3', ['Table', '', ['P', '']]),
  grow('7.2-4', ROW),
  grow('7.2-5', ['THead', '', ROW]),
  grow('7.2-6', ['TBody', '', ROW]),
  grow('7.2-7', ['TFoot', '', ROW]),
  grow('7.2-8', ['TH', '']),
  grow('7.2-9', ['TD', '']),
  grow('7.2-10', ['Table', '', ['TR', '', ['P', '']]]),
  grow('7.2-11', ['Table', '', ['THead', '', ROW], ['THead', '', ROW], ['TBody', '', ROW]]),
  grow('7.2-12', ['Table', '', ['TFoot', '', ROW], ['TFoot', '', ROW], ['TBody', '', ROW]]),
  grow('7.2-13', ['Table', '', ['TFoot', '', ROW]]),
  grow('7.2-14', ['Table', '', ['THead', '', ROW]]),
  grow('7.2-15', [
    'Table',
    '',
    ['TR', '', ['TD', ''], ['TD', '/A<</O/Table/RowSpan 2>>']],
    ['TR', '', ['TD', '/A<</O/Table/ColSpan 2>>']],
  ]),
  grow('7.2-16', ['Table', '', ROW, ['Caption', ''], ROW]),
  grow('7.2-17', ['LI', '']),
  grow('7.2-18', ['LBody', '']),
  grow('7.2-19', ['L', '', ['P', '']]),
  grow('7.2-20', ['L', '', ['LI', '', ['P', '']]]),
  grow('7.2-26', ['TOCI', '']),
  grow('7.2-27', ['TOC', '', ['P', '']]),
  grow('7.2-28', ['TOC', '', ['TOCI', ''], ['Caption', '']]),
  grow('7.2-36', ['Table', '', ['THead', '', ['P', '']], ['TBody', '', ROW]]),
  grow('7.2-37', ['Table', '', ['TBody', '', ['P', '']]]),
  grow('7.2-38', ['Table', '', ['TFoot', '', ['P', '']], ['TBody', '', ROW]]),
  grow('7.2-39', ['Table', '', ['Caption', ''], ROW, ['Caption', '']]),
  grow('7.2-40', ['L', '', ['LI', ''], ['Caption', '']]),
  grow('7.2-41', ['Table', '', ['TR', '', ['TD', '/A<</O/Table/RowSpan 2>>'], ['TD', '']]]),
  grow('7.2-42', ['Table', '', ['TR', '', ['TD', ''], ['TD', '']], ROW]),
  grow('7.2-43', ['Table', '', ROW, ['TR', '', ['TD', ''], ['TD', '']]]),
  grow('7.3-1', ['Figure', '']),
  grow('7.4.2-1', ['H3', '']),
  grow('7.4.4-1', ['Sect', '', ['H', ''], ['H', '']]),
  grow('7.4.4-2', ['H', '']),
  grow('7.4.4-3', ['H', '']),
  grow('7.5-1', [
    'Table',
    '',
    ['TR', '', ['TH', ''], ['TH', '']],
    ['TR', '', ['TD', ''], ['TD', '']],
  ]),
  grow('7.5-2', ['Table', '', ['TR', '', ['TD', '/A<</O/Table/Headers[(none)]>>']]]),
  grow('7.7-1', ['Formula', '']),
  grow('7.9-1', ['Note', '']),
  grow('7.9-2', ['Note', '/ID(a)'], ['Note', '/ID(a)']),
  grow('7.18.4-2', ['Form', '', ['P', ''], ['P', '']]),
];

const LANGUAGE: readonly Mutation[] = [
  swap('7.2-2', NO_LANG, ''),
  withoutLanguage('7.2-21', ['Span', '/ActualText(x)']),
  withoutLanguage('7.2-22', ['Figure', '/Alt(x)']),
  withoutLanguage('7.2-23', ['Span', '/E(x)']),
  swap('7.2-24', NO_LANG, ''),
  edit('7.2-25', (editable) => {
    replaceIn(editable, NO_LANG, '');
    const form = '/AcroForm<</Fields[<</T(a)/FT/Tx/TU(x)>>]>>';
    replaceIn(editable, CATALOG, `<</Type/Catalog${form}`);
  }),
  swap('7.2-29', NO_LANG, '/Lang(th_TH_x_odd language)'),
  swap('7.2-30', NO_LANG, ''),
  edit('7.2-31', (editable) => {
    replaceIn(editable, NO_LANG, '');
    replaceIn(editable, /\/Span<<\/ActualText/, '/Span<</Alt(x)/ActualText');
  }),
  edit('7.2-32', (editable) => {
    replaceIn(editable, NO_LANG, '');
    replaceIn(editable, /\/Span<<\/ActualText/, '/Span<</E(x)/ActualText');
  }),
  swap('7.2-33', NO_LANG, ''),
  swap('7.2-34', NO_LANG, ''),
];

const FILE: readonly Mutation[] = [
  swap('5-1', /<pdfuaid:part>1<\/pdfuaid:part>/, ''),
  swap('5-2', /<pdfuaid:part>1/, '<pdfuaid:part>2'),
  swap(
    '5-3',
    /<pdfuaid:part>1<\/pdfuaid:part>/,
    '<odd:part xmlns:odd="http://www.aiim.org/pdfua/ns/id/">1</odd:part>',
  ),
  ...['amd', 'corr'].map((name, index) =>
    swap(
      `5-${4 + index}`,
      /<pdfuaid:part>/,
      `<odd:${name} xmlns:odd="http://www.aiim.org/pdfua/ns/id/">x</odd:${name}><pdfuaid:part>`,
    ),
  ),
  {
    breaks: '6.1-1',
    apply: (editable) => {
      const text = putTogether(editable).toString('latin1');
      return Buffer.from(text.replace('%PDF-1.7', '%PDF-2.0'), 'latin1');
    },
  },
  swap('6.2-1', /\/MarkInfo<<\/Marked true>>/, ''),
  swap('7.1-1', /\/H1<<\/MCID (\d+)>>BDC\n/, '/H1<</MCID $1>>BDC\n/Artifact BMC EMC\n'),
  swap('7.1-2', /\/Artifact BMC\n/, '/Artifact BMC\n/P<</MCID 0>>BDC EMC\n'),
  swap('7.1-3', />>stream\nq\n/, '>>stream\nq\n0 0 1 1 re f\n'),
  swap('7.1-4', /\/Marked true/, '/Marked true/Suspects true'),
  swap('7.1-8', /\/Metadata \d+ 0 R/, ''),
  swap('7.1-9', /<dc:title>[^]*<\/dc:title>/, ''),
  swap('7.1-10', /\/DisplayDocTitle true/, '/DisplayDocTitle false'),
  inCatalog('7.10-1', '/OCProperties<</D<<>>>>'),
  inCatalog('7.10-2', '/OCProperties<</D<</AS[]>>>>'),
  edit('7.11-1', (editable) => {
    addObject(editable, '<</Type/Filespec/F()/UF(a)/EF<</F 1 0 R>>>>');
  }),
  inCatalog('7.15-1', '/AcroForm<</Fields[]/XFA[]>>'),
  inCatalog('7.16-1', '/X/Encrypt'),
  annotation('7.18.1-1', '/Subtype/Stamp/F 4'),
  annotation('7.18.1-2', '/Subtype/Stamp/F 4'),
  annotation('7.18.1-3', '/Subtype/Widget/F 4'),
  annotation('7.18.2-1', '/Subtype/TrapNet/F 4'),
  swap('7.18.3-1', /\/Tabs\/S/, '/Tabs/R'),
  annotation('7.18.4-1', '/Subtype/Widget/F 4'),
  annotation('7.18.5-1', '/Subtype/Link/F 4/Contents(x)'),
  swap('7.18.5-2', /\/Contents\([^)]*\)\/A<<\/S\/URI/, '/A<</S/URI'),
  inCatalog('7.18.6.2-1', '/X/MediaClip'),
  inCatalog('7.18.6.2-2', '/X/MediaClip'),
  annotation('7.18.8-1', '/Subtype/PrinterMark/F 4'),
  swap(
    '7.20-1',
    /\/Subtype\/Form(\/BBox[^>]*\/Group<<\/S\/Transparency>>)/,
    '/Subtype/Form/Ref<<>>$1',
  ),
  edit('7.20-2', (editable) => {
    const form = /\/Subtype\/Form(\/BBox[^>]*\/Group<<\/S\/Transparency>>)/;
    replaceIn(editable, form, '/Subtype/Form/StructParents 0$1');
    replaceIn(editable, /\/(T\d) Do\n/, '/$1 Do\n/$1 Do\n');
  }),
];

/**
 * Fonts, §7.21: its rules equal rules of ISO 19005, so those rules' mutations break them, under the
 * number that the rule has in ISO 14289-1.
 */
const FONTS: readonly Mutation[] = ARCHIVE_MUTATIONS.flatMap(({ breaks, apply }) => {
  const id = breaks
    .replace(/^6\.2\.11\.7\.2-/, '6.2.11.7-')
    .replace(/^6\.2\.11\.(3\.\d|4\.\d|5|6|7|8)-(\d)$/, '7.21.$1-$2');
  return id.startsWith('7.21.') ? [{ breaks: id, apply }] : [];
});

/** A mutation for every rule of PDF/UA-1. */
export const ACCESSIBLE_MUTATIONS: readonly Mutation[] = [
  ...STRUCTURE,
  ...LANGUAGE,
  ...FILE,
  ...FONTS,
];

/** Mutations for the rules that levels A add to levels U. */
export const LEVEL_A_MUTATIONS: readonly Mutation[] = [
  swap('6.2.11.7.3-1', /<30><0030>/, '<30><E000>'),
  swap('6.7.2.2-1', /\/MarkInfo<<\/Marked true>>/, ''),
  dropTree('6.7.3.3-1'),
  grow('6.7.3.4-1', ['Oddity', '']),
  edit('6.7.3.4-2', (editable) => {
    replaceIn(editable, /\/Type\/StructTreeRoot/, '/Type/StructTreeRoot/RoleMap<</A/B/B/A>>');
    replaceIn(editable, /\/S\/H1/, '/S/A');
  }),
  swap('6.7.3.4-3', /\/Type\/StructTreeRoot/, '/Type/StructTreeRoot/RoleMap<</H1/P>>'),
  swap('6.7.4-1', NO_LANG, '/Lang(no language)'),
];
