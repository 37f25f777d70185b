import type { Random } from '../../lab/fuzz-random.ts';

/** Characters that make text costly: marks, scripts with special rules, brackets, formatting. */
const SIGNS: readonly string[] = [
  ...Array.from('aAVfi1.,-/()[]{}"\'#%<>;:=* \n\t'),
  ...Array.from('กำเแไะๆฯ๑่้ิีุู์ํข'),
  ...Array.from('אבמرحब漢한😀👨'),
  ...Array.from('\u0301\u0e33\u200d\u200b\u00a0\u00ad\u2028\ufe0f\u3000'),
  ...Array.from('\u202a\u202e\u202c\u2066\u2067\u2068\u2069\u200f\u05b0'),
];

/**
 * Makes one to three changes to a text: each repeats a part, removes a part or inserts characters of
 * `SIGNS`. The result has at most `lengthMax` UTF-16 code units.
 */
export function mutateText(known: string, random: Random, lengthMax: number): string {
  let text = known;
  for (let change = 1 + random.below(3); change > 0; change--) {
    const from = random.below(text.length + 1);
    const to = Math.min(text.length, from + 1 + random.below(random.chance(3) ? text.length : 12));
    const part = text.slice(from, to);
    const signs = Array.from({ length: 1 + random.below(3) }, () => random.pick(SIGNS, 'a'));
    switch (random.below(5)) {
      case 0:
        text = text.slice(0, from) + text.slice(to);
        break;
      case 1:
        text = text.slice(0, from) + signs.join('') + text.slice(from);
        break;
      case 2:
        text = text.slice(0, from) + signs.join('') + text.slice(to);
        break;
      default: {
        const room = Math.max(0, lengthMax - text.length);
        const times = Math.floor(random.below(room + 1) / Math.max(1, part.length));
        text = text.slice(0, to) + part.repeat(times) + text.slice(to);
      }
    }
  }
  return text.slice(0, lengthMax).toWellFormed();
}

/** Changes one string value of a JSON text; null when the input is not JSON or holds no string. */
export function mutateStrings(known: Buffer, random: Random, lengthMax: number): Buffer | null {
  let value: unknown;
  try {
    value = JSON.parse(known.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  let count = 0;
  const source = JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === 'string') count++;
    return member;
  });
  if (count === 0) return null;
  let chosen = random.below(count);
  // The count reaches 0 at exactly one string.
  const changed: unknown = JSON.parse(source, (_, member: unknown) => {
    if (typeof member !== 'string' || chosen-- !== 0) return member;
    return mutateText(member, random, lengthMax);
  });
  return Buffer.from(JSON.stringify(changed));
}
