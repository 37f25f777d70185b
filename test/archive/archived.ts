/** Makes a template file one for an archive level: with a title, and `alt` for every picture. */
export function archived(source: object, level: string): object {
  const document = {
    info: { title: 'Sample' },
    ...described('document' in source ? (source.document as object) : {}),
  };
  return { ...source, document, archive: `PDF/A-${level}` };
}

function described<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => described(item)) as T;
  const entries = Object.entries(value).map(([key, item]) => [key, described(item)] as const);
  const isPicture = ['image', 'svg', 'qr', 'barcode'].some((kind) => kind in value);
  const alt = isPicture && !('alt' in value) ? { alt: 'A picture' } : {};
  return { ...Object.fromEntries(entries), ...alt } as T;
}
