import type { Command } from 'commander';

import type { SealCheck } from '../../store/seals/types.ts';
import { withStore } from '../console/context.ts';
import { UsageError } from '../console/failure.ts';
import { show } from '../console/output.ts';
import { endWith } from '../console/terminal.ts';
import { toTime } from '../console/time.ts';

interface Options {
  readonly since?: number;
  readonly seal?: KeptSeal;
  readonly json?: boolean;
}

/** A seal that the operator has kept from the log. */
interface KeptSeal {
  readonly day: string;
  readonly seal: string;
}

/** Adds `audit verify`. */
export function defineVerify(audit: Command): void {
  audit
    .command('verify')
    .description('compare the audit records with the seals of their days')
    .option('--since <time>', 'only days from this ISO 8601 time on', toTime)
    .option('--seal <day=seal>', 'a seal from the log; that day must still have it', toSeal)
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (_: unknown, command: Command) => {
      // `audit` has options of the same names, which commander gives to the parent command.
      await verify(command.optsWithGlobals<Options>());
    });
}

const HELP = `
Every day (UTC) that is over is sealed by the running services: a digest of its records, chained to
the day before and made with INTAGLIO_AUDIT_KEY. Each seal is also a line in the log ("audit day
sealed"). Exit code 1 when a day differs from its seal.

  records changed            a record of that day was changed, removed or added since
  seal changed               its seal was not made from these records and this key
  not sealed                 the day's seal was removed, or no service ran since the day ended
  the day before is missing  the seal of the day before was removed
  sealed with another key    the key has changed since; set INTAGLIO_AUDIT_KEY to the earlier one
  not the seal that was kept the whole chain was replaced (--seal)

Examples:
  $ ./intaglio audit verify
  $ ./intaglio audit verify --since 2026-11-01 --seal 2026-11-20=SEAL_FROM_THE_LOG`;

/** A day as it is reported, whose seal may also differ from the kept one. */
type CheckedDay = Omit<SealCheck, 'finding'> & { readonly finding: string };

const NOT_THE_KEPT_SEAL = 'not the seal that was kept';

async function verify({ since, seal: kept, json }: Options): Promise<void> {
  const days: CheckedDay[] = [];
  await withStore(async (store) => {
    for await (const check of store.seals.verify(since ?? null, Date.now())) {
      const isOther = check.day === kept?.day && check.seal !== kept.seal;
      days.push(isOther ? { ...check, finding: NOT_THE_KEPT_SEAL } : check);
    }
  });
  if (kept !== undefined && !days.some(({ day }) => day === kept.day)) {
    days.push({ day: kept.day, records: 0, seal: null, finding: NOT_THE_KEPT_SEAL });
  }
  const wrong = days.filter(({ finding }) => finding !== 'whole');
  if (wrong.length > 0) endWith(1);
  show(json, days, () => report(days, wrong));
}

function report(days: readonly CheckedDay[], wrong: readonly CheckedDay[]): string {
  const records = days.reduce((sum, day) => sum + day.records, 0);
  const last = days.findLast(({ seal }) => seal !== null);
  return [
    ...wrong.map((day) => `${day.day}  ${day.finding}  (${day.records} records)`),
    `${days.length} days with ${records} records: ${wrong.length} not as they were sealed.`,
    ...(last === undefined ? [] : [`Last seal: ${last.day}=${last.seal}`]),
  ].join('\n');
}

function toSeal(text: string): KeptSeal {
  const [, day, seal] = /^(\d{4}-\d\d-\d\d)=([0-9a-f]{64})$/i.exec(text) ?? [];
  if (day === undefined || seal === undefined) {
    throw new UsageError(`--seal is "${text}"; allowed: a day and 64 hex digits, 2026-11-20=…`);
  }
  return { day, seal: seal.toLowerCase() };
}
