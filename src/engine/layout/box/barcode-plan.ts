import type { BarcodeSymbol } from '../../barcode/encode.ts';
import { completeText, composeBarcode } from '../../barcode/barcode.ts';
import { isSymbology, SYMBOLOGIES } from '../../barcode/symbologies.ts';
import type { BarcodeKind, Composed } from '../../barcode/barcode.ts';
import type { BarcodeNode } from '../../model/nodes.ts';
import type { PathData, Rgb } from '../../model/style.ts';
import { LayoutFault } from '../layout-fault.ts';
import type { Item, PathItem } from '../../model/frame.ts';
import { encodeQr } from '../../qr/qr.ts';
import { isStaticText, type DataScope } from '../scope.ts';
import { type Box, GraphicBox } from './blocks.ts';
import { Plan } from './plan.ts';
import { RECTANGLE } from '../../model/path.ts';

/** Default height of bars: half an inch. */
const BARS_HEIGHT_PT = 36;
/** Default module of bars, and of PDF417, which has as many modules across as bars. */
const NARROW_MODULE_PT = 1;
/** Default module of square codes. */
const SQUARE_MODULE_PT = 2;
/** Error correction for payments, which are read from creased paper: 15 % may be damaged. */
const QR_OPTIONS = { eccLevel: 'M', version: null, mask: null, mode: null } as const;

/** The plan of a barcode node: a barcode of one or two dimensions, or a QR code. */
export class BarcodePlan extends Plan {
  declare readonly node: BarcodeNode;

  constructor(node: BarcodeNode) {
    super(
      node,
      node.parts.every(({ text }) => isStaticText(text)),
    );
  }

  protected makeBox(scope: DataScope): Box {
    const { node } = this;
    const composed = composeNode(node, scope);
    switch (composed.kind) {
      case 'empty':
        return this.emptyBox();
      case 'fault':
        throw new LayoutFault(node.path, `"${composed.part}" does not fit the barcode`);
      case 'symbol':
        return symbolBox(node, composed.symbol);
      case 'qr':
        return qrBox(node, composed.text);
    }
  }
}

/** Fills in the bindings of a node and makes its code. */
export function composeNode(node: BarcodeNode, scope: DataScope): Composed {
  const texts: Record<string, string> = {};
  for (const { part, text } of node.parts) texts[part] = scope.text(text);
  return composeBarcode(node.symbology, completeText(texts));
}

/** The size of a code on the page, with its quiet zone. */
interface CodeGeometry {
  readonly modulePt: number;
  readonly widthPt: number;
  readonly heightPt: number;
  /** Height of a row of modules; bars have one row. */
  readonly rowPt: number;
  /** `quietXPt` lies left and right of the code, `quietYPt` above and below it. */
  readonly quietXPt: number;
  readonly quietYPt: number;
}

function symbolBox(node: BarcodeNode, symbol: BarcodeSymbol): Box {
  const geometry = geometryOf(node, symbol.columns, symbol.rows);
  const { modulePt, rowPt, quietXPt, quietYPt } = geometry;
  const path: number[] = [];
  const { rectangles } = symbol;
  for (let at = 0; at < rectangles.length; at += 4) {
    const [x = 0, y = 0, width = 0, height = 0] = rectangles.slice(at, at + 4);
    path.push(
      RECTANGLE,
      x * modulePt + quietXPt,
      y * rowPt + quietYPt,
      width * modulePt,
      height * rowPt,
    );
  }
  return boxOf(node, geometry, (x, y) => filled(x, y, path, node.foreground));
}

function qrBox(node: BarcodeNode, text: string): Box {
  const symbol = encodeQr(text, QR_OPTIONS);
  if (symbol === null) throw new LayoutFault(node.path, 'the text does not fit a QR code');
  const { count, bits } = symbol;
  const geometry = geometryOf(node, count, count);
  const sizePt = count * geometry.modulePt;
  const { foreground } = node;
  return boxOf(node, geometry, (x, y) => ({
    kind: 'qr',
    x: x + geometry.quietXPt,
    y: y + geometry.quietYPt,
    sizePt,
    count,
    bits,
    foreground,
    background: null,
  }));
}

function boxOf(
  node: BarcodeNode,
  geometry: CodeGeometry,
  code: (x: number, y: number) => Item,
): Box {
  const { widthPt, heightPt } = geometry;
  const { background } = node;
  return new GraphicBox(node, widthPt, heightPt, node.alignment, /* link */ null, (x, y) => {
    const items: Item[] = [];
    if (background !== null)
      items.push(filled(x, y, [RECTANGLE, 0, 0, widthPt, heightPt], background));
    items.push(code(x, y));
    return items;
  });
}

function filled(x: number, y: number, path: PathData, paint: Rgb): PathItem {
  return { kind: 'path', x, y, path, fill: { paint, opacity: 1, rule: 'nonzero' }, stroke: null };
}

/** The size of a code with its quiet zone. Codes with bars have no quiet zone above and below. */
function geometryOf(node: BarcodeNode, columns: number, rows: number): CodeGeometry {
  const isBars = rows === 1;
  const quiet = node.paddingModules ?? quietModules(node.symbology);
  const across = columns + 2 * quiet;
  const down = isBars ? 0 : rows + 2 * quiet;
  const modulePt = chooseModulePt(node, across, down);
  const barsPt = node.fit === null ? (node.heightPt ?? BARS_HEIGHT_PT) : node.fit[1];
  return {
    modulePt,
    widthPt: across * modulePt,
    heightPt: isBars ? barsPt : down * modulePt,
    rowPt: isBars ? barsPt : modulePt,
    quietXPt: quiet * modulePt,
    quietYPt: isBars ? 0 : quiet * modulePt,
  };
}

/**
 * The width of a module in points, from the first of `fit`, `module`, `width` and `height` that the
 * node has. `across` and `down` are the modules of the code with its quiet zone; `down` is 0 for bars.
 */
function chooseModulePt(node: BarcodeNode, across: number, down: number): number {
  const { fit, modulePt, widthPt, heightPt } = node;
  const isBars = down === 0;
  if (fit !== null) {
    const [fitWidthPt, fitHeightPt] = fit;
    const widest = fitWidthPt / across;
    return isBars ? widest : Math.min(widest, fitHeightPt / down);
  }
  if (modulePt !== null) return modulePt;
  if (widthPt !== null) return widthPt / across;
  if (heightPt !== null && !isBars) return heightPt / down;
  return isBars || node.symbology === 'pdf417' ? NARROW_MODULE_PT : SQUARE_MODULE_PT;
}

/** Quiet zone on each side, in modules: the wider one that the standard of the code demands. */
function quietModules(kind: BarcodeKind): number {
  if (isSymbology(kind)) return SYMBOLOGIES[kind].quietModules;
  switch (kind) {
    case 'billPayment':
      return SYMBOLOGIES.code128.quietModules;
    case 'billPaymentQr':
    case 'promptPay':
      return 4;
  }
}
