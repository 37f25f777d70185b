import { type Command, Option } from 'commander';
import {
  CALENDARS,
  type CsvFormat,
  DATES,
  DECIMALS,
  DELIMITERS,
} from '../../runtime/csv/csv-format.ts';
import { UsageError } from './failure.ts';

/** Adds the options that say how a CSV file is written; `csvFormat` takes them together. */
export function addCsvFormat(command: Command): Command {
  return command
    .addOption(new Option('--delimiter <sign>', 'between cells of CSV').choices(DELIMITERS))
    .addOption(
      new Option('--decimal <sign>', 'CSV numbers such as 1.250,50 or 1,250.50').choices(DECIMALS),
    )
    .addOption(new Option('--date <order>', 'CSV dates such as 31/12/2026').choices(DATES))
    .addOption(
      new Option(
        '--calendar <name>',
        'years of those dates; default: gregory, where a year like 2569 is refused unless it is named',
      ).choices(CALENDARS),
    );
}

/** The format that the options name; undefined: none does. */
export function csvFormat(options: CsvFormat): CsvFormat | undefined {
  const { delimiter, decimal, date, calendar } = options;
  if (calendar !== undefined && date === undefined) {
    throw new UsageError('--calendar needs --date, the order of day, month and year');
  }
  const named = Object.entries({ delimiter, decimal, date, calendar }).filter(
    ([, value]) => value !== undefined,
  );
  // These are the members of a format that were given.
  return named.length === 0 ? undefined : (Object.fromEntries(named) as CsvFormat);
}
