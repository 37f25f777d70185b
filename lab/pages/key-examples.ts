import { FIELD_EXAMPLES } from './field-examples.ts';
import { FLOW, NODE_GROUPS, ROW_FLOW } from './flow-examples.ts';

/**
 * An example of every key in each place of docs/template-keys.md. The test of the reference
 * compiles and renders each in its place, with and without the key: one that changes nothing there
 * has to say that it is inert.
 */
export interface KeyExample {
  readonly value: unknown;
  /** Other keys of the node, which it has with and without this one: this one needs them to act. */
  readonly beside?: Readonly<Record<string, unknown>>;
  /** Why the document is the same without it. */
  readonly inert?: string;
}

export type Examples = Readonly<Record<string, KeyExample>>;

const of = (value: unknown, beside?: Readonly<Record<string, unknown>>): KeyExample =>
  beside === undefined ? { value } : { value, beside };
const inert = (value: unknown, why: string): KeyExample => ({ value, inert: why });

const LONG = 'a text that takes several lines where its column is as narrow as this one is here';
const FOR_PEOPLE = 'people read it';
const ONLY_TAGGED = 'only tagged documents show it';

const BILL = {
  barcode: 'billPaymentQr',
  data: null,
  biller: '099400016550100',
  reference1: '17',
};

const STYLE: Examples = {
  font: of('Sarabun'),
  fontSize: of(9),
  bold: of(true),
  italics: of(true),
  color: of('#12305c'),
  background: of('#fff2b3'),
  lineHeight: of(1.3),
  characterSpacing: of(0.5),
  alignment: of('right'),
  decoration: of('underline'),
  decorationStyle: of('wavy', { decoration: 'underline' }),
  decorationColor: of('red', { decoration: 'underline' }),
  decorationThickness: of(2, { decoration: 'underline' }),
  noWrap: of(true, { text: LONG.repeat(3) }),
  wordBreak: of('break-all', { text: 'x'.repeat(200) }),
  lineBreaking: of('best', {
    text: `${'n'.repeat(38)} ${'n'.repeat(38)} of ${'n'.repeat(76)} end`,
    fontSize: 12,
  }),
  preserveLeadingSpaces: of(true, { text: '   indented' }),
  preserveTrailingSpaces: of(true, { text: 'pushed   ', alignment: 'right' }),
  leadingIndent: of(24),
  fontFeatures: of({ kern: false }, { text: 'AVATAR To' }),
  sup: of(true),
  sub: of(true),
  opacity: of(0.5),
  link: of('https://bank.example'),
  linkToPage: of(1),
  linkToDestination: of('here'),
  fillColor: of('#e9eef6', { text: null, table: { body: [['a']] } }),
  fillOpacity: of(0.5, { text: null, table: { body: [['a']] }, fillColor: 'navy' }),
  columnGap: of(12, { text: null, columns: ['a', 'b'] }),
  markerColor: of('#a4802e', { text: null, ul: ['a'] }),
  language: of('th', { text: '{{date}}' }),
};

const MARGIN: Examples = {
  margin: of([0, 4]),
  marginLeft: of(12),
  marginTop: of(4),
  marginRight: of(12, { alignment: 'right' }),
  marginBottom: of(4),
};

const ANCHOR: Examples = {
  id: of('there'),
  tocItem: of(true),
  tocStyle: of({ bold: true }, { tocItem: true }),
  tocNumberStyle: of({ bold: true }, { tocItem: true }),
  tocMargin: of([12, 0, 0, 0], { tocItem: true }),
  outline: of(true),
  outlineText: of('Bookmark', { outline: true }),
  outlineParentId: of('parent', { outline: true }),
  outlineExpanded: of(true, { outline: true, id: 'own' }),
};

const SIZE: Examples = {
  height: of(40),
  fit: of([60, 30]),
  minWidth: of(200),
  maxWidth: of(30),
  minHeight: of(200),
  maxHeight: of(30),
};

