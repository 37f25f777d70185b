import { fail, type Failure } from '../../errors.ts';
import { REASONS } from '../contract/reasons.ts';
import type { RenderJob } from '../job.ts';
import { childrenOf, type CompiledTemplate, type Node, type Run } from '../model/nodes.ts';
import { countMissingIn } from './check-values.ts';

/**
 * Texts of a document that are no values of fields. What the template says about characters that no
 * font draws holds for them, too.
 */
export interface OtherTexts {
  /** The watermark of the request; '': it has none. */
  readonly watermark: string;
  /** The signer's name in the visible field of the signature; '' if the document is not signed. */
  readonly signer: string;
}

/** These texts of a job; null: it has none. */
export function otherTextsOf(
  { watermark, signature, isPreview }: Pick<RenderJob, 'watermark' | 'signature' | 'isPreview'>,
  template: CompiledTemplate,
): OtherTexts | null {
  const isAsked = template.profile.isSigned || (signature?.isAsked ?? false);
  const signer = isAsked && !isPreview ? (signature?.signer ?? '') : '';
  if (watermark === null && signer === '') return null;
  return { watermark: watermark?.text ?? '', signer };
}

/** Why a document with these texts is not made; null: it may be made. */
export function otherTextsFault(
  template: CompiledTemplate,
  texts: OtherTexts | null,
): Failure | null {
  if (texts === null || template.missingGlyph !== 'reject') return null;
  if (countInWatermark(template, texts) > 0) return fail('bad_request', WATERMARK_FAULT);
  return countInSigner(template, texts) > 0 ? fail('render_failed', SIGNER_FAULT) : null;
}

const WATERMARK_FAULT = `options.watermark.text: ${REASONS.undrawable}; use other characters.`;

const SIGNER_FAULT =
  `signatureField: the name of the signer in the certificate: ${REASONS.undrawable}; ` +
  'print a text of the template instead of {{signature.signer}}, or add a font.';

/** Characters of these texts that no font draws; 0 if the template asks for boxes. */
export function countMissingInTexts(template: CompiledTemplate, texts: OtherTexts | null): number {
  if (texts === null || template.missingGlyph === 'notdef') return 0;
  return countInWatermark(template, texts) + countInSigner(template, texts);
}

/** The watermark is drawn in the first font of the template. */
function countInWatermark({ fontUses }: CompiledTemplate, { watermark }: OtherTexts): number {
  const stack = fontUses[0]?.stack;
  if (stack === undefined || stack.missingCharacter(watermark) === null) return 0;
  return Array.from(watermark).filter((one) => stack.missingCharacter(one) !== null).length;
}

function countInSigner(template: CompiledTemplate, { signer }: OtherTexts): number {
  const { signatureField } = template;
  if (signer === '' || signatureField === null) return 0;
  return printsSigner(signatureField.content) ? countMissingIn(template, signer) : 0;
}

function printsSigner(node: Node): boolean {
  return (
    (node.kind === 'text' && node.runs.some(showsSigner)) || childrenOf(node).some(printsSigner)
  );
}

function showsSigner({ text }: Run): boolean {
  return text.some((part) => part.kind === 'signature' && part.shows === 'signer');
}
