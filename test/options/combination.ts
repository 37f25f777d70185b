import { preparePassword } from '#engine/light';
import fc from 'fast-check';
import { LIMITS } from '../../src/limits.ts';
import type { Options, TemplateId } from './service.ts';
import { TEMPLATES } from './service.ts';

/** Stored documents that a request may attach, and those for which it is refused. */
export const LIVING = ['letter', 'thai', 'slip', 'scan', 'marked', 'merged', 'nested'] as const;
export const REFUSED = ['protected', 'foreign', 'expired'] as const;
export type StoredName = (typeof LIVING)[number] | (typeof REFUSED)[number];

/** One request: a template, a mode and options; attachments by name. */
export interface Combination {
  readonly templateId: TemplateId;
  readonly mode: 'sync' | 'async';
  readonly attach: readonly StoredName[];
  readonly watermark: { readonly text: string; readonly opacity: number } | null;
  readonly metadata: NonNullable<Options['metadata']> | null;
  readonly protection: NonNullable<Options['protection']> | null;
}

const attach = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  { weight: 8, arbitrary: fc.array(fc.constantFrom(...LIVING), { minLength: 1, maxLength: 3 }) },
  { weight: 2, arbitrary: fc.constantFrom(...LIVING).map((name) => [name, name]) },
  {
    weight: 1,
    arbitrary: fc.array(fc.constantFrom(...LIVING, ...REFUSED), { minLength: 1, maxLength: 3 }),
  },
);

/** Ends with a random number, so that no other text matches it. */
const watermark = fc.record({
  text: fc
    .tuple(
      fc.constantFrom('COPY', 'DRAFT (v1)', 'a\\b<&>', 'สำเนา', 'น้ำที่กู้', 'ร่าง ที่ 2', ''),
      fc.integer({ min: 100_000, max: 999_999 }),
    )
    .map(([words, number]) => `${words}#${number}`),
  opacity: fc.oneof(
    fc.constantFrom(0, 1),
    fc.integer({ min: 1, max: 99 }).map((percent) => percent / 100),
  ),
});

const METADATA_CHARACTERS = [
  ...Array.from('abcXYZ019 .,;:-_'),
  ...Array.from('<>&"\'()[]{}\\/%#'),
  ...Array.from('กขคงจาะไใฯๆ๐๙'),
  'น้ำ',
  'ที่',
  ']]>',
  '<?x',
  '&amp;',
  '\\)',
  'é',
  '—',
  '😀',
];

const words = fc
  .string({
    unit: fc.constantFrom(...METADATA_CHARACTERS),
    minLength: 1,
    maxLength: 60,
  })
  // PDF readers trim what they print: the bars protect blanks at both ends.
  .map((text) => `|${Array.from(text).slice(0, 198).join('')}|`);

const metadata = fc.record({ title: words, subject: words }, { requiredKeys: [] });

const password = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 24 }),
    fc.string({
      unit: fc.constantFrom('ก', 'ี่', 'a', '-', ' ', "'", '"', '\\', '$', '@'),
      minLength: 1,
    }),
  )
  .filter(
    (text) =>
      !/\p{Cc}/u.test(text) &&
      text.isWellFormed() &&
      isAllowed(text) &&
      Buffer.byteLength(text) <= LIMITS.passwordBytesMax,
  );

/** Whether SASLprep allows the password and leaves something of it. */
function isAllowed(text: string): boolean {
  const prepared = preparePassword(text);
  return (
    prepared !== null && prepared !== '' && Buffer.byteLength(prepared) <= LIMITS.passwordBytesMax
  );
}

const permissions = fc.record(
  { print: fc.boolean(), copy: fc.boolean(), modify: fc.boolean() },
  { requiredKeys: [] },
);

const protection = fc
  .record({ userPassword: password, ownerPassword: password, permissions }, { requiredKeys: [] })
  .filter(
    ({ userPassword, ownerPassword }) => userPassword !== undefined || ownerPassword !== undefined,
  );

const combination: fc.Arbitrary<Combination> = fc.record({
  // The keys of that table are the template ids.
  templateId: fc.constantFrom(...(Object.keys(TEMPLATES) as TemplateId[])),
  mode: fc.constantFrom('sync', 'async'),
  attach,
  watermark: fc.option(watermark),
  metadata: fc.option(metadata),
  protection: fc.option(protection),
});

/** The same combinations for the same seed. */
export function combinations(count: number, seed: number): readonly Combination[] {
  return fc.sample(combination, { numRuns: count, seed });
}

/**
 * The combinations that bring a pair of traits which no earlier one has. Options interfere in pairs,
 * and each further document costs four processes.
 */
export function covering(all: readonly Combination[]): readonly Combination[] {
  const seen = new Set<string>();
  return all.filter((one) => {
    const count = seen.size;
    const traits = traitsOf(one).toSorted();
    for (const [index, trait] of traits.entries()) {
      for (const other of traits.slice(index)) seen.add(`${trait}, ${other}`);
    }
    return seen.size > count;
  });
}

/** The traits of a combination: options for which the service or a format takes another path. */
function traitsOf(one: Combination): readonly string[] {
  const { templateId, mode, attach: attached, watermark: mark, protection: protect } = one;
  const text = `${one.metadata?.title ?? ''}${one.metadata?.subject ?? ''}`;
  return [
    templateId,
    mode,
    `${attached.length} attached`,
    ...new Set(attached.map((name) => `attached ${name}`)),
    `opacity ${mark === null ? 'none' : isBound(mark.opacity) ? mark.opacity : 'between'}`,
    `words ${mark?.text.split('#')[0] ?? 'none'}`,
    `title ${one.metadata?.title !== undefined}`,
    `subject ${one.metadata?.subject !== undefined}`,
    `markup ${/[<>&]/.test(text)}`,
    `escapes ${/[()\\]/.test(text)}`,
    `Thai ${/[\u0e00-\u0e7f]/.test(text)}`,
    `user ${protect?.userPassword !== undefined}`,
    `owner ${protect?.ownerPassword !== undefined}`,
    ...Object.entries(protect?.permissions ?? {}).map(([right, allowed]) => `${right} ${allowed}`),
  ];
}

function isBound(opacity: number): boolean {
  return opacity === 0 || opacity === 1;
}
