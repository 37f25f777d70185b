import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openApi } from '../../src/gateway/openapi/openapi.ts';
import type { Services } from '../../src/gateway/route.ts';
import { routesOf } from '../../src/gateway/routes.ts';

/**
 * Compares replies in JSON with /openapi.json. The compiler does the same with the types, but it does
 * not see a member that a value has beyond its type, such as one that comes from a spread.
 */

interface Described {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}

interface Operation extends Described {
  readonly method: string;
  readonly path: RegExp;
}

/** Longer replies are not read a second time. */
const BYTES_MAX = 65_536;

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
const compiled = new Map<object, ValidateFunction>();
const checked = new Set<string>();
let operations: readonly Operation[] | null = null;

/** From now on, `fetch` of this address throws on a reply that is not as it is described. */
export function checkReplies(url: string): void {
  const isFirst = checked.size === 0;
  checked.add(url);
  if (!isFirst) return;
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => {
    const response = await fetch(input, init);
    const { origin, pathname } = new URL(input instanceof Request ? input.url : input);
    if (!checked.has(origin)) return response;
    const method = init?.method ?? 'GET';
    const fault = await faultOf(method, pathname, response);
    if (fault !== '') throw new Error(`${method} ${pathname}, ${response.status}: ${fault}`);
    return response;
  };
}

/** Why a reply is not the described one; '' if it is. */
async function faultOf(method: string, path: string, response: Response): Promise<string> {
  const { status, headers } = response;
  const type = headers.get('content-type') ?? '';
  const bytes = Number(headers.get('content-length') ?? Infinity);
  const isShort = type.startsWith('application/json') && bytes > 0 && bytes <= BYTES_MAX;
  // A fault of the service itself is described nowhere.
  if (!isShort || status >= 500 || method === 'HEAD') return '';
  operations ??= describedOperations();
  const found = operations.find((one) => one.method === method && one.path.test(path));
  if (found === undefined) return '';
  const schema = found.responses[status]?.content?.['application/json']?.schema;
  if (schema === undefined) return 'not described';
  let validate = compiled.get(schema);
  if (validate === undefined) {
    validate = ajv.compile(schema);
    compiled.set(schema, validate);
  }
  return validate(await response.clone().json()) ? '' : ajv.errorsText(validate.errors);
}

function describedOperations(): readonly Operation[] {
  // Making the routes reads these options and nothing else.
  const options = { bodyBytesMax: 0, oidc: null, studioFolder: null };
  const routes = routesOf({ options } as unknown as Services).filter((one) => one.operation);
  const text = JSON.stringify(openApi('http://127.0.0.1', '0', routes));
  // This is the shape of an OpenAPI description.
  const api = JSON.parse(text.replaceAll('"#/components/', '"api#/components/')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  };
  close(api);
  ajv.addSchema(api, 'api');
  const described = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({
      ...one,
      method: method.toUpperCase(),
      path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    })),
  );
  // Two paths match an address only if one of them has a name where the other has a parameter.
  const parameters = ({ path }: Operation): number => path.source.split('[').length;
  return described.toSorted((one, other) => parameters(one) - parameters(other));
}

/** Forbids the members that an object does not name. */
function close(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if ('properties' in value && 'type' in value && !('additionalProperties' in value)) {
    Object.assign(value, { additionalProperties: false });
  }
  Object.values(value).forEach(close);
}
