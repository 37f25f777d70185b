import type { Command } from 'commander';

import type { SealCheck } from '../../store/seals/types.ts';
import { withStore } from '../console/context.ts';
import { UsageError } from '../console/failure.ts';
import { giveWay } from '../console/give-way.ts';
import { counted, show } from '../console/output.ts';
import { endWith } from '../console/terminal.ts';
import { toTime } from '../console/time.ts';

interface Options {
  readonly since?: number;
  readonly seal?: KeptSeal;
  readonly json?: boolean;
}

/** A seal that the operator has kept from the log. */
interface KeptSeal {
  readonly name: string;
  readonly seal: string;
}

/** Adds `audit verify`. */
export function defineVerify(audit: Command): void {
  audit
    .command('verify')
    .description('compare the audit records with their seals')
    .option('--since <time>', 'only records from this ISO 8601 time on', toTime)
    .option('--seal <number=seal>', 'a seal from the log, which must still be there', toSeal)
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (_: unknown, command: Command) => {
      giveWay();
      // `audit` has options of the same names, which commander gives to the parent command.
      await verify(command.optsWithGlobals<Options>());
    });
}

const HELP = `
Every 20 minutes a running service seals the records that are half an hour old: their digest, chained
to the seal before and made with INTAGLIO_AUDIT_KEY. The last seal is also remembered in the file
store, and each one is a line in the log ("audit sealed"). Records of the last hour may have no seal
yet. Days that an earlier version sealed are compared with their seals, too. Exit code 1 when
something differs:

  records changed             a record of that period was changed, removed or
                              added since
  seal changed                the seal was changed, or was made without this key
  seal missing                a seal that was made is gone; its records cannot
                              be compared
  the seal before is missing  its chain does not lead to the seal before it
  sealed late                 records stayed without a seal for more than an
                              hour: no service ran, or it could not seal, and
                              its log says why
  not sealed                  records are older than an hour, and no seal covers
                              them
  dated in the future         records that no service wrote by now
  dated otherwise             records whose time is over a day before that of
                              their id, or after it
  sealed with another key     the key has changed since: --since the change, and
                              for the time before set INTAGLIO_AUDIT_KEY to the
                              earlier one
  the remembered seal was changed
                              .audit-seal in the file store holds no seal by
                              this key
  the remembered seal is gone there is no .audit-seal: seals after the last one
                              may be missing, too. So it is before the first
                              start after a restore; a service makes it anew
  not the seal that was kept  the whole chain was replaced (--seal)

Examples:
  $ ./intaglio audit verify
  $ ./intaglio audit verify --since 2026-11-01 --seal 1841=SEAL_FROM_THE_LOG`;

/** A period as it is reported, whose seal may also differ from the kept one. */
type Checked = Omit<SealCheck, 'finding'> & { readonly finding: string };

const NOT_THE_KEPT_SEAL = 'not the seal that was kept';

async function verify({ since, seal: kept, json }: Options): Promise<void> {
  const checks: Checked[] = [];
  await withStore(async (store) => {
    for await (const check of store.seals.verify(since ?? null, Date.now())) {
      const isOther = check.name === kept?.name && check.seal !== kept.seal;
      checks.push(isOther ? { ...check, finding: NOT_THE_KEPT_SEAL } : check);
    }
  });
  if (kept !== undefined && !checks.some(({ name }) => name === kept.name)) {
    const { name } = kept;
    const finding = NOT_THE_KEPT_SEAL;
    checks.push({ name, fromMs: 0, untilMs: 0, records: 0, seal: null, finding });
  }
  const wrong = checks.filter(({ finding }) => finding !== 'whole');
  if (wrong.length > 0) endWith(1);
  show(json, checks.map(asJson), () => report(checks, wrong));
}

function asJson({ name, fromMs, untilMs, records, seal, finding }: Checked) {
  return { name, from: isoTime(fromMs), until: isoTime(untilMs), records, seal, finding };
}

const NOTHING_SEALED = `No record of that time is sealed yet, so nothing was compared.
A running service makes the first seal 30 to 51 minutes after the first record, and then one every
20 minutes. See ./intaglio audit verify --help`;

function report(checks: readonly Checked[], wrong: readonly Checked[]): string {
  const records = checks.reduce((sum, check) => sum + check.records, 0);
  const last = checks.findLast(({ seal }) => seal !== null);
  if (checks.length === 0) return NOTHING_SEALED;
  return [
    ...wrong.map(describe),
    `${counted(checks.length, 'period')} with ${counted(records, 'record')}: ` +
      `${wrong.length} not as they were sealed.`,
    ...(last === undefined ? [] : [`Last seal: ${last.name}=${last.seal}`]),
  ].join('\n');
}

function describe({ name, fromMs, untilMs, records, finding }: Checked): string {
  return `${name}  ${isoTime(fromMs)} to ${isoTime(untilMs)}  ${finding}  (${counted(records, 'record')})`;
}

/** ISO 8601 in UTC, to the second. The first period has no beginning. */
function isoTime(ms: number): string {
  return ms === 0 ? 'the first record' : `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function toSeal(text: string): KeptSeal {
  const [, name, seal] = /^(\d{1,12}|\d{4}-\d\d-\d\d)=([0-9a-f]{64})$/i.exec(text) ?? [];
  if (name === undefined || seal === undefined) {
    throw new UsageError(`--seal is "${text}"; allowed: a number and 64 hex digits, 1841=…`);
  }
  return { name, seal: seal.toLowerCase() };
}
