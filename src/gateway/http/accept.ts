/** Whether a client prefers an HTML page to JSON (RFC 9110 §12.5.1), as a browser does. */
export function prefersHtml(accept: string): boolean {
  return weightOf(accept, 'text', 'html') > weightOf(accept, 'application', 'json');
}

/** The weight of a media type: that of the most specific range that matches it; 0: not accepted. */
function weightOf(accept: string, type: string, subtype: string): number {
  const ranges = new Map<string, number>();
  for (const part of accept.toLowerCase().split(',')) {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((text) => text.startsWith('q='))?.slice(2) ?? '1';
    ranges.set(range, /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0);
  }
  return ranges.get(`${type}/${subtype}`) ?? ranges.get(`${type}/*`) ?? ranges.get('*/*') ?? 0;
}
