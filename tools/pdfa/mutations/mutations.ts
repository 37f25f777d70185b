import type { Editable } from './edit.ts';
import { addObject, putTogether, repairOffsets, replaceIn } from './edit.ts';

/** One way to break a file. */
export interface Mutation {
  /** The rule that must report it, such as `6.1.2-1`. */
  readonly breaks: string;
  readonly apply: (editable: Editable) => Buffer;
}

/** Replaces a pattern in the first object that has it. */
function swap(breaks: string, from: RegExp, to: string): Mutation {
  return { breaks, apply: edited((editable) => replaceIn(editable, from, to)) };
}

function edited(edit: (editable: Editable) => void): Mutation['apply'] {
  return (editable) => {
    edit(editable);
    return putTogether(editable);
  };
}

/** Edits the finished bytes. */
function spoil(breaks: string, from: RegExp | string, to: string): Mutation {
  return {
    breaks,
    apply: (editable) => {
      const text = putTogether(editable).toString('latin1');
      const spoilt = text.replace(from, to);
      if (spoilt === text) throw new Error(`nothing to spoil: ${from}`);
      return repairOffsets(spoilt);
    },
  };
}

const CATALOG = /<<\/Type\/Catalog/;
const PAGE = /<<\/Type\/Page\/Parent/;
const LINK = /<<\/Type\/Annot\/Subtype\/Link/;
const BODY = />>stream\nq\n/;
const STATES = /\/ExtGState<<\/G1<</;

function inCatalog(breaks: string, entries: string): Mutation {
  return swap(breaks, CATALOG, `<</Type/Catalog${entries}`);
}

function inPage(breaks: string, entries: string): Mutation {
  return swap(breaks, PAGE, `<</Type/Page${entries}/Parent`);
}

function inBody(breaks: string, operators: string): Mutation {
  return swap(breaks, BODY, `>>stream\nq\n${operators}\n`);
}

function inState(breaks: string, entries: string): Mutation {
  return swap(breaks, STATES, `/ExtGState<</G1<<${entries}`);
}

/** Adds an annotation. */
function annotation(breaks: string, entries: string): Mutation {
  return swap(breaks, LINK, `<</Type/Annot/Rect[1 1 50 50]${entries}>><</Type/Annot/Subtype/Link`);
}

/** Adds a form with one field. */
function form(breaks: string, formEntries: string, fieldEntries: string): Mutation {
  const apply = edited((editable) => {
    const field = addObject(editable, `<</FT/Sig/T(s)${fieldEntries}>>`);
    const entries = `/AcroForm<</Fields[${field} 0 R]${formEntries}>>`;
    replaceIn(editable, CATALOG, `<</Type/Catalog${entries}`);
  });
  return { breaks, apply };
}

