import { suggestion } from '../../workers/template/vocabulary/findings.ts';
import { CommandFailed } from '../console/failure.ts';
import { type Client, Interrupted, type Reply, type ServiceError } from './client.ts';
import type { Survey } from './input.ts';
import type { BatchPlan } from './run.ts';

/** Differences between columns and contract that are told. */
const TOLD_MAX = 20;

interface Field {
  readonly name: string;
  readonly required: boolean;
}

/**
 * Compares the columns with the fields of the template before anything is made: an unknown column is
 * told, a required field without one ends the batch. A key without the scope templates:read cannot
 * ask; then the first refusal tells (`ColumnHints`). False: the batch was told to stop meanwhile.
 */
export async function compareColumns(
  plan: BatchPlan,
  survey: Survey,
  client: Client,
  warn: (message: string) => void,
): Promise<boolean> {
  const reply = await askContract(plan, client);
  // Whatever it was refused for, the first document is refused for it too, with its reason.
  if (reply === null || reply.status !== 200) return reply !== null;
  // The contract of the spec.
  const { fields } = JSON.parse(reply.body.toString('utf8')) as { fields: readonly Field[] };
  tellUnknown(plan, survey, fields, warn);
  const missing = fields.filter(({ name, required }) => required && !survey.keys.includes(name));
  if (missing.length === 0) return true;
  const names = missing.slice(0, TOLD_MAX).map(({ name }) => JSON.stringify(name));
  throw new CommandFailed(
    `${plan.templateId} needs ${names.join(', ')}, and no column has that name: nothing was made`,
  );
}

async function askContract(plan: BatchPlan, client: Client): Promise<Reply | null> {
  const version = plan.version === null ? '' : `?version=${plan.version}`;
  const address = `${plan.url}/v1/templates/${encodeURIComponent(plan.templateId)}/fields${version}`;
  try {
    return await client.call(address, { method: 'GET', headers: { 'x-api-key': plan.apiKey } });
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    return null;
  }
}

function tellUnknown(
  { templateId }: BatchPlan,
  survey: Survey,
  fields: readonly Field[],
  warn: (message: string) => void,
): void {
  const known = new Set(fields.map(({ name }) => name));
  const unknown = survey.keys.filter((key) => !known.has(key));
  for (const key of unknown.slice(0, TOLD_MAX)) {
    const hint = suggestion(key, known);
    warn(`column ${JSON.stringify(key)} is not a field of ${templateId}${hint}`);
  }
  if (unknown.length > TOLD_MAX) warn(`${unknown.length - TOLD_MAX} more columns are not fields`);
}

/** Tells once for each field that it is required, that no column has its name, and which one may be meant. */
export class ColumnHints {
  readonly #keys: ReadonlySet<string>;
  readonly #warn: (message: string) => void;
  readonly #told = new Set<string>();

  constructor(keys: readonly string[], warn: (message: string) => void) {
    this.#keys = new Set(keys);
    this.#warn = warn;
  }

  look({ fields }: Pick<ServiceError, 'fields'>): void {
    for (const { field, reason } of fields) {
      if (reason !== 'required' || this.#keys.has(field)) continue;
      if (this.#told.has(field) || this.#told.size === TOLD_MAX) continue;
      this.#told.add(field);
      const hint = suggestion(field, this.#keys);
      this.#warn(`field ${JSON.stringify(field)} is required, and no column has that name${hint}`);
    }
  }
}
