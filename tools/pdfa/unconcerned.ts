import { isDictionary, isStream, Name } from './cos.ts';
import type { Cos } from './cos.ts';
import type { PdfDocument } from './file.ts';

/**
 * Objects that this service never writes, with the reason. Their rules are not evaluated; instead,
 * a file with any sign of such an object breaks all of them.
 */
export interface Unconcerned {
  readonly object: string;
  /** What it is, in words. */
  readonly name: string;
  readonly reason: string;
  readonly mayConcern: (document: PdfDocument) => boolean;
}

export const UNCONCERNED: readonly Unconcerned[] = [
  never('JPEG2000', 'JPEG 2000 images', 'Images are embedded as JPEG or deflated pixels.', [
    'JPXDecode',
  ]),
  never('PDHalftone', 'halftones', 'No graphics state has a halftone.', ['HT', 'HalftoneType']),
  never('PDDeviceN', 'DeviceN colours', 'Colours are grey or RGB.', ['DeviceN', 'NChannel']),
  never('PDSeparation', 'Separation colours', 'Colours are grey or RGB.', ['Separation']),
  never('PDICCBasedCMYK', 'CMYK colours with a profile', 'Colours are grey or RGB of the device.', [
    'ICCBased',
  ]),
  never('ICCInputProfile', 'profiles of colours', 'Colours are grey or RGB of the device.', [
    'ICCBased',
  ]),
  never('PDType1Font', 'fonts that are not TrueType', 'Every font is TrueType.', [
    'FontFile',
    'FontFile3',
    'MMType1',
  ]),
  never('CMapFile', 'embedded CMaps', 'Composite fonts use Identity-H.', ['UseCMap', 'WMode']),
  never('PDReferencedCMap', 'referenced CMaps', 'Composite fonts use Identity-H.', ['UseCMap']),
  never('PDMediaClip', 'sound and video', 'There is no sound and no video.', [
    'MediaClip',
    'Rendition',
    'Screen',
  ]),
  never('PDPrinterMarkAnnot', "printers' marks", 'There are no printer marks.', ['PrinterMark']),
  never('PDTrapNetAnnot', 'trap networks', 'There is no trapping.', ['TrapNet']),
  never('PDOCConfig', 'optional content', 'There is no optional content.', [
    'OCProperties',
    'OCG',
    'OC',
  ]),
  never('PDPerms', 'permissions of certifying signatures', 'Signatures approve; none certifies.', [
    'Perms',
  ]),
  never('PDSigRef', 'references of signatures', 'Signatures approve; none certifies.', [
    'DocMDP',
    'SigRef',
  ]),
  never('PDEncryption', 'encryption', 'Archive documents are never encrypted.', ['Encrypt']),
  never(
    'ExtensionSchemaValueType',
    'value types of extension schemas',
    'Extension schemas define no types.',
    [],
  ),
  never(
    'ExtensionSchemaField',
    'fields of extension schemas',
    'Extension schemas define no types.',
    [],
  ),
];

function never(
  object: string,
  name: string,
  reason: string,
  names: readonly string[],
): Unconcerned {
  const wanted = new Set(names);
  return { object, name, reason, mayConcern: (document) => hasName(document, wanted) };
}

/** Whether a key or a name of any object is among these. */
export function hasName(document: PdfDocument, names: ReadonlySet<string>): boolean {
  const has = (value: Cos, depth: number): boolean => {
    if (value instanceof Name) return names.has(value.value);
    if (Array.isArray(value)) return value.some((item) => has(item, depth + 1));
    const entries = isStream(value) ? value.dictionary : isDictionary(value) ? value : null;
    if (entries === null || depth > 32) return false;
    return [...entries].some(([key, item]) => names.has(key) || has(item, depth + 1));
  };
  return has(document.trailer, 0) || [...document.objects.values()].some((value) => has(value, 0));
}
