import type { BarcodeSymbol } from '../../barcode/encode.ts';
import { completeText, composeBarcode } from '../../barcode/barcode.ts';
import type { BarcodeKind, Composed } from '../../barcode/barcode.ts';
import type { BarcodeNode } from '../../model/nodes.ts';
import type { PathData, Rgb } from '../../model/style.ts';
import { LayoutFault } from '../layout-fault.ts';
import type { Item, PathItem } from '../../model/frame.ts';
import { encodeQr } from '../../qr/qr.ts';
import { isStaticText, type DataScope } from '../scope.ts';
import { type Box, GraphicBox } from './blocks.ts';
import { Plan } from './plan.ts';

/** Default height of bars: half an inch. */
const BARS_HEIGHT_PT = 36;
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

interface Frame {
  readonly modulePt: number;
  readonly widthPt: number;
  readonly heightPt: number;
  /** Quiet zone left and right, and above and below, in points. */
  readonly quietX: number;
  readonly quietY: number;
}

function symbolBox(node: BarcodeNode, symbol: BarcodeSymbol): Box {
  const frame = frameOf(node, symbol.columns, symbol.rows);
  const { modulePt, quietX, quietY } = frame;
  const rowPt = symbol.rows === 1 ? frame.heightPt : modulePt;
  const path: number[] = [];
  const { rectangles } = symbol;
  for (let at = 0; at < rectangles.length; at += 4) {
    const [x = 0, y = 0, width = 0, height = 0] = rectangles.slice(at, at + 4);
    // 4 is the rectangle command of PathData.
    path.push(4, x * modulePt + quietX, y * rowPt + quietY, width * modulePt, height * rowPt);
  }
  return boxOf(node, frame, (x, y) => filled(x, y, path, node.foreground));
}

function qrBox(node: BarcodeNode, text: string): Box {
  const symbol = encodeQr(text, QR_OPTIONS);
  if (symbol === null) throw new LayoutFault(node.path, 'the text does not fit a QR code');
  const { count, modules } = symbol;
  const frame = frameOf(node, count, count);
  const sizePt = count * frame.modulePt;
  const { foreground } = node;
  return boxOf(node, frame, (x, y) => ({
    kind: 'qr',
    x: x + frame.quietX,
    y: y + frame.quietY,
    sizePt,
    count,
    modules,
    foreground,
    background: null,
  }));
}

function boxOf(node: BarcodeNode, frame: Frame, code: (x: number, y: number) => Item): Box {
  const { widthPt, heightPt } = frame;
  const { background } = node;
  return new GraphicBox(node, widthPt, heightPt, node.alignment, null, (x, y) => {
    const items: Item[] = [];
    if (background !== null) items.push(filled(x, y, [4, 0, 0, widthPt, heightPt], background));
    items.push(code(x, y));
    return items;
  });
}

function filled(x: number, y: number, path: PathData, paint: Rgb): PathItem {
  return { kind: 'path', x, y, path, fill: { paint, opacity: 1, rule: 'nonzero' }, stroke: null };
}

/** The size of a code with its quiet zone. Codes with bars have no quiet zone above and below. */
function frameOf(node: BarcodeNode, columns: number, rows: number): Frame {
  const isBars = rows === 1;
  const quiet = node.paddingModules ?? quietModules(node.symbology);
  const across = columns + 2 * quiet;
  const down = isBars ? 0 : rows + 2 * quiet;
  const modulePt = moduleOf(node, across, down);
  const barsPt = node.fit === null ? (node.heightPt ?? BARS_HEIGHT_PT) : node.fit[1];
  return {
    modulePt,
    widthPt: across * modulePt,
    heightPt: isBars ? barsPt : down * modulePt,
    quietX: quiet * modulePt,
    quietY: isBars ? 0 : quiet * modulePt,
  };
}

/**
 * The width of a module in points, from the first of `fit`, `module`, `width` and `height` that the
 * node has. `across` and `down` are the modules of the code with its quiet zone; `down` is 0 for bars.
 */
function moduleOf(node: BarcodeNode, across: number, down: number): number {
  const { fit, modulePt, widthPt, heightPt } = node;
  if (fit !== null) return down === 0 ? fit[0] / across : Math.min(fit[0] / across, fit[1] / down);
  if (modulePt !== null) return modulePt;
  if (widthPt !== null) return widthPt / across;
  if (heightPt !== null && down > 0) return heightPt / down;
  return down === 0 || node.symbology === 'pdf417' ? 1 : 2;
}

/** Quiet zone that the standard of the code demands on each side, in modules. */
function quietModules(kind: BarcodeKind): number {
  switch (kind) {
    case 'code128':
    case 'itf':
    case 'billPayment':
      return 10;
    case 'ean13':
      return 11;
    case 'datamatrix':
      return 1;
    case 'pdf417':
      return 2;
    case 'billPaymentQr':
    case 'promptPay':
      return 4;
  }
}
