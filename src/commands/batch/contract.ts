import { suggestion } from '../../runtime/nearest.ts';
import { BadAnswerError, CancelledError, type FieldContract, ServiceError } from '#client';
import { CommandFailed } from '../console/failure.ts';
import type { Service } from '../console/service.ts';
import { fieldsNamed } from './file-name.ts';
import type { Survey } from './input.ts';
import type { BatchPlan, RecordError } from './run.ts';

/** Limit of the differences between columns and contract that are reported. */
const REPORTED_MAX = 20;

/** A field of the template, as the service describes it. */
export interface ContractField {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
}

/**
 * Compares the columns with the fields of the template before any document is made: it warns of
 * unknown columns and throws when a required field has no column. A key without the scope
 * templates:read cannot read the fields; `ColumnHints` then explains the first refused document.
 * Returns the fields; null: the key cannot read them, 'stopped': the batch was stopped meanwhile.
 */
export async function compareColumns(
  plan: BatchPlan,
  survey: Survey,
  service: Service,
  warn: (message: string) => void,
): Promise<readonly ContractField[] | null | 'stopped'> {
  const contract = await requestFields(plan, service);
  if (contract === null || contract === 'stopped') return contract;
  const { fields } = contract;
  warnOfUnknown(plan, survey, fields, warn);
  const missing = fields.filter(({ name, required }) => required && !survey.keys.includes(name));
  if (missing.length === 0) return fields;
  const names = missing.slice(0, REPORTED_MAX).map(({ name }) => JSON.stringify(name));
  throw new CommandFailed(
    `${plan.templateId} needs ${names.join(', ')}, and no column has that name: nothing was made`,
  );
}

/** The failure that every record would meet: the key is not valid, or the template is unknown. */
function refusal({ url, templateId, version }: BatchPlan, error: ServiceError): CommandFailed {
  const { code, status } = error;
  if (code === 'unauthenticated') {
    return new CommandFailed(
      `${url} does not accept the API key (${code}), and nothing was made: check --key or` +
        ' INTAGLIO_API_KEY, and whether --url is the service that gave out the key',
    );
  }
  if (code !== 'not_found') {
    return new CommandFailed(
      `${url} answered ${status} without a code of Intaglio, and nothing was made: is --url` +
        ' the address of the service, and is a proxy before it?',
    );
  }
  const what =
    version === null
      ? `no published template "${templateId}"`
      : `no version ${version} of a template "${templateId}"`;
  return new CommandFailed(
    `the team of this API key has ${what} (${code}), and nothing was made: check --template` +
      `${version === null ? '' : ' and --version'}, and whether the key is of the right team`,
  );
}

/** Requests the fields of the template; null: the key cannot read them. */
async function requestFields(
  plan: BatchPlan,
  service: Service,
): Promise<FieldContract | null | 'stopped'> {
  const { templateId, version } = plan;
  const options = version === null ? {} : { version };
  try {
    return await service.ask((client) => client.fieldContract(templateId, options));
  } catch (error) {
    if (error instanceof CancelledError) return 'stopped';
    if (error instanceof BadAnswerError) throw new CommandFailed(`${plan.url}: ${error.message}`);
    if (!(error instanceof ServiceError)) throw error;
    if (error.status === 401 || error.status === 404) throw refusal(plan, error);
    // Go on without the fields: if more than the scope is wrong, the first document reports it.
    return null;
  }
}

function warnOfUnknown(
  { templateId, name: pattern }: BatchPlan,
  survey: Survey,
  fields: readonly ContractField[],
  warn: (message: string) => void,
): void {
  const names = new Set(fields.map(({ name }) => name));
  // A column may serve the file names alone.
  const named = new Set(pattern === null ? [] : fieldsNamed(pattern));
  const unknown = survey.keys.filter((key) => !names.has(key) && !named.has(key));
  for (const key of unknown.slice(0, REPORTED_MAX)) {
    const hint = suggestion(key, names);
    warn(`column ${JSON.stringify(key)} is not a field of ${templateId}${hint}`);
  }
  const more = unknown.length - REPORTED_MAX;
  if (more > 0) warn(`${more} more columns are not fields`);
}

/** Warns once of each required field that has no column, and names the column that may be meant. */
export class ColumnHints {
  readonly #keys: ReadonlySet<string>;
  readonly #warn: (message: string) => void;
  readonly #reported = new Set<string>();

  constructor(keys: readonly string[], warn: (message: string) => void) {
    this.#keys = new Set(keys);
    this.#warn = warn;
  }

  look({ fields }: Pick<RecordError, 'fields'>): void {
    for (const { field, reason } of fields) {
      if (reason !== 'required' || this.#keys.has(field)) continue;
      if (this.#reported.has(field) || this.#reported.size === REPORTED_MAX) continue;
      this.#reported.add(field);
      const hint = suggestion(field, this.#keys);
      this.#warn(`field ${JSON.stringify(field)} is required, and no column has that name${hint}`);
    }
  }
}
