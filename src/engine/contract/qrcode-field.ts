import type { FieldCheck, FieldDefinition } from './definition.ts';
import type { QrUse } from '../qr/capacity.ts';
import { fitsQrCode } from '../qr/capacity.ts';
import { REASONS } from './reasons.ts';

/** A field that no qr node binds is still bounded by the largest code there is. */
const LARGEST: QrUse = { eccLevel: 'L', version: null, mode: null, before: '', after: '' };

/**
 * qrcode: a string that fits every QR code the template makes of it; lone surrogates are removed.
 */
export const QRCODE_FIELD: FieldDefinition = {
  formatKeys: [],
  validationKeys: [],
  prints: 'text',
  compile: (_field, _language, uses) => compileQrcode(uses),
};

function compileQrcode(uses: readonly QrUse[]): FieldCheck {
  const checked = uses.length === 0 ? [LARGEST] : uses;
  return (value) => {
    if (typeof value !== 'string') return REASONS.qrcode;
    const text = value.isWellFormed() ? value : value.replace(/\p{Surrogate}/gu, '');
    if (text === '') return null;
    const fits = checked.every((use) => fitsQrCode(text, use));
    return fits ? { type: 'qrcode', display: text } : REASONS.qrcodeTooLong;
  };
}
