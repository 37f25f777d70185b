/** A line on each key of one kind of object, for editors and docs/template-keys.md. */
type Notes = Readonly<Record<string, string>>;

/**
 * The notes by the place that a key stands in: `mask` of a format is not `mask` of a QR code.
 * Lengths are points (1/72 inch).
 */
const NOTES = {
  template: {
    $schema: 'Where editors find this schema.',
    templateId: 'Identifier of the template, unique in its team.',
    description: 'For people only; not drawn.',
    fields: 'The contract: what data may and must hold.',
    document: 'The layout, in the vocabulary of pdfmake.',
    samples: 'Example data; rendered when the template is published.',
    attachedPages: 'Which of header and footer are drawn on pages of attached documents.',
    missingGlyph:
      'A character that no font has: reject, warn of it (fallback, unless given), or draw a box.',
    archive: 'Level of PDF/A that every document keeps; what cannot keep it is a finding.',
    name: 'Name that people see.',
    language:
      'BCP 47 tag such as th or en: names of months, separators, numbers in words, default font.',
    watermark: 'Text across every page.',
    words: 'Thai words that no line end may part, beside those that the service knows.',
  },
  sample: {
    name: 'What the sample shows.',
    data: 'A value for each field that the sample shows.',
  },
  field: {
    name: 'Name of the field; the key in data.',
    type: 'Type of the value.',
    required: 'Whether data must supply the field.',
    label: 'For people only; not drawn.',
    description: 'For people only; not drawn.',
    format: 'How the value is printed.',
    validation: 'What a value must hold beyond its type.',
  },
  format: {
    decimals: 'Fraction digits; rounded half away from zero.',
    thousandsSeparator: '1,250.50 instead of 1250.50.',
    prefix: 'Before the number.',
    suffix: 'After the number.',
    digits: 'Thai or Latin digits.',
    words: 'The number in words, in Thai or English; with currency an amount of money.',
    currency: 'ISO 4217 code of the money that words name, such as THB.',
    case: 'Capitals, small letters, or capitals at the beginning of words.',
    mask: 'x shows a letter or digit, X * • hide one, all else stands for itself.',
    calendar: 'Buddhist years are 543 more.',
    pattern: 'CLDR letters: d dd M MM MMM MMMM y yy yyyy E EEEE.',
    style: 'bahttext: the amount in Thai words.',
    language: 'BCP 47 tag, instead of the language of the place; words: th or en.',
  },
  validation: {
    min: 'Least value.',
    max: 'Greatest value.',
    minLength: 'Least length in characters.',
    maxLength: 'Greatest length in characters.',
    pattern: 'Regular expression without look-around and back-references.',
  },
  document: {
    content: 'What the document says.',
    info: 'What readers show about the document; may hold bindings.',
    pageMargins: '40 unless given.',
    defaultStyle: 'Style of everything that does not say otherwise.',
    styles: 'Named styles.',
    images: 'Named images: data URLs.',
    patterns: 'Named hatches for fills.',
    tableLayouts: 'Named table layouts.',
    header: 'Drawn in the top margin of each page.',
    footer: 'Drawn in the bottom margin of each page.',
    watermark: 'Text across every page.',
    breakBefore: 'Breaks the page before a headline with too little after it.',
    compress: 'false: page contents, fonts and character maps uncompressed, for people to read.',
    attachedPages: 'Which of header and footer are drawn on pages of attached documents.',
    missingGlyph:
      'A character that no font has: reject, warn of it (fallback, unless given), or draw a box.',
    pageSize: 'A4 unless given.',
    pageOrientation: 'Turns the paper.',
    background: 'Drawn on every page behind the content.',
  },
  info: {
    title: 'Title, shown instead of the file’s name; options.metadata of the request wins.',
    subject: 'Subject; options.metadata of the request wins.',
    author: 'Who issues the document.',
    keywords: 'Words to search by.',
  },
  style: {
    font: 'Font family.',
    fontSize: 'Size in points; 12 unless given.',
    bold: 'Bold; Roboto’s is weight 500, as in pdfmake.',
    italics: 'Italics.',
    color: 'Colour of the text or the fill.',
    background: 'Colour behind the text.',
    lineHeight: 'Line height as a multiple of the font’s own.',
    characterSpacing: 'Points added after each character.',
    alignment: 'Of text, images and the like in their column.',
    decoration: 'Underline, line through, overline.',
    noWrap: 'Keeps the text on one line.',
    wordBreak: 'break-all breaks at any character.',
    lineBreaking:
      'greedy fills line by line, best takes a paragraph as a whole (justified Thai, unless given).',
    leadingIndent: 'Indent of the first line.',
    fontFeatures: 'OpenType features, for example ["smcp"].',
    sup: 'Superscript.',
    sub: 'Subscript.',
    opacity: '0 (invisible) to 1.',
    link: 'Address that a click opens.',
    linkToPage: 'Page that a click goes to, from 1.',
    linkToDestination: 'Id of the node that a click goes to.',
    fillColor: 'Fill of table cells; may be [pattern, colour].',
    columnGap: 'Room between columns.',
    markerColor: 'Colour of bullets and numbers.',
    language: 'BCP 47 tag: the language that numbers, dates and words inside are printed in.',
    decorationStyle: 'How the lines of decoration are drawn; solid unless given.',
    decorationColor: 'Colour of the lines of decoration; the text’s unless given.',
    decorationThickness: 'Thickness of the lines of decoration; as the font says unless given.',
    preserveLeadingSpaces: 'Keeps spaces at the beginning of a line.',
    preserveTrailingSpaces: 'Lets spaces at the end of a line take room.',
    fillOpacity: 'Opacity of the fill of table cells.',
  },
  margin: {
    margin: 'All sides; or [horizontal, vertical]; or [left, top, right, bottom].',
    marginLeft: 'Room on the left.',
    marginTop: 'Room above.',
    marginRight: 'Room on the right.',
    marginBottom: 'Room below.',
  },
  namedStyle: {
    extends: 'Styles this one starts from; later ones win.',
  },
  flow: {
    if: 'Field name: drawn only when the field has a value.',
    unless: 'Field name: drawn only when the field has no value.',
    each: 'Table field: one copy for each of its rows; {{0}}, {{1}}, … are the row’s cells.',
  },
  anchor: {
    id: 'Anchor for links and references; unique.',
    tocItem: 'Lists this text in a table of contents.',
    outline: 'Lists this text among the bookmarks.',
    outlineParentId: 'Id of the bookmark this one stands below.',
    tocStyle: 'Style of the text in the table of contents.',
    tocNumberStyle: 'Style of the page number in the table of contents.',
    tocMargin: 'Margin in the table of contents.',
    outlineText: 'Title of the bookmark; the text itself unless given.',
    outlineExpanded: 'Shows the bookmarks below this one at once.',
  },
  node: {
    style: 'Name or names in document.styles; later ones win.',
    pageBreak: 'Breaks the page before or after this node.',
    pageOrientation: 'Turns the paper; on a node only together with pageBreak.',
    absolutePosition: 'From the page’s top left corner; takes no room.',
    relativePosition: 'From where the node would stand; takes no room.',
    unbreakable: 'Keeps the node on one page.',
    headlineLevel: 'Rank of a headline, for breakBefore.',
    keepWithNext: 'Keeps the node on the page of what follows.',
    verticalAlignment: 'Of a table cell in its row, or of a node in its columns.',
    colSpan: 'Columns the cell covers; write {} for the covered ones.',
    rowSpan: 'Rows the cell covers; write {} for the covered ones.',
    border: '[left, top, right, bottom]: which lines are drawn.',
    counter: 'Number of this list item.',
    listType: 'Marker of this list item.',
    width: 'Of a node in columns: the column’s width.',
    borderColor: '[left, top, right, bottom]: colours of the lines of a table cell.',
    overlayPattern: 'Fill over the content of a table cell; may be [pattern, colour].',
    overlayOpacity: 'Opacity of overlayPattern.',
  },
  'columns node': {
    columns: 'Nodes side by side; each may have a width.',
    snakingColumns: 'Content flows from one column into the next.',
  },
  'stack node': {
    stack: 'Nodes one below the other.',
  },
  'ul node': {
    ul: 'List with bullets.',
    type: 'Kind of marker; disc unless given.',
  },
  'ol node': {
    ol: 'List with numbers.',
    type: 'Kind of number; decimal unless given.',
    start: 'First number.',
    reversed: 'Counts down.',
    separator: 'What follows the number; or [before, after].',
  },
  'table node': {
    table: 'Rows and columns.',
    layout:
      'noBorders, headerLineOnly, lightHorizontalLines, a name in document.tableLayouts, or a layout.',
  },
  'text node': {
    text: 'A string with {{bindings}}, or an array of strings and runs.',
    format: 'How the placeholders of this text are printed, over the format of the field.',
    pageReference: 'Prints the page number of the node with this id.',
    textReference: 'Prints the text of the node with this id.',
    maxHeight: 'Lines beyond this height are not drawn.',
    orphans: 'Least lines left before a page break.',
    widows: 'Least lines carried over a page break.',
  },
  'toc node': {
    toc: 'Table of contents: the nodes with a tocItem of its id.',
  },
  'image node': {
    width: 'Width it is scaled to; in columns also the column’s.',
    height: 'Height it is scaled to.',
    fit: '[width, height] of the box it is scaled into.',
    minWidth: 'Least width; the proportions stay.',
    maxWidth: 'Greatest width; the proportions stay.',
    minHeight: 'Least height; the proportions stay.',
    maxHeight: 'Greatest height; the proportions stay.',
    image: 'Name in document.images, a data URL, or "{{field}}" of type image.',
    cover: 'Box that the image fills; what reaches out is cut.',
  },
  'svg node': {
    width: 'Width it is scaled to; in columns also the column’s.',
    height: 'Height it is scaled to.',
    fit: '[width, height] of the box it is scaled into.',
    minWidth: 'Least width; the proportions stay.',
    maxWidth: 'Greatest width; the proportions stay.',
    minHeight: 'Least height; the proportions stay.',
    maxHeight: 'Greatest height; the proportions stay.',
    svg: 'SVG markup, or "{{field}}" of type svg.',
  },
  'canvas node': {
    canvas: 'Lines, rectangles, ellipses and polylines.',
  },
  'qr node': {
    qr: 'Text of a QR code; may hold bindings.',
    fit: 'Largest side; modules take whole points.',
    version: 'Size of the code, 1 (21 modules) to 40 (177); the least that fits unless given.',
    eccLevel: 'Error correction; L unless given.',
    mask: 'Mask pattern of the code; -1: the best one, as unless given.',
    mode: 'How the text is encoded; the shortest way unless given.',
    foreground: 'Colour of the modules.',
    background: 'Colour behind the code; white unless given.',
    padding: 'Blank modules around the code.',
  },
  'barcode node': {
    barcode: 'Kind of code; promptPay and billPaymentQr are QR codes.',
    data: 'Text of the code; may hold bindings.',
    payee: 'Whom promptPay pays: a phone number, tax id or e-wallet id.',
    biller: 'Biller id of a bill payment: tax id and suffix, 15 digits.',
    reference1: 'First reference of a bill payment.',
    reference2: 'Second reference of a bill payment.',
    amount: 'Amount in baht, printed as the bare number; the payer enters it unless given.',
    module: 'Width of the narrowest bar; 1 unless given, 2 in DataMatrix and QR codes.',
    height: 'Height of the bars, 36 unless given; of a matrix, instead of module.',
    fit: '[width, height] of the box it is scaled into, padding included.',
    foreground: 'Colour of the bars or modules.',
    padding: 'Blank modules around the code; as its standard asks for unless given.',
  },
  run: {
    style: 'Name or names in document.styles; later ones win.',
    text: 'A string with {{bindings}}, or an array of strings and runs.',
    format: 'How the placeholders of this text are printed, over the format of the field.',
    pageReference: 'Prints the page number of the node with this id.',
    textReference: 'Prints the text of the node with this id.',
  },
  table: {
    body: 'Rows: arrays of cells, or {"each" | "if" | "unless", "cells"}.',
    widths: 'A width for each column; or one for all. "auto" unless given.',
    heights: 'Least height of rows.',
    headerRows: 'Rows that are repeated on each page.',
    keepWithHeaderRows: 'Rows that stay with the header rows.',
    dontBreakRows: 'Keeps each row on one page.',
    keepRowsAtStart: 'Least rows before the first page break.',
    keepRowsAtEnd: 'Least rows after the last page break.',
    statement: 'Running balance, and rows that carry it over page breaks.',
  },
  row: {
    cells: 'The cells of the row.',
  },
  statement: {
    each: 'Table field whose rows are summed.',
    opening: 'Number field that the balance starts from.',
    credit: 'Column, from 0, that is added to the balance.',
    debit: 'Column, from 0, that is taken off the balance.',
    format: 'How the sums are printed; two decimals with separators unless given.',
    broughtForward: 'First row of every page but the first.',
    carriedForward: 'Last row of every page but the last.',
    pageTotal: 'Last row of every page.',
  },
  layout: {
    extends: 'Named layout that this one starts from; pdfmake’s default unless given.',
    hLineWidth: 'Width of the horizontal lines.',
    vLineWidth: 'Width of the vertical lines.',
    hLineColor: 'Colour of the horizontal lines.',
    vLineColor: 'Colour of the vertical lines.',
    hLineStyle: 'Dashes of the horizontal lines: {"dash": {"length", "space"}}.',
    vLineStyle: 'Dashes of the vertical lines: {"dash": {"length", "space"}}.',
    paddingLeft: 'Room on the left in a cell.',
    paddingRight: 'Room on the right in a cell.',
    paddingTop: 'Room above in a cell.',
    paddingBottom: 'Room below in a cell.',
    fillColor: 'Fill of rows; may be [pattern, colour].',
    fillOpacity: 'Opacity of the fill.',
    defaultBorder: 'false: no lines but those that cells ask for by border.',
    hLineWhenBroken: 'false: no line where a page break cuts a row.',
  },
  toc: {
    id: 'Name of this table of contents, for tocItem.',
    title: 'Drawn above the entries, if there are any.',
    textStyle: 'Style of the entries.',
    numberStyle: 'Style of the page numbers; that of the entries unless given.',
    textMargin: 'Margin of each entry.',
    sortBy: 'Order of the entries: by page, or by title.',
    sortLocale: 'Language that titles are sorted by; the template’s own unless given.',
    hideEmpty: 'Draws nothing, the title neither, when there are no entries.',
    outlines: 'Makes a bookmark of each entry.',
  },
  section: {
    section: 'Content on pages of its own set-up.',
    pageSize: 'The document’s unless given; "inherit": that of the section before.',
    pageOrientation: 'Turns the paper; "inherit": as the section before.',
    pageMargins: 'The document’s unless given; "inherit": those of the section before.',
    header: 'The document’s unless given; "inherit": that of the section before; null: none.',
    footer: 'The document’s unless given; "inherit": that of the section before; null: none.',
    background: 'Drawn behind the content of the section; the document’s unless given; null: none.',
  },
  furniture: {
    first: 'On the first page, also of a document of one page; nothing unless given.',
    rest: 'On the pages after the first; nothing unless given.',
    last: 'On the last page of several; the same as rest unless given, null: nothing.',
  },
  watermark: {
    text: 'The text; may hold bindings.',
    font: 'Font family.',
    fontSize: 'Size in points; "auto", as unless given: as large as the page allows.',
    bold: 'Bold.',
    italics: 'Italics.',
    color: 'Colour; black unless given.',
    opacity: '0 (invisible) to 1; 0.6 unless given.',
    angle: 'Degrees, clockwise; along the diagonal of the page unless given.',
  },
  breakBefore: {
    headlineLevel: 'The rank of headlines that this is about; 1 unless given.',
    minFollowing: 'Nodes that must follow the headline on its page.',
  },
  attachedPages: {
    header: 'Draws the header on pages of attached documents; false unless given.',
    footer: 'Draws the footer on pages of attached documents; true unless given.',
  },
  pattern: {
    boundingBox: 'Accepted for pdfmake’s sake: a tile is as large as its steps.',
    xStep: 'Distance from one tile to the next across.',
    yStep: 'Distance from one tile to the next up.',
    pattern: 'Lines and curves of the tile: m l c re h S w.',
    colored: 'Accepted for pdfmake’s sake; the colour is that of the fill.',
  },
  polyline: {
    linearGradient: 'Accepted for pdfmake’s sake: a polyline is filled with color.',
  },
  vector: {
    type: 'Shape.',
    lineWidth: 'Width of the line; 1 unless given, 0: none.',
    lineColor: 'Colour of the line; black unless given.',
    lineCap: 'Ends of the line: butt, round or square.',
    lineJoin: 'Corners of the line: miter, round or bevel.',
    dash: '{"length", "space"} of the dashes.',
    strokeOpacity: 'Opacity of the line.',
    color: 'Fill; may be [pattern, colour]; none unless given.',
    fillOpacity: 'Opacity of the fill.',
    linearGradient: 'Colours of a fill from left to right.',
    x: 'Left edge; of an ellipse its centre.',
    y: 'Top edge; of an ellipse its centre.',
    w: 'Width.',
    h: 'Height.',
    r: 'Radius of the corners.',
    r1: 'Radius across.',
    r2: 'Radius down; r1 unless given.',
    x1: 'Begin, from the left.',
    y1: 'Begin, from the top.',
    x2: 'End, from the left.',
    y2: 'End, from the top.',
    points: 'Corners: {"x", "y"} each.',
    closePath: 'Draws a line back to the first corner.',
  },
} as const satisfies Record<string, Notes>;

