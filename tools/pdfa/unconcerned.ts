import { isDictionary, isStream, Name } from './cos.ts';
import type { Cos } from './cos.ts';
import type { PdfDocument } from './file.ts';

/**
 * Objects that this service never writes, with the reason. Their rules are not evaluated; instead,
 * a file with any sign of such an object breaks all of them.
 */
export interface Unconcerned {
  readonly object: string;
  readonly reason: string;
  readonly mayConcern: (document: PdfDocument) => boolean;
}

export const UNCONCERNED: readonly Unconcerned[] = [
  never('JPEG2000', 'Images are embedded as JPEG or deflated pixels.', ['JPXDecode']),
  never('PDHalftone', 'No graphics state has a halftone.', ['HT', 'HalftoneType']),
  never('PDDeviceN', 'Colours are grey or RGB.', ['DeviceN', 'NChannel']),
  never('PDSeparation', 'Colours are grey or RGB.', ['Separation']),
  never('PDICCBasedCMYK', 'Colours are grey or RGB of the device.', ['ICCBased']),
  never('ICCInputProfile', 'Colours are grey or RGB of the device.', ['ICCBased']),
  never('PDType1Font', 'Every font is TrueType.', ['FontFile', 'FontFile3', 'MMType1']),
  never('CMapFile', 'Composite fonts use Identity-H.', ['UseCMap', 'WMode']),
  never('PDReferencedCMap', 'Composite fonts use Identity-H.', ['UseCMap']),
  never('PDMediaClip', 'There is no sound and no video.', ['MediaClip', 'Rendition', 'Screen']),
  never('PDPrinterMarkAnnot', 'There are no printer marks.', ['PrinterMark']),
  never('PDTrapNetAnnot', 'There is no trapping.', ['TrapNet']),
  never('PDOCConfig', 'There is no optional content.', ['OCProperties', 'OCG', 'OC']),
  never('PDPerms', 'Signatures approve; none certifies.', ['Perms']),
  never('PDSigRef', 'Signatures approve; none certifies.', ['DocMDP', 'SigRef']),
  never('PDEncryption', 'Archive documents are never encrypted.', ['Encrypt']),
  never('ExtensionSchemaValueType', 'Extension schemas define no types.', []),
  never('ExtensionSchemaField', 'Extension schemas define no types.', []),
];

function never(object: string, reason: string, names: readonly string[]): Unconcerned {
  const wanted = new Set(names);
  return { object, reason, mayConcern: (document) => hasName(document, wanted) };
}

/** Whether a key or a name of any object is among these. */
function hasName(document: PdfDocument, names: ReadonlySet<string>): boolean {
  const has = (value: Cos, depth: number): boolean => {
    if (value instanceof Name) return names.has(value.value);
    if (Array.isArray(value)) return value.some((item) => has(item, depth + 1));
    const entries = isStream(value) ? value.dictionary : isDictionary(value) ? value : null;
    if (entries === null || depth > 32) return false;
    return [...entries].some(([key, item]) => names.has(key) || has(item, depth + 1));
  };
  return has(document.trailer, 0) || [...document.objects.values()].some((value) => has(value, 0));
}