const FILE_STRUCTURE: readonly Mutation[] = [
  spoil('6.1.2-1', '%PDF-1.7', '%PDF-2.0'),
  spoil('6.1.2-1', /^/, '\n'),
  spoil('6.1.2-2', '%\u00e2\u00e3\u00cf\u00d3', '%abcd'),
  spoil('6.1.3-1', /\/ID\[[^\]]*\]/, ''),
  spoil('6.1.3-2', /\/Info (\d+) 0 R/, '/Info $1 0 R/Encrypt $1 0 R'),
  spoil('6.1.3-3', /%%EOF\n$/, '%%EOF\nmore\n'),
  spoil('6.1.4-2', /xref\n0 /, 'xref \n0 '),
  swap('6.1.6-1', /\/Author\(Bank\)/, '/Author<42616>'),
  swap('6.1.6-2', /\/Author\(Bank\)/, '/Author<4261zz>'),
  {
    breaks: '6.1.7.1-1',
    apply: (editable) => {
      replaceIn(editable, /(\/N 3\/Filter\/FlateDecode\/Length )\d+/, '$17');
      return putTogether(editable, false);
    },
  },
  spoil('6.1.7.1-2', /(\/N 3\/Filter\/FlateDecode\/Length \d+>>stream)\n/, '$1\r'),
  swap('6.1.7.1-3', /<<\/N 3/, '<</N 3/F(x)'),
  swap('6.1.7.2-1', /\/Filter\/FlateDecode\/DecodeParms/, '/Filter/LZWDecode/DecodeParms'),
  swap('6.1.8-1', /\/FontName\/\w+\+/, '/FontName/AAAAAA+#ff'),
  spoil('6.1.9-1', /\n2 0 obj\n/, '\n2  0 obj\n'),
  swap('6.1.10-1', /BI \/W/, 'BI /F/LZW/W'),
  inCatalog('6.1.12-1', '/Perms<</Other 1>>'),
  inCatalog('6.1.12-2', '/Perms<</DocMDP<</Reference[<</DigestValue(x)>>]>>>>'),
  inPage('6.1.13-1', '/Rotate 2147483648'),
  inPage('6.1.13-2', `/UserUnit 4${'0'.repeat(38)}.5`),
  swap('6.1.13-3', /\/Author\(Bank\)/, `/Author(${'x'.repeat(32_768)})`),
  inPage('6.1.13-4', `/${'N'.repeat(128)} 1`),
  inPage('6.1.13-5', `/UserUnit 0.${'0'.repeat(38)}1`),
  inBody('6.1.13-8', `${'q '.repeat(28)}${'Q '.repeat(28)}`),
  inPage('6.1.13-9', '/X[/DeviceN[/a]/DeviceRGB 1 0 R]'),
  inPage('6.1.13-10', '/X/UseCMap'),
  inPage('6.1.13-11', '/CropBox[0 0 2 842]'),
];

const GRAPHICS: readonly Mutation[] = [
  inBody('6.2.2-1', 'BX foo EX'),
  swap('6.2.2-2', /\/Resources \d+ 0 R\/Contents/, '/Contents'),
  swap('6.2.3-1', /\/DestOutputProfile \d+ 0 R/, '/DestOutputProfile 3 0 R'),
  swap(
    '6.2.3-2',
    /\/Metadata (\d+)/,
    '/OutputIntents[<</DestOutputProfile 1 0 R>><</DestOutputProfile 2 0 R>>]/Metadata $1',
  ),
  swap('6.2.3-3', /\/S\/GTS_PDFA1/, '/S/GTS_PDFX/DestOutputProfileRef<<>>'),
  inPage('6.2.4.2-1', '/X[/ICCBased 7 0 R]'),
  inPage('6.2.4.2-2', '/X[/ICCBased 7 0 R]'),
  swap('6.2.4.3-2', /\/OutputIntents\[[^\]]*\]/, ''),
  inBody('6.2.4.3-3', '0 0 0 1 k'),
  swap('6.2.4.3-4', /\/OutputIntents\[[^\]]*\]/, ''),
  inPage('6.2.4.4-1', '/X[/DeviceN[/a]/DeviceRGB 1 0 R]'),
  inPage('6.2.4.4-2', '/X[/Separation/a/DeviceRGB 1 0 R]'),
  inState('6.2.5-1', '/TR/Identity'),
  inState('6.2.5-2', '/TR2/Identity'),
  inState('6.2.5-3', '/HTP[0 0]'),
  inState('6.2.5-4', '/HT<</HalftoneType 6>>'),
  inState('6.2.5-5', '/HT<</HalftoneType 1/HalftoneName(x)>>'),
  inState('6.2.5-6', '/HT<</HalftoneType 1/TransferFunction/Identity>>'),
  inBody('6.2.6-1', '/Vivid ri'),
  swap('6.2.8-1', /\/SMask (\d+) 0 R/, '/SMask $1 0 R/Alternates[]'),
  swap('6.2.8-2', /\/SMask (\d+) 0 R/, '/SMask $1 0 R/OPI<<>>'),
  swap('6.2.8-3', /\/SMask (\d+) 0 R/, '/SMask $1 0 R/Interpolate true'),
  swap(
    '6.2.8-4',
    /\/ColorSpace\/DeviceRGB\/BitsPerComponent 8/,
    '/ColorSpace/DeviceRGB/BitsPerComponent 3',
  ),
  swap('6.2.8-5', /\/BPC 1/, '/BPC 2'),
  ...[1, 2, 3, 4, 5].map((test) => inPage(`6.2.8.3-${test}`, '/X<</Filter/JPXDecode>>')),
  swap(
    '6.2.9-1',
    /\/Subtype\/Form(\/BBox[^>]*\/Group<<\/S\/Transparency>>)/,
    '/Subtype/Form/PS<<>>$1',
  ),
  swap(
    '6.2.9-2',
    /\/Subtype\/Form(\/BBox[^>]*\/Group<<\/S\/Transparency>>)/,
    '/Subtype/Form/Ref<<>>$1',
  ),
  swap('6.2.9-3', /\/Subtype\/Image(\/Width 2\/Height 2\/ColorSpace\/DeviceRGB)/, '/Subtype/PS$1'),
  inState('6.2.10-1', '/BM/Brilliant'),
  swap('6.2.10-2', /\/OutputIntents\[[^\]]*\]/, ''),
];

