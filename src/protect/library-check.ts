import { openLibrary } from './library.ts';

const OBJECTS = [
  '<< /Type /Catalog /Pages 2 0 R >>',
  '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
  '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>',
];
const USER = 'ผู้ใช้ the user of a check';
const OWNER = 'the owner of a check';

/**
 * Whether the library can be loaded and protects correctly: a file that it wrote with `FileKeys`
 * must open with either password and with no other. Takes 30 ms, once for each host.
 */
export function findsSound(name: string): boolean {
  const library = openLibrary(name);
  if (library === null) return false;
  const protectedPdf = library.protect({
    pdf: smallPdf(),
    userPassword: Buffer.from(USER),
    ownerPassword: Buffer.from(OWNER),
    permissions: {},
  });
  return (
    protectedPdf !== null &&
    library.opens(protectedPdf, USER) &&
    library.opens(protectedPdf, OWNER) &&
    !library.opens(protectedPdf, `${USER}.`)
  );
}

function smallPdf(): Buffer {
  let text = '%PDF-1.7\n';
  const rows = OBJECTS.map((object, index) => {
    const row = `${String(text.length).padStart(10, '0')} 00000 n \n`;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return row;
  });
  const size = OBJECTS.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${rows.join('')}`;
  const end = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(text + table + end);
}
