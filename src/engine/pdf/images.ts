import type { PreparedImage } from '../image/image.ts';
import type { PdfFile } from './file.ts';
import { reference } from './syntax.ts';

/** Writes an image XObject (§8.9.5) and its soft mask; returns the image's object number. */
export function writeImage(file: PdfFile, image: PreparedImage): number {
  const mask = image.softMask === null ? null : writeImage(file, image.softMask);
  // Only images of four components (CMYK) are stored inverted, hence the four pairs of /Decode.
  const entries =
    '/Type/XObject/Subtype/Image' +
    `/Width ${image.widthPx}/Height ${image.heightPx}` +
    `/ColorSpace${colorSpace(file, image)}/BitsPerComponent ${image.bitsPerComponent}` +
    `/Filter/${image.filter}${decodeParms(image)}` +
    (image.invert ? '/Decode[1 0 1 0 1 0 1 0]' : '') +
    (mask === null ? '' : `/SMask ${reference(mask)}`);
  return file.addStream(entries, image.data);
}

function colorSpace(file: PdfFile, image: PreparedImage): string {
  const space = image.colorSpace;
  if (typeof space === 'string') return `/${space}`;
  const palette = file.addStream('', space.palette);
  return `[/Indexed/${space.base} ${space.palette.length / 3 - 1} ${reference(palette)}]`;
}

function decodeParms(image: PreparedImage): string {
  if (image.predictor === null) return '';
  const { colors, columns } = image.predictor;
  // Predictor 15: each row starts with the type of its PNG filter (§7.4.4.4).
  return (
    `/DecodeParms<</Predictor 15/Colors ${colors}/Columns ${columns}` +
    `/BitsPerComponent ${image.bitsPerComponent}>>`
  );
}
