import type { Section, TextTemplate } from '../../model/nodes.ts';
import type { SignatureField } from '../../model/structure.ts';
import type { JsonObject } from '../../../runtime/json-object.ts';
import type { CompileScope, Context, SignatureWords } from '../context.ts';
import { parseText } from '../fields/bindings.ts';
import { checkObject } from '../vocabulary/check.ts';
import { SIGNATURE_FIELD_KEYS } from '../vocabulary/keys.ts';
import type { Checked } from '../vocabulary/values.ts';

const PATH = 'signatureField';
const DEFAULT_SIZE_PT = 8;
/** The words come from layout, so that no font of a signed document embeds glyphs for them. */
const DRAFT_CONTENT = {
  text: '{{signature.signer}}',
  alignment: 'center',
  fontSize: DEFAULT_SIZE_PT,
} as const;

type FieldSource = Checked<typeof SIGNATURE_FIELD_KEYS>;

/** Where a signature is shown; null: nowhere. A field that does not fit its page is a finding. */
export function compileSignatureField(
  source: JsonObject | undefined,
  sections: readonly Section[],
  context: Context,
  scope: CompileScope,
): SignatureField | null {
  if (source === undefined) return null;
  const { findings } = context;
  const own = checkObject(source, PATH, SIGNATURE_FIELD_KEYS, findings);
  const { at = null, width, height } = own;
  if (width === undefined || height === undefined) {
    findings.error(PATH, 'A signature field needs "width" and "height" in points.');
    return null;
  }
  if (at === null && (own.x === undefined || own.y === undefined)) {
    findings.error(PATH, 'A signature field needs "x" and "y", or "at" with the id of a node.');
    return null;
  }
  if (at !== null) {
    context.anchors.mention(at, `${PATH}.at`, true);
    if (own.page !== undefined) {
      findings.error(`${PATH}.page`, 'The field lies on the page of the node that "at" names.');
    }
  }
  const words = wordsOf(own, context, scope);
  const inside = { ...scope, signature: words, room: { contentPt: width, paperPt: width } };
  const content = own.content ?? defaultContent(context.language);
  const field: SignatureField = {
    page: pageOf(own.page),
    at,
    xPt: own.x ?? 0,
    yPt: own.y ?? 0,
    widthPt: width,
    heightPt: height,
    content: context.block(content, `${PATH}.content`, inside).node,
    draftContent: context.block(DRAFT_CONTENT, `${PATH}.content`, inside).node,
    reason: own.reason === undefined ? null : words.reason,
    location: own.location === undefined ? null : words.location,
    alt: parseText(own.alt ?? defaultAlt(context.language), `${PATH}.alt`, context, inside),
    utcOffsetMinutes: minutesOf(own.utcOffset ?? '+00:00'),
  };
  if (at === null) reportOutside(field, sections, context);
  return field;
}

function wordsOf(own: FieldSource, context: Context, scope: CompileScope): SignatureWords {
  const text = (key: 'reason' | 'location'): TextTemplate =>
    parseText(own[key] ?? '', `${PATH}.${key}`, context, scope);
  return { reason: text('reason'), location: text('location') };
}

function pageOf(page: FieldSource['page']): number {
  if (page === 'first') return 1;
  return page === undefined || page === 'last' ? Infinity : page;
}

/** `+07:00` as 420. */
function minutesOf(offset: string): number {
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4));
  return offset.startsWith('-') ? -minutes : minutes;
}

function defaultAlt(language: string): string {
  const of = isThai(language) ? 'ลายมือชื่อดิจิทัลของ' : 'Digital signature of';
  return `${of} {{signature.signer}}`;
}

/** Content that is drawn where the template gives none. */
function defaultContent(language: string): unknown {
  const by = isThai(language) ? 'ลงลายมือชื่อดิจิทัลโดย' : 'Digitally signed by';
  const lines = [`${by} {{signature.signer}}`, '{{signature.date}} {{signature.time}}'];
  return {
    stack: [...lines, '{{signature.reason}}', '{{signature.location}}'],
    fontSize: DEFAULT_SIZE_PT,
  };
}

function isThai(language: string): boolean {
  return /^th\b/i.test(language);
}

/** Reports a field that fits on none of the pages that are known before there is data. */
function reportOutside(
  { page, xPt, yPt, widthPt, heightPt }: SignatureField,
  sections: readonly Section[],
  { findings }: Context,
): void {
  const first = page === 1 ? sections.slice(0, 1) : sections;
  const possible = page === Infinity ? sections.slice(-1) : first;
  const fits = possible.some(({ setup }) => {
    const fitsAcross = xPt >= 0 && xPt + widthPt <= setup.widthPt;
    const fitsDown = yPt >= 0 && yPt + heightPt <= setup.heightPt;
    return fitsAcross && fitsDown;
  });
  if (fits || possible.length === 0) return;
  const sizes = possible.map(({ setup }) => `${round(setup.widthPt)} × ${round(setup.heightPt)}`);
  const size = [...new Set(sizes)].join(' or ');
  findings.error(PATH, `It lies outside the page of ${size} points: change x, y, width or height.`);
}

function round(points: number): string {
  return points === Infinity ? 'any height' : String(Math.round(points * 100) / 100);
}