const SIMPLE = /\/Type\/Font\/Subtype\/TrueType/;
const FONTS: readonly Mutation[] = [
  swap('6.2.11.2-1', SIMPLE, '/Type/Fount/Subtype/TrueType'),
  swap('6.2.11.2-2', SIMPLE, '/Type/Font/Subtype/Bitmap'),
  swap('6.2.11.2-3', /(\/Subtype\/TrueType)\/BaseFont\/[^/]+/, '$1'),
  swap('6.2.11.2-4', /\/FirstChar \d+/, ''),
  swap('6.2.11.2-5', /\/LastChar \d+/, ''),
  swap('6.2.11.2-6', /\/LastChar \d+/, '/LastChar 40'),
  swap('6.2.11.2-7', /<<\/Length1/, '<</Subtype/TrueType/Length1'),
  swap('6.2.11.3.1-1', /\/Encoding\/Identity-H/, '/Encoding/UniGB-UTF16-H'),
  swap('6.2.11.3.2-1', /\/CIDToGIDMap \d+ 0 R/, ''),
  swap('6.2.11.3.3-1', /\/Encoding\/Identity-H/, '/Encoding/Own-H'),
  inPage('6.2.11.3.3-2', '/X<</WMode 1>>'),
  inPage('6.2.11.3.3-3', '/X<</UseCMap/H>>'),
  swap('6.2.11.4.1-1', /\/FontFile2 \d+ 0 R/, ''),
  { breaks: '6.2.11.4.1-2', apply: edited(pointBeyondGlyphs) },
  inPage('6.2.11.4.2-1', '/X/FontFile3'),
  swap('6.2.11.4.2-2', /(\/FontName\/UPAGYZ)/, '/CIDSet 1 0 R$1'),
  swap('6.2.11.5-1', /\/Widths\[\d+ /, '/Widths[900 '),
  { breaks: '6.2.11.6-1', apply: edited(hideCharacterMaps) },
  swap('6.2.11.6-2', /\/Flags 4/, '/Flags 32'),
  swap('6.2.11.6-3', SIMPLE, '/Type/Font/Encoding/WinAnsiEncoding/Subtype/TrueType'),
  { breaks: '6.2.11.6-4', apply: edited(dropCharacterMaps) },
  swap('6.2.11.7.2-1', /(\/BaseFont\/\w+\+Sarabun[^]*)\/ToUnicode \d+ 0 R/, '$1'),
  swap('6.2.11.7.2-2', /<30><0030>/, '<30><FEFF>'),
  inBody('6.2.11.8-1', 'BT /F1 9 Tf <02> Tj ET'),
];

/** Points the CIDs of a composite font to glyphs that the font program does not have. */
function pointBeyondGlyphs(editable: Editable): void {
  for (const [number, body] of editable.objects) {
    const map = /\/CIDToGIDMap (\d+) 0 R/.exec(body)?.[1];
    if (map === undefined || number === Number(map)) continue;
    const stream = editable.objects.get(Number(map)) ?? '';
    const [head = ''] = /^[^]*?stream\n/.exec(stream) ?? [];
    const data = stream.slice(head.length, -'\nendstream'.length);
    editable.objects.set(Number(map), `${head}${'\u00fe'.repeat(data.length)}\nendstream`);
    return;
  }
  throw new Error('no composite font');
}

/** Leaves two character maps, of which neither is the one for symbols. */
function dropCharacterMaps(editable: Editable): void {
  replaceIn(
    editable,
    // oxlint-disable-next-line no-control-regex -- the bytes of a table
    /(\/Length1[^]*?cmap[^]*?\u0000\u0000\u0000\u0002[^]*?)\u0000\u0003\u0000\u0000/,
    '$1\u0000\u0003\u0000\u0001',
  );
}

/** Makes a font nonsymbolic and removes its character maps. */
function hideCharacterMaps(editable: Editable): void {
  replaceIn(
    editable,
    // oxlint-disable-next-line no-control-regex -- the bytes of a table
    /(\/Length1[^]*?)\u0000\u0000\u0000\u0002(\u0000[\u0001\u0003]\u0000\u0000)/,
    '$1\u0000\u0000\u0000\u0000$2',
  );
  replaceIn(editable, /\/Flags 4/, '/Flags 32');
}

const INTERACTION: readonly Mutation[] = [
  swap('6.3.1-1', LINK, '<</Type/Annot/Subtype/Movie'),
  swap('6.3.2-1', /\/Border\[0 0 0\]\/F 4/, '/Border[0 0 0]'),
  swap('6.3.2-2', /\/Border\[0 0 0\]\/F 4/, '/Border[0 0 0]/F 6'),
  annotation('6.3.3-1', '/Subtype/Stamp/F 4'),
  annotation('6.3.3-2', '/Subtype/Stamp/F 4/AP<</N 15 0 R/D 15 0 R>>'),
  annotation('6.3.3-3', '/Subtype/Widget/FT/Btn/F 4/AP<</N 15 0 R>>'),
  annotation('6.3.3-4', '/Subtype/Stamp/F 4/AP<</N<<>>>>'),
  annotation('6.4.1-1', '/Subtype/Widget/FT/Sig/F 4/AP<</N 15 0 R>>/AA<</E 1>>'),
  form('6.4.1-2', '', '/AA<</K 1>>'),
  form('6.4.1-3', '/NeedAppearances true', ''),
  form('6.4.2-1', '/XFA[]', ''),
  inCatalog('6.4.2-2', '/NeedsRendering true'),
  form('6.4.3-1', '', '/V<</ByteRange[0 10 20 5]/Contents<00>>>'),
  form('6.4.3-2', '', `/V<</ByteRange[0 1 2 3]/Contents<${cms(1, false)}>>>`),
  form('6.4.3-3', '', `/V<</ByteRange[0 1 2 3]/Contents<${cms(2, true)}>>>`),
  swap('6.5.1-1', /\/A<<\/S\/URI/, '/A<</S/JavaScript'),
  swap('6.5.1-2', /\/A<<\/S\/URI/, '/A<</N/Print/S/Named'),
  inCatalog('6.5.2-1', '/AA<</WC 1>>'),
  inPage('6.5.2-2', '/AA<</O 1>>'),
  swap('6.10-1', /\/Names<</, '/Names<</AlternatePresentations<<>>'),
  inPage('6.10-2', '/PresSteps<<>>'),
  inCatalog('6.11-1', '/Requirements[]'),
  ...[1, 2, 3, 4].map((test) => inCatalog(`6.9-${test}`, '/OCProperties<</D<<>>>>')),
];

/** Tag, length and content in hexadecimal (DER). */
function der(tag: string, content: string): string {
  const length = content.length / 2;
  const size = length < 128 ? length.toString(16).padStart(2, '0') : `81${length.toString(16)}`;
  return tag + size + content;
}

/** A CMS signature with `signers` signers, made of the parts that the rules test. */
function cms(signers: number, hasCertificate: boolean): string {
  const name = der('30', der('0c', '4341'));
  const serial = der('02', '07');
  const signer = der('30', der('02', '01') + der('30', name + serial));
  const certificate = hasCertificate ? der('a0', der('30', name + serial)) : '';
  const data =
    der('02', '01') +
    der('31', '') +
    der('30', '') +
    certificate +
    der('31', signer.repeat(signers));
  return der('30', der('06', '2a864886f70d010702') + der('a0', der('30', data)));
}

const RDF_END = /<\/rdf:RDF>/;
const EXTENSION =
  '<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" ' +
  'xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#" ' +
  'xmlns:own="urn:own#"><pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">' +
  '<pdfaSchema:schema>Own</pdfaSchema:schema><pdfaSchema:namespaceURI>urn:own#</pdfaSchema:namespaceURI>' +
  '<pdfaSchema:prefix>own</pdfaSchema:prefix><pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource">' +
  '<pdfaProperty:name>word</pdfaProperty:name><pdfaProperty:valueType>Text</pdfaProperty:valueType>' +
  '<pdfaProperty:category>external</pdfaProperty:category><pdfaProperty:description>A word</pdfaProperty:description>' +
  '</rdf:li></rdf:Seq></pdfaSchema:property></rdf:li></rdf:Bag></pdfaExtension:schemas>' +
  '<own:word>x</own:word></rdf:Description>';

/** Adds an extension schema with one fault. */
function extension(breaks: string, from: string | RegExp, to: string): Mutation {
  const spoilt = EXTENSION.replace(from, to);
  if (spoilt === EXTENSION && from !== '') throw new Error(`nothing to break: ${from}`);
  return swap(breaks, RDF_END, `${spoilt}</rdf:RDF>`);
}

/** The same extension schema without a fault: it must violate nothing. */
export const SOUND_EXTENSION = extension('', '', '');

/** Changes the prefix of one element of the extension schema. */
function renamed(breaks: string, element: string, uri: string): Mutation {
  const [, local = ''] = element.split(':');
  const pattern = new RegExp(`<${element}>([^]*?)</${element}>`);
  return extension(breaks, pattern, `<odd:${local} xmlns:odd="${uri}">$1</odd:${local}>`);
}

const SCHEMA_URI = 'http://www.aiim.org/pdfa/ns/schema#';
const PROPERTY_URI = 'http://www.aiim.org/pdfa/ns/property#';
const METADATA: readonly Mutation[] = [
  swap('6.6.2.1-1', /\/Metadata \d+ 0 R/, ''),
  swap('6.6.2.1-2', /<\?xpacket begin/, '<?xpacket bytes="9" begin'),
  swap('6.6.2.1-3', /<\?xpacket begin/, '<?xpacket encoding="UTF-8" begin'),
  swap('6.6.2.1-4', /<\/rdf:RDF>/, ''),
  swap('6.6.2.1-5', /<dc:format>/, '<dc:format>\u00e9'),
  swap('6.6.2.3.1-1', /<dc:format>/, '<pdf:Odd>x</pdf:Odd><dc:format>'),
  swap('6.6.2.3.1-2', /<xmp:CreateDate>[^<]*/, '<xmp:CreateDate>yesterday'),
  extension(
    '6.6.2.3.2-1',
    '<pdfaSchema:prefix>',
    '<pdfaSchema:odd>x</pdfaSchema:odd><pdfaSchema:prefix>',
  ),
  extension('6.6.2.3.3-1', /rdf:Bag/g, 'rdf:Seq'),
  extension('6.6.2.3.3-2', '<pdfaSchema:schema>Own</pdfaSchema:schema>', ''),
  renamed('6.6.2.3.3-2', 'pdfaSchema:schema', SCHEMA_URI),
  extension(
    '6.6.2.3.3-3',
    '<pdfaSchema:namespaceURI>urn:own#',
    '<pdfaSchema:namespaceURI>own word',
  ),
  extension('6.6.2.3.3-4', '<pdfaSchema:prefix>own</pdfaSchema:prefix>', ''),
  renamed('6.6.2.3.3-5', 'pdfaSchema:property', SCHEMA_URI),
  extension(
    '6.6.2.3.3-6',
    '<pdfaSchema:prefix>',
    '<pdfaSchema:valueType>x</pdfaSchema:valueType><pdfaSchema:prefix>',
  ),
  renamed('6.6.2.3.3-7', 'pdfaProperty:name', PROPERTY_URI),
  extension('6.6.2.3.3-8', '>Text<', '>Lang Odd<'),
  extension('6.6.2.3.3-9', '>external<', '>outside<'),
  extension('6.6.2.3.3-10', '<pdfaProperty:description>A word</pdfaProperty:description>', ''),
  swap('6.6.4-1', /<pdfaid:part>\d<\/pdfaid:part>/, ''),
  swap('6.6.4-2', /<pdfaid:part>\d/, '<pdfaid:part>1'),
  swap('6.6.4-3', /<pdfaid:conformance>\w/, '<pdfaid:conformance>B'),
  ...['part', 'conformance'].map((name, index) =>
    swap(
      `6.6.4-${4 + index}`,
      new RegExp(`<pdfaid:${name}>(\\w)</pdfaid:${name}>`),
      `<odd:${name} xmlns:odd="http://www.aiim.org/pdfa/ns/id/">$1</odd:${name}>`,
    ),
  ),
  ...['amd', 'corr'].map((name, index) =>
    swap(
      `6.6.4-${6 + index}`,
      /<pdfaid:part>/,
      `<odd:${name} xmlns:odd="http://www.aiim.org/pdfa/ns/id/">x</odd:${name}><pdfaid:part>`,
    ),
  ),
];

const FILES: readonly Mutation[] = [
  embedded('6.8-1', '/Type/Filespec/F(a)/UF(a)/AFRelationship/Data', ''),
  embedded('6.8-2', '/Type/Filespec/F(a)/AFRelationship/Data', '/Subtype/text#2Fxml'),
  embedded('6.8-3', '/Type/Filespec/F(a)/UF(a)', '/Subtype/text#2Fxml'),
  embedded('6.8-4', '/Type/Filespec/F(a)/UF(a)/AFRelationship/Data', '/Subtype/text#2Fxml'),
  embedded('6.8-5', '/Type/Filespec/F(a)/UF(a)/AFRelationship/Data', '/Subtype/text#2Fxml'),
];

function embedded(breaks: string, entries: string, fileEntries: string): Mutation {
  const apply = edited((editable) => {
    const file = addObject(editable, `<<${fileEntries}/Length 1>>stream\nx\nendstream`);
    addObject(editable, `<<${entries}/EF<</F ${file} 0 R>>>>`);
  });
  return { breaks, apply };
}

/** A mutation for every rule of parts 2 and 3 at level U. */
export const ARCHIVE_MUTATIONS: readonly Mutation[] = [
  ...FILE_STRUCTURE,
  ...GRAPHICS,
  ...FONTS,
  ...INTERACTION,
  ...METADATA,
  ...FILES,
];

/** Rules that no mutation breaks, with the reason. */
export const UNBROKEN: Readonly<Record<string, string>> = {
  '6.1.13-7': 'It takes a file of more than eight million objects.',
  ...Object.fromEntries(
    [11, 12, 13, 14, 15, 16, 17, 18].map((test) => [
      `6.6.2.3.3-${test}`,
      'A schema that defines value types already breaks 6.6.2.3.3-6: none is ever written.',
    ]),
  ),
};
