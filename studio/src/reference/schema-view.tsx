import type { Description, Schema } from './description.ts';
import { resolve } from './description.ts';

interface SchemaProps {
  readonly schema: Schema;
  readonly description: Description;
  readonly depth?: number;
}

/** No schema is recursive today; this bounds the nesting if one becomes so. */
const DEPTH_MAX = 8;

/** Lists the members of an object schema, with nested members below their parent. */
export function SchemaView({ schema, description, depth = 0 }: SchemaProps) {
  const own = innerOf(resolve(schema, description), description);
  const members = Object.entries(own.properties ?? {});
  if (members.length === 0 || depth > DEPTH_MAX) return null;
  return (
    <ul class="members">
      {members.map(([name, member]) => (
        <Member
          key={name}
          name={name}
          schema={resolve(member, description)}
          isRequired={own.required?.includes(name) === true}
          description={description}
          depth={depth}
        />
      ))}
    </ul>
  );
}

/** The object whose members are shown: the items of an array, or the first object of a `oneOf`. */
function innerOf(schema: Schema, description: Description): Schema {
  if (schema.items !== undefined) return innerOf(resolve(schema.items, description), description);
  const choice = schema.oneOf?.find((one) => resolve(one, description).properties !== undefined);
  return choice === undefined ? schema : resolve(choice, description);
}

interface MemberProps {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly description: Description;
  readonly depth: number;
}

function Member({ name, schema, isRequired, description, depth }: MemberProps) {
  return (
    <li>
      <p>
        <code class="strong">{name}</code>{' '}
        <span class="small soft">
          {typeOf(schema, description)}
          {isRequired ? ' · required' : ''}
        </span>
      </p>
      {schema.description === undefined ? null : <p class="small">{schema.description}</p>}
      <SchemaView schema={schema} description={description} depth={depth + 1} />
    </li>
  );
}

/** A short text of a value's type and bounds. */
export function typeOf(schema: Schema, description: Description): string {
  const { type, items, format, maxLength, minimum, maximum, maxItems, oneOf } = schema;
  const named = schema.enum?.map((value) => JSON.stringify(value)).join(' | ');
  if (named !== undefined) return named;
  if (oneOf !== undefined) {
    return oneOf.map((one) => typeOf(resolve(one, description), description)).join(' | ');
  }
  const base = typeof type === 'string' ? type : (type?.join(' | ') ?? 'any');
  const of = items === undefined ? '' : ` of ${typeOf(resolve(items, description), description)}`;
  const bounds = [
    format ?? '',
    maxLength === undefined ? '' : `≤ ${maxLength} characters`,
    minimum === undefined ? '' : `≥ ${minimum}`,
    maximum === undefined ? '' : `≤ ${maximum}`,
    maxItems === undefined ? '' : `≤ ${maxItems} items`,
  ].filter((bound) => bound !== '');
  return `${base}${of}${bounds.length === 0 ? '' : `, ${bounds.join(', ')}`}`;
}
