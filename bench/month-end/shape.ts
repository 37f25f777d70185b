import { SHAPES } from '../../lab/shapes/index.ts';

/**
 * Shape Z: the statements of a bank at the end of a month, each signed and archived. Most customers
 * have a page of entries, a few have fifty.
 */
export const STATEMENTS = [
  { pages: 1, rows: 30, percent: 80 },
  { pages: 3, rows: 100, percent: 15 },
  { pages: 50, rows: 1_975, percent: 5 },
] as const;

export type Statement = (typeof STATEMENTS)[number];

const { template, document } = SHAPES.B;
export const TEMPLATE_ID = 'bench-month-end';
/** Coprime to 100, so that each hundred documents have all kinds, in no order. */
const STRIDE = 37;

/** Room above and below a row, in points: a table of at most 2,000 rows then has fifty pages. */
const ROOM = { paddingTop: 2.8, paddingBottom: 2.8 };

/** The account statement of shape B, signed, by PDF/A-2a and PDF/UA-1. */
export function monthEndTemplate(): object {
  const layout = Object(template['document']) as { readonly content: readonly object[] };
  const content = layout.content.map((node) =>
    'layout' in node ? { ...node, layout: { ...Object(node.layout), ...ROOM } } : node,
  );
  return {
    ...template,
    templateId: TEMPLATE_ID,
    archive: 'PDF/A-2a',
    signature: true,
    document: { ...layout, content, tagged: true, info: { title: 'รายการเดินบัญชี' } },
  };
}

/** The kind of document number `index`: of each hundred in a row, 80, 15 and 5 of the three. */
export function kindOf(index: number): Statement {
  let percent = (index * STRIDE) % 100;
  for (const kind of STATEMENTS) {
    percent -= kind.percent;
    if (percent < 0) return kind;
  }
  throw new Error('the shares make a hundred');
}

export function dataOf(index: number): object {
  return document(index, { cold: false, rows: kindOf(index).rows }).data;
}
