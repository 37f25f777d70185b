import { shareTemplate, tryRender } from '../../lab/render.ts';
import { readPages } from './pdf-text.ts';
import { CUT, TOO_WIDE } from './sheet.ts';
import type { StatementCase } from './statement-case.ts';
import { judgeStatement } from './statement-judge.ts';
import type { Fault } from './statement-judge.ts';
import { makeDocument } from './statement-template.ts';

/** Renders a case with the engine and judges what was printed. */
export async function tryStatement(wanted: StatementCase): Promise<Fault[]> {
  const { template, data } = makeDocument(wanted);
  const result = await tryRender(shareTemplate(JSON.stringify(template)), data);
  const isTooWide =
    !result.ok && result.fields?.every(({ reason }) => reason === TOO_WIDE || reason === CUT);
  if (isTooWide === true && wanted.tables.some((table) => table.narrow)) return [];
  if (!result.ok) {
    return [
      {
        kind: `refused …${result.message.slice(-40)}`,
        page: 0,
        message: `${result.code}: ${result.message}`,
      },
    ];
  }
  return judgeStatement(wanted, readPages(result.value.pdf));
}
