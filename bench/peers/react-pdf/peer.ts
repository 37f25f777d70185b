import { serveSubject } from '../../harness/subject.ts';
import { LOGO_DATA_URL, LOGO_PT } from '../../../lab/shapes/logo.ts';
import { FOOTER, LINE_HEIGHT_EM, PAGE, PAIRS, TABLE } from '../../../lab/shapes/sheet.ts';
import type { Block, Sheet, SheetRun, TableBlock } from '../../../lab/shapes/sheet.ts';
import { packageVersion, qrPath, SARABUN, splitWords } from '../common.ts';
import type { QrModule } from '../common.ts';

/** @react-pdf/renderer; Thai words reach it as syllables of its hyphenation callback. */
type Element = unknown;
type Style = Record<string, unknown>;

interface ReactPdf {
  readonly Document: unknown;
  readonly Page: unknown;
  readonly View: unknown;
  readonly Text: unknown;
  readonly Image: unknown;
  readonly Svg: unknown;
  readonly Path: unknown;
  readonly Font: {
    register(family: { family: string; fonts: { src: string; fontWeight?: string }[] }): void;
    registerHyphenationCallback(callback: (word: string) => string[]): void;
  };
  renderToBuffer(document: Element): Promise<Uint8Array>;
}

interface React {
  createElement(this: void, type: unknown, props: unknown, ...children: Element[]): Element;
}

// Peers are installed on demand, so their packages cannot be imported statically.
const packages = ['@react-pdf/renderer', 'react', 'qrcode'] as const;
const pdf = (await import(packages[0])) as ReactPdf;
const { createElement } = ((await import(packages[1])) as { default: React }).default;
const qr = ((await import(packages[2])) as { default: QrModule }).default;

pdf.Font.register({
  family: 'Sarabun',
  fonts: [{ src: SARABUN.regular }, { src: SARABUN.bold, fontWeight: 'bold' }],
});
// An empty string between parts lets a line end there without a hyphen.
pdf.Font.registerHyphenationCallback((word) =>
  splitWords(word).flatMap((part, i) => (i === 0 ? [part] : ['', part])),
);

function view(style: Style, children: Element[], props: Style = {}): Element {
  return createElement(pdf.View, { style, ...props }, ...children);
}

function text(style: Style, children: Element[]): Element {
  return createElement(pdf.Text, { style }, ...children);
}

function runText(run: SheetRun): Element {
  return run.bold ? text({ fontWeight: 'bold' }, [run.text]) : run.text;
}

function row(table: TableBlock, cells: readonly string[], header: boolean): Element {
  const line = { borderBottomWidth: TABLE.lineWidth, borderBottomColor: TABLE.lineColor };
  const children = cells.map((cell, i) =>
    text(
      {
        width: (table.widths[i] ?? 0) + 2 * TABLE.paddingX,
        paddingHorizontal: TABLE.paddingX,
        textAlign: table.aligns[i],
        ...(header ? { fontWeight: 'bold' } : {}),
      },
      [cell],
    ),
  );
  const style = { flexDirection: 'row', paddingVertical: table.paddingY, ...line };
  return view(style, children, header ? { fixed: true } : { wrap: false });
}

function element(block: Block): Element {
  switch (block.kind) {
    case 'text':
      return text(
        {
          fontSize: block.size,
          textAlign: block.align,
          lineHeight: LINE_HEIGHT_EM * block.lineHeight,
          marginBottom: block.after,
        },
        block.runs.map(runText),
      );
    case 'masthead':
      return view({ flexDirection: 'row', marginBottom: block.after }, [
        createElement(pdf.Image, { src: LOGO_DATA_URL, style: { width: LOGO_PT.width } }),
        view(
          { flexGrow: 1, flexBasis: 0, fontSize: block.size, textAlign: 'right' },
          block.lines.map((line) => text({}, [runText(line)])),
        ),
      ]);
    case 'pairs':
      return view(
        { flexDirection: 'row', gap: PAIRS.columnGap, marginBottom: block.after },
        block.columns.map((pairs) =>
          view(
            { flexGrow: 1, flexBasis: 0, fontSize: block.size },
            pairs.map(([label, value]) =>
              view({ flexDirection: 'row', paddingVertical: PAIRS.paddingY }, [
                text({ width: PAIRS.labelWidth + 2 * PAIRS.paddingX, fontWeight: 'bold' }, [label]),
                text({ flexGrow: 1, flexBasis: 0 }, [value]),
              ]),
            ),
          ),
        ),
      );
    case 'table':
      return view({ fontSize: block.size, marginBottom: block.after }, [
        row(block, block.header, true),
        ...block.rows.map((cells) => row(block, cells, false)),
      ]);
    case 'qr': {
      const { path, size } = qrPath(qr, block.text);
      return createElement(
        pdf.Svg,
        { viewBox: `0 0 ${size} ${size}`, style: { width: block.size, height: block.size } },
        createElement(pdf.Path, { d: path, fill: 'black' }),
      );
    }
  }
}

const FOOTER_STYLE = {
  position: 'absolute',
  top: PAGE.height - PAGE.marginY + FOOTER.gap,
  left: PAGE.marginX,
  width: PAGE.width - 2 * PAGE.marginX,
  textAlign: 'center',
  fontSize: FOOTER.size,
};

function footer({ pageNumber, totalPages }: { pageNumber: number; totalPages: number }): string {
  return `${FOOTER.text[0]}${pageNumber}${FOOTER.text[1]}${totalPages}`;
}

function document(sheet: Sheet): Element {
  const style = {
    fontFamily: 'Sarabun',
    fontSize: 10,
    lineHeight: LINE_HEIGHT_EM,
    paddingHorizontal: PAGE.marginX,
    paddingVertical: PAGE.marginY,
  };
  const number = createElement(pdf.Text, { fixed: true, style: FOOTER_STYLE, render: footer });
  const page = createElement(pdf.Page, { size: 'A4', style }, ...sheet.blocks.map(element), number);
  return createElement(pdf.Document, {}, page);
}

serveSubject<Sheet>({
  version: packageVersion(import.meta.url, '@react-pdf/renderer'),
  hasChildren: false,
  stage: (_shape, source) => source.sheet(),
  render: (sheet) => pdf.renderToBuffer(document(sheet)),
});