/** Which groups of keys a place takes in, beside its own. */
const IN_NODES = ['node', 'anchor', 'flow', 'margin', 'style'] as const;
const GROUPS: Readonly<Record<string, readonly (keyof typeof NOTES)[]>> = {
  namedStyle: ['margin', 'style'],
  node: IN_NODES,
  run: ['anchor', 'flow', 'style'],
  row: ['flow'],
  line: ['vector'],
  rect: ['vector'],
  ellipse: ['vector'],
  polyline: ['vector'],
};

/** The note on a key of a place itself; '' where the key comes with a group or has none. */
export function ownNote(place: string, key: string): string {
  const notes: Notes = isPlace(place) ? NOTES[place] : {};
  return Object.hasOwn(notes, key) ? (notes[key] ?? '') : '';
}

/** The note on a key as it stands in a place: its own, or that of the group the key comes with. */
export function noteOf(place: string, key: string): string {
  const groups = GROUPS[place] ?? (place.endsWith(' node') ? IN_NODES : []);
  for (const group of [place, ...groups]) {
    const note = ownNote(group, key);
    if (note !== '') return note;
  }
  return '';
}

/** Every note with its place, for the test that each is about a key that exists. */
export function allNotes(): readonly (readonly [place: string, key: string])[] {
  return Object.entries(NOTES).flatMap(([place, notes]) =>
    Object.keys(notes).map((key) => [place, key] as const),
  );
}

function isPlace(place: string): place is keyof typeof NOTES {
  return Object.hasOwn(NOTES, place);
}
