import type { BarcodeSymbol } from '../../barcode/encode.ts';
import { completeText, composeBarcode } from '../../barcode/barcode.ts';
import { isSymbology, SYMBOLOGIES } from '../../barcode/symbologies.ts';
import type { BarcodeKind, Composed } from '../../barcode/barcode.ts';
import type { BarcodeNode } from '../../model/nodes.ts';
import type { PathData, Rgb } from '../../model/style.ts';
import type { AmountPolicy } from '../amounts/amounts.ts';
import { LayoutFault } from '../layout-fault.ts';
import type { Item, PathItem } from '../../model/frame.ts';
import { encodeQr } from '../../qr/qr.ts';
import { isStaticText, type DataScope } from '../scope.ts';
import { type Box, GraphicBox } from './blocks.ts';
import { Plan } from './plan.ts';
import type { PrintedCode } from './printed-code.ts';
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
  readonly #amounts: AmountPolicy;

  constructor(node: BarcodeNode, amounts: AmountPolicy) {
    super(
      node,
      node.parts.every(({ text }) => isStaticText(text)),
    );
    this.#amounts = amounts;
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
        return symbolBox(this.#printed(scope), composed.symbol);
      case 'qr':
        return qrBox(this.#printed(scope), composed.text);
    }
  }

  #printed(scope: DataScope): Printed {
    const { node } = this;
    const text = node.parts.map((part) => scope.text(part.text)).join('\n');
    return { node, text, policy: this.#amounts };
  }
}

type Printed = Pick<PrintedCode, 'text' | 'policy'> & { readonly node: BarcodeNode };

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
  readonly isBars: boolean;
}

function symbolBox(printed: Printed, symbol: BarcodeSymbol): Box {
  const { node } = printed;
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
  return boxOf(printed, geometry, (x, y) => filled(x, y, path, node.foreground));
}

function qrBox(printed: Printed, text: string): Box {
  const { node } = printed;
  const symbol = encodeQr(text, QR_OPTIONS);
  if (symbol === null) throw new LayoutFault(node.path, 'the text does not fit a QR code');
  const { count, bits } = symbol;
  const geometry = geometryOf(node, count, count);
  const sizePt = count * geometry.modulePt;
  const { foreground } = node;
  return boxOf(printed, geometry, (x, y) => ({
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
  printed: Printed,
  geometry: CodeGeometry,
  symbol: (x: number, y: number) => Item,
): Box {
  const { widthPt, heightPt, modulePt, quietXPt, quietYPt, isBars } = geometry;
  const { node } = printed;
  const { background } = node;
  const paint = (x: number, y: number): Item[] => {
    const items: Item[] = [];
    if (background !== null)
      items.push(filled(x, y, [RECTANGLE, 0, 0, widthPt, heightPt], background));
    items.push(symbol(x, y));
    return items;
  };
  const blankYPt = isBars ? heightPt / 2 : quietYPt;
  const code: PrintedCode = { ...printed, modulePt, blankXPt: quietXPt, blankYPt };
  const noLink = null;
  return new GraphicBox(node, widthPt, heightPt, node.alignment, noLink, paint, [], code);
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
    isBars,
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
