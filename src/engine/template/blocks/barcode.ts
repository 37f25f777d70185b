import { BARCODE_PARTS, completeText, composeBarcode, partsOf } from '../../barcode/barcode.ts';
import type { BarcodeFault, BarcodePart } from '../../barcode/barcode.ts';
import { parseText, staticText } from '../fields/bindings.ts';
import { BLACK, WHITE } from '../../model/color.ts';
import type { Context, CompileScope } from '../context.ts';
import { BindingFormat } from '../fields/format.ts';
import type { NodeSource } from '../vocabulary/keys.ts';
import type { BarcodeNode, NodeBase } from '../../model/nodes.ts';
import { rgbOf } from '../style/textstyle.ts';
import { reportCodeColors } from './code-colors.ts';

/** Payments take the bare number, however the field is printed elsewhere. */
const BARE_AMOUNT = {
  decimals: 2,
  thousandsSeparator: false,
  prefix: '',
  suffix: '',
  digits: 'latin',
} as const;

export function compileBarcode(
  own: NodeSource<'barcode'>,
  base: NodeBase,
  path: string,
  context: Context,
  scope: CompileScope,
): BarcodeNode {
  const symbology = own.barcode ?? 'code128';
  const parts = compileParts(own, path, context, scope);
  reportParts(own, path, context);
  const node: BarcodeNode = {
    ...base,
    kind: 'barcode',
    symbology,
    parts,
    modulePt: own.module ?? null,
    widthPt: typeof own.width === 'number' && own.width > 0 ? own.width : null,
    heightPt: own.height ?? null,
    fit: own.fit ?? null,
    foreground: rgbOf(own.foreground) ?? BLACK,
    background: rgbOf(own.background) ?? WHITE,
    paddingModules: own.padding ?? null,
    alignment: scope.style.alignment ?? 'left',
  };
  reportStatic(node, path, context);
  reportCodeColors(node, context);
  return node;
}

function compileParts(
  own: NodeSource<'barcode'>,
  path: string,
  context: Context,
  scope: CompileScope,
): BarcodeNode['parts'] {
  const taken = partsOf(own.barcode ?? 'code128');
  return BARCODE_PARTS.flatMap((part) => {
    const source = own[part];
    if (source === undefined || !taken.includes(part)) return [];
    const at = `${path}.${part}`;
    const format = part === 'amount' ? new BindingFormat(BARE_AMOUNT, at) : null;
    return [{ part, text: parseText(String(source), at, context, { ...scope, format }) }];
  });
}

/** Reports parts that the kind does not take, and missing ones that it needs. */
function reportParts(own: NodeSource<'barcode'>, path: string, { findings }: Context): void {
  const kind = own.barcode;
  if (kind === undefined) return;
  const taken = partsOf(kind);
  const list = taken.map((part) => `"${part}"`).join(', ');
  for (const part of BARCODE_PARTS) {
    if (own[part] === undefined || taken.includes(part)) continue;
    findings.error(`${path}.${part}`, `A barcode of kind "${kind}" takes ${list} only.`);
  }
  const isPayable =
    kind === 'promptPay' && (own.payee !== undefined) !== (own.biller !== undefined);
  const [first = 'data'] = taken;
  if (kind === 'promptPay' && !isPayable) {
    findings.error(path, 'A promptPay code needs either "payee" or "biller".');
  } else if (kind !== 'promptPay' && own[first] === undefined) {
    findings.error(path, `A barcode of kind "${kind}" needs "${first}".`);
  }
  if (own.biller !== undefined && own.reference1 === undefined) {
    findings.error(path, 'A bill payment needs "reference1".');
  }
}

/** Checks a code without bindings. */
function reportStatic(node: BarcodeNode, path: string, { findings }: Context): void {
  const texts: Partial<Record<BarcodePart, string>> = {};
  for (const { part, text } of node.parts) {
    const whole = staticText(text);
    if (whole === null) return;
    texts[part] = whole;
  }
  if (findings.failed || node.parts.length === 0) return;
  const composed = composeBarcode(node.symbology, completeText(texts));
  if (composed.kind !== 'fault') return;
  findings.error(`${path}.${composed.part}`, `must be ${EXPECTED[composed.fault]}.`);
}

const EXPECTED: Readonly<Record<BarcodeFault, string>> = {
  characters: 'Latin letters, digits and signs: Code 128 holds no others',
  digits: 'an even number of digits',
  ean13: '12 digits, or 13 with the right check digit',
  length: 'shorter to fit the barcode',
  payee: 'a phone number, a tax id of 13 or an e-wallet id of 15 digits',
  biller: 'a biller id of 15 digits',
  reference1: 'at most 20 capital letters and digits',
  reference2: 'at most 20 capital letters and digits',
  amount: 'an amount from 0 to 9999999999.99',
};
