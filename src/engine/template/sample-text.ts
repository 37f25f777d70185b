import { isObject, type JsonObject } from '../../runtime/json-object.ts';
import { elementSpans, type JsonSpan, memberSpan } from '../../runtime/json-spans.ts';

/**
 * The data of samples as JSON text with the digits that their template has: a double loses digits
 * (1.10, 12345678901234567890). `file` is the parsed text of `source`, and holds the data.
 */
export function samplesAsText(
  source: Uint8Array,
  file: JsonObject | null,
): (data: unknown) => Uint8Array {
  const samples: readonly unknown[] = Array.isArray(file?.['samples']) ? file['samples'] : [];
  let text = '';
  let spans: readonly JsonSpan[] | null = null;
  return (data) => {
    if (!holdsNumber(data)) {
      return new TextEncoder().encode(JSON.stringify(data));
    }
    if (spans === null) {
      text = new TextDecoder().decode(source);
      spans = elementSpans(text, memberSpan(text, 0, 'samples').from);
    }
    const index = samples.findIndex((sample) => isObject(sample) && sample['data'] === data);
    const { from, to } = memberSpan(text, spans[index]?.from ?? 0, 'data');
    return new TextEncoder().encode(text.slice(from, to));
  };
}

function holdsNumber(value: unknown): boolean {
  if (typeof value === 'number') return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsNumber);
}