const STROKE: Examples = {
  lineWidth: of(2),
  lineColor: of('#12305c'),
  lineCap: of('round', { lineWidth: 6 }),
  lineJoin: of('round', { lineWidth: 6 }),
  dash: of({ length: 4, space: 2 }),
  strokeOpacity: of(0.5),
};

const FILL: Examples = {
  color: of('#e9eef6'),
  fillOpacity: of(0.5, { color: 'navy' }),
  linearGradient: of(['#12305c', '#c9a44c']),
};

const RUNNING_ELEMENT: Examples = {
  header: of({ text: 'Agreement', margin: 10 }),
  footer: of({ text: 'Page {{page}} of {{pages}}', alignment: 'center' }),
  background: of({ canvas: [{ type: 'rect', x: 0, y: 0, w: 90, h: 9, color: '#e9eef6' }] }),
};

export const EXAMPLES: Readonly<Record<string, Examples>> = {
  template: {
    $schema: inert('./template.schema.json', 'editors read it'),
    templateId: inert('receipt', 'it names the template'),
    name: inert('Receipt', FOR_PEOPLE),
    description: inert('One page, for the counter', FOR_PEOPLE),
    language: of('th'),
    fields: of([{ name: 'number', type: 'number', format: { decimals: 2 } }], {
      document: { content: '{{number}}' },
    }),
    document: of({ content: 'Dear customer,' }),
    samples: inert([{ name: 'short', data: {} }], 'publishing renders them'),
    watermark: of('COPY'),
    attachedPages: inert({ header: true, footer: true }, 'only attached documents show it'),
    missingGlyph: of('reject', { document: { content: '{{text}}' } }),
    wideAmount: of('reject', {
      fields: [{ name: 'number', type: 'number', format: { decimals: 20 } }],
      document: { content: { text: '{{number}}', fontSize: 60 } },
    }),
    files: of([{ name: 'data.xml', mediaType: 'text/xml', data: '{{text}}' }], {
      document: { content: '{{text}}' },
    }),
    signature: of(true, { document: { content: '{{text}}' } }),
    signatureField: of(
      { x: 40, y: 700, width: 200, height: 60 },
      { document: { content: '{{text}}' } },
    ),
    reference: inert('{{text}}', 'people search by it'),
    fileName: inert('receipt-{{text}}.pdf', 'downloads have it'),
    archive: of('PDF/A-2u', { document: { content: '{{text}}' } }),
    words: of(['กิตตวรากรชัยสมบัติไพศาล'], {
      document: {
        pageSize: { width: 220, height: 300 },
        content: { text: 'บริการกิตตวรากรชัยสมบัติไพศาล', font: 'Sarabun' },
      },
    }),
  },
  reference: {
    value: of('{{text}}'),
    keep: inert('plain', 'it is about what is kept'),
  },
  file: {
    name: of('ETDA-invoice.xml'),
    mediaType: of('text/xml'),
    relationship: of('Alternative'),
    description: of('e-Tax invoice'),
    data: of('{{text}}'),
    plain: of(true, { data: '{{date}}' }),
    facturX: of('BASIC', { name: 'factur-x.xml', mediaType: 'text/xml' }),
    metadata: of({
      namespace: 'urn:bank.example:etax#',
      prefix: 'bank',
      properties: { Kind: 'A' },
    }),
  },
  fileMetadata: {
    schema: of('Electronic document'),
    namespace: of('urn:bank.example:etax#'),
    prefix: of('bank'),
    properties: of({ DocumentReferenceID: '{{text}}' }),
  },
  signatureField: {
    page: of('first'),
    at: of('sign'),
    x: of(340),
    y: of(700),
    width: of(200),
    height: of(60),
    content: of({ text: 'Signed by {{signature.signer}}', fontSize: 8 }),
    reason: of('Issued by the bank'),
    location: of('Bangkok'),
    utcOffset: of('+07:00'),
    alt: of('Signature of the bank'),
  },
  sample: {
    name: inert('short', FOR_PEOPLE),
    data: of({ number: '1250.50' }),
  },
  ...FIELD_EXAMPLES,
  format: {
    decimals: of(2),
    thousandsSeparator: of(true),
    prefix: of('฿'),
    suffix: of(' THB'),
    style: of('bahttext'),
    digits: of('thai'),
    words: of(true),
    currency: of('THB', { words: true }),
    case: of('upper', { words: true }),
    language: of('th', { words: true }),
    mask: of('xxx-x'),
    calendar: of('buddhist'),
    pattern: of('d MMMM yyyy'),
  },
  validation: {
    min: of(10_000),
    max: of('100.50'),
    minLength: of(40),
    maxLength: of(3),
    pattern: of('^[0-9]+$'),
    minItems: of(3),
    maxItems: of(1),
    maxItemsTotal: of(1),
  },
  document: {
    content: of(['Dear customer,', 'thank you.']),
    info: of({ title: 'Receipt {{text}}' }),
    pageSize: of('A5'),
    pageOrientation: of('landscape'),
    pageMargins: of([40, 60]),
    defaultStyle: of({ fontSize: 11 }),
    styles: of({ title: { bold: true } }, { content: { text: 'x', style: 'title' } }),
    images: of({ logo: 'data:image/png;base64,…' }, { content: { image: 'logo' } }),
    pdfs: of(
      { letterhead: 'data:application/pdf;base64,…' },
      { background: { pdf: 'letterhead' } },
    ),
    patterns: of(
      { hatch: { boundingBox: [1, 1, 4, 4], xStep: 3, yStep: 3, pattern: '1 w 0 1 m 4 5 l s' } },
      { content: { table: { body: [[{ text: 'x', fillColor: ['hatch', 'navy'] }]] } } },
    ),
    tableLayouts: of(
      { airy: { paddingTop: 9 } },
      { content: { table: { body: [['x']] }, layout: 'airy' } },
    ),
    ...RUNNING_ELEMENT,
    watermark: of({ text: 'COPY', opacity: 0.1 }),
    breakBefore: of({ headlineLevel: 1, minFollowing: 2 }),
    compress: of(false),
    attachedPages: inert({ header: true }, 'only attached documents show it'),
    missingGlyph: of('reject', { content: '{{text}}' }),
    tagged: of(true, { info: { title: 'Receipt' } }),
  },
  info: {
    title: of('Loan offer {{number}}'),
    subject: of('Offer'),
    author: of('Intaglio Bank'),
    keywords: of('loan, offer'),
  },
  style: STYLE,
  namedStyle: { ...MARGIN, extends: of('base') },
  node: {
    ...FLOW,
    ...NODE_GROUPS,
    ...MARGIN,
    marginBottom: of(60, { in: 'cell' }),
    ...ANCHOR,
    style: of(['base']),
    width: of(60, { in: 'columns' }),
    pageBreak: of('before'),
    pageOrientation: of('landscape', { pageBreak: 'before' }),
    absolutePosition: of({ x: 40, y: 700 }),
    relativePosition: of({ x: 6, y: -3 }),
    unbreakable: of(true, { text: 'x\n'.repeat(40) }),
    headlineLevel: of(1),
    keepWithNext: of(true),
    role: inert('h2', ONLY_TAGGED),
    verticalAlignment: of('middle', { in: 'cell' }),
    colSpan: of(2, { in: 'cell' }),
    rowSpan: of(2, { in: 'cell' }),
    border: of([true, false, true, false], { in: 'cell' }),
    borderColor: of(['red', 'red', 'red', 'red'], { in: 'cell' }),
    overlayPattern: of('#e9eef6', { in: 'cell' }),
    overlayOpacity: of(0.4, { in: 'cell', overlayPattern: 'navy' }),
    counter: of(7, { in: 'list' }),
    listType: of('upper-roman', { in: 'list' }),
  },
  'columns node': {
    columns: of(['left', 'right']),
    snakingColumns: of(true, { columns: [LONG.repeat(60), ''] }),
  },
  'stack node': { stack: of(['one', 'two']) },
  'ul node': { ul: of(['one', 'two']), type: of('square', { ul: ['one'] }) },
  'ol node': {
    ol: of(['one', 'two']),
    type: of('upper-roman', { ol: ['one', 'two'] }),
    start: of(3, { ol: ['one', 'two'] }),
    reversed: of(true, { ol: ['one', 'two'] }),
    separator: of(['(', ')'], { ol: ['one', 'two'] }),
  },
  'table node': {
    table: of({ body: [['a', 'b']] }),
    layout: of('lightHorizontalLines', { table: { body: [['a'], ['b']] } }),
  },
  'text node': {
    text: of(['Total ', { text: '{{number}}', bold: true }]),
    format: of({ decimals: 2 }, { text: '{{number}}' }),
    pageReference: of('here', { text: '' }),
    textReference: of('here', { text: '' }),
    maxHeight: of(20),
    shrink: of(6, { maxHeight: 20 }),
    orphans: of(2),
    widows: of(3),
  },
  'toc node': { toc: of({ title: 'Contents' }) },
  'image node': {
    alt: inert('The seal of the bank', ONLY_TAGGED),
    ...SIZE,
    image: of('{{image}}'),
    cover: of({ width: 60, height: 20 }),
  },
  'svg node': {
    ...SIZE,
    alt: inert('Balance over the year', ONLY_TAGGED),
    svg: of("<svg viewBox='0 0 9 9'><circle cx='4' cy='4' r='4'/></svg>"),
  },
  'canvas node': {
    alt: inert('A red line', ONLY_TAGGED),
    canvas: of([{ type: 'line', x1: 0, y1: 0, x2: 90, y2: 0 }]),
  },
  'qr node': {
    alt: inert('Code that verifies the document', ONLY_TAGGED),
    qr: of('https://verify.example/{{number}}'),
    fit: of(80),
    version: of(5),
    eccLevel: of('H'),
    mask: of(5),
    mode: of('octet', { qr: '12345' }),
    foreground: of('#12305c'),
    padding: of(2),
  },
  'pdf node': {
    ...SIZE,
    pdf: of('letterhead'),
    alt: inert('Letterhead', ONLY_TAGGED),
    page: of(2),
    cover: of({ width: 60, height: 20 }),
  },
  'barcode node': {
    alt: inert('Code for the payment of {{number}}', ONLY_TAGGED),
    barcode: of('datamatrix'),
    data: of('{{number}}'),
    payee: of('0801234567', { barcode: 'promptPay', data: null }),
    biller: of('099400016550100', { barcode: 'billPaymentQr', data: null, reference1: '17' }),
    reference1: of('REF2026', { barcode: 'billPaymentQr', data: null, biller: '099400016550100' }),
    reference2: of('112026', { ...BILL }),
    amount: of('{{number}}', { ...BILL }),
    module: of(0.8),
    height: of(24),
    fit: of([120, 30]),
    foreground: of('#12305c'),
    padding: of(12),
  },
  run: {
    ...ANCHOR,
    style: of('base'),
    text: of('bold', { bold: true }),
    format: of({ decimals: 2 }, { text: '{{number}}' }),
    pageReference: of('here', { text: '' }),
    textReference: of('here', { text: '' }),
  },
  table: {
    body: of([['a'], ['b']]),
    widths: of([90, '*'], { body: [['a', 'b']] }),
    heights: of(30),
    headerRows: of(1),
    headerColumns: inert(1, ONLY_TAGGED),
    keepWithHeaderRows: of(3, { headerRows: 1 }),
    dontBreakRows: of(true),
    keepRowsAtStart: of(10),
    keepRowsAtEnd: of(10),
    statement: of(
      { each: 'table', credit: 1 },
      { body: [{ each: 'table', cells: ['{{statement.balance}}'] }] },
    ),
  },
  row: { ...FLOW, ...ROW_FLOW },
  statement: {
    each: of('table'),
    opening: of('number'),
    credit: of(1, { debit: 2 }),
    debit: of(2, { credit: 1 }),
    format: of({ decimals: 0 }),
    broughtForward: of([{ text: 'Brought forward', colSpan: 3 }, {}, {}, '{{statement.balance}}']),
    carriedForward: of([{ text: 'Carried forward', colSpan: 3 }, {}, {}, '{{statement.balance}}']),
    pageTotal: of([{ text: 'Page', colSpan: 3 }, {}, {}, '{{statement.pageCredits}}']),
  },
  layout: {
    extends: of('lightHorizontalLines'),
    hLineWidth: of({ header: 2, rest: 0.5 }),
    vLineWidth: of(0),
    hLineColor: of('#b9c3d0'),
    vLineColor: of('#b9c3d0'),
    hLineStyle: of({ dash: { length: 2, space: 1 } }),
    vLineStyle: of({ dash: { length: 2, space: 1 } }),
    paddingLeft: of(8),
    paddingRight: of(8),
    paddingTop: of(5),
    paddingBottom: of(5),
    fillColor: of({ even: '#f7f7f2' }),
    fillOpacity: of(0.5, { fillColor: 'navy' }),
    defaultBorder: of(false),
    hLineWhenBroken: of(false),
  },
  toc: {
    id: of('annexes'),
    title: of('Contents'),
    textStyle: of({ bold: true }),
    numberStyle: of({ color: 'navy' }),
    textMargin: of([0, 4]),
    sortBy: of('title'),
    sortLocale: inert('th', 'only titles of other languages sort otherwise'),
    hideEmpty: of(true, { id: 'annexes', title: 'Annexes' }),
    outlines: of(true),
  },
  section: {
    ...RUNNING_ELEMENT,
    section: of('An annex.'),
    pageSize: of('A5'),
    pageOrientation: of('landscape'),
    pageMargins: of(20),
  },
  runningElement: { first: of('first'), rest: of('rest'), last: of('last', { rest: 'rest' }) },
  watermark: {
    text: of('COPY'),
    font: of('Sarabun'),
    fontSize: of(60),
    bold: of(true),
    italics: of(true),
    color: of('#12305c'),
    opacity: of(0.1),
    angle: of(-45),
  },
  breakBefore: { headlineLevel: of(2, { minFollowing: 2 }), minFollowing: of(3) },
  attachedPages: {
    header: inert(true, 'only attached documents show it'),
    footer: inert(false, 'only attached documents show it'),
  },
  pattern: {
    boundingBox: inert([0, 0, 2, 2], 'a tile is as large as its steps'),
    xStep: of(5),
    yStep: of(5),
    pattern: of('1 w 0 0 m 4 4 l s'),
    colored: inert(false, 'the fill gives the colour'),
  },
  line: {
    ...STROKE,
    type: of('line'),
    x1: of(10),
    y1: of(10),
    x2: of(90),
    y2: of(5),
  },
  rect: {
    ...STROKE,
    ...FILL,
    type: of('rect'),
    x: of(10),
    y: of(10),
    w: of(60),
    h: of(30),
    r: of(6),
  },
  ellipse: {
    ...STROKE,
    ...FILL,
    type: of('ellipse'),
    x: of(60),
    y: of(40),
    r1: of(30),
    r2: of(10),
  },
  polyline: {
    ...STROKE,
    ...FILL,
    type: of('polyline'),
    points: of([
      { x: 0, y: 0 },
      { x: 40, y: 30 },
      { x: 80, y: 0 },
    ]),
    closePath: of(true),
    linearGradient: inert(['navy', 'gold'], 'a polyline has a plain fill'),
  },
};
