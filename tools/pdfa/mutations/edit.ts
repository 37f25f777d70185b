/** Breaks files on purpose: objects are edited as text, and the file is put together again. */

export interface Editable {
  /** Bodies between `obj` and `endobj`, one character per byte. */
  readonly objects: Map<number, string>;
  /** The trailer dictionary. */
  trailer: string;
}

/** Takes a file of this service apart. */
export function takeApart(pdf: Uint8Array): Editable {
  const text = Buffer.from(pdf).toString('latin1');
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(text)?.[1]);
  const table = text.slice(start);
  const offsets = Array.from(table.matchAll(/^(\d{10}) 00000 n $/gm), ([, at]) => Number(at));
  const objects = new Map<number, string>();
  const sorted = offsets.toSorted((a, b) => a - b);
  offsets.forEach((offset, index) => {
    const end = sorted[sorted.indexOf(offset) + 1] ?? start;
    const whole = text.slice(offset, end);
    const body = /^\d+ 0 obj\n([^]*)\nendobj\n$/.exec(whole)?.[1];
    if (body === undefined) throw new Error(`object ${index + 1}`);
    objects.set(index + 1, body);
  });
  const trailer = /trailer\n(<<[^]*>>)\nstartxref/.exec(table)?.[1] ?? '';
  return { objects, trailer };
}

/** Puts a file together; stream lengths are counted again unless `lengths` is false. */
export function putTogether({ objects, trailer }: Editable, lengths = true): Buffer {
  let text = '%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n';
  const offsets: string[] = [];
  for (const [number, body] of [...objects].toSorted(([a], [b]) => a - b)) {
    offsets[number] = String(text.length).padStart(10, '0');
    text += `${number} 0 obj\n${lengths ? counted(body) : body}\nendobj\n`;
  }
  const start = text.length;
  text += `xref\n0 ${offsets.length}\n0000000000 65535 f \n`;
  for (let number = 1; number < offsets.length; number++) {
    text += `${offsets[number] ?? '0000000000'} 00000 n \n`;
  }
  text += `trailer\n${trailer}\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

function counted(body: string): string {
  const parts = /^([^]*?\/Length )\d+(>>stream\n)([^]*)(\nendstream)$/.exec(body);
  if (parts === null) return body;
  const [, head = '', open = '', data = '', close = ''] = parts;
  return `${head}${data.length}${open}${data}${close}`;
}

/** Replaces in the first object that contains the pattern; throws when none does. */
export function replaceIn(editable: Editable, from: RegExp, to: string): void {
  for (const [number, body] of editable.objects) {
    if (!from.test(body)) continue;
    editable.objects.set(number, body.replace(from, to));
    return;
  }
  throw new Error(`nothing to break: ${from}`);
}

/** Adds an object and returns its number. */
export function addObject({ objects }: Editable, body: string): number {
  const number = Math.max(...objects.keys()) + 1;
  objects.set(number, body);
  return number;
}

/** Repairs the offsets in the cross-reference table of a file whose bytes were edited. */
export function repairOffsets(text: string): Buffer {
  const start = text.lastIndexOf('\nxref') + 1;
  const places = new Map<number, number>();
  for (const match of text.slice(0, start).matchAll(/(?<=\n)(\d+) +0 obj/g)) {
    places.set(Number(match[1]), match.index);
  }
  let number = 0;
  const table = text.slice(start).replaceAll(/^\d{10} 00000 n $/gm, () => {
    number++;
    return `${String(places.get(number) ?? 0).padStart(10, '0')} 00000 n `;
  });
  const repaired = table.replace(/startxref\n\d+/, `startxref\n${start}`);
  return Buffer.from(text.slice(0, start) + repaired, 'latin1');
}
