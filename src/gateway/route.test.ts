import t from 'tap';
import { EXAMPLE, run, type Run } from '../api/runs.ts';
import { RUN_START_SCHEMA } from '../api/run-requests.ts';
import { succeed } from '../errors.ts';
import { createValidator } from './body/validator.ts';
import { json, type Operation, PDF } from './openapi/operation.ts';
import { jsonReply, type PlainReply, type Reply } from './reply/reply.ts';
import {
  describedOpenRoute,
  describedRoute,
  type GuardedRoute,
  type PublicRoute,
  type Services,
} from './route.ts';
import { routesOf } from './routes.ts';

/*
 * Each directive below stands above an error of the compiler. If the compiler accepts the code, it
 * reports the directive as unused, and the check of types fails.
 */

const operation = {
  operationId: 'getExample',
  summary: 'An example',
  replies: { 200: { description: 'A run.', content: json(run, EXAMPLE) } },
  errors: [],
} satisfies Operation;
const route = {
  method: 'GET',
  path: '/example',
  access: { scope: 'runs', keyRefusal: 'insufficient_scope', roles: [] },
  counted: false,
  bodyBytesMax: 0,
} as const;

const respond = async () => succeed(jsonReply<Run>(200, EXAMPLE));
const PAGE: PlainReply = { status: 200, headers: {}, body: '' };

t.test('a handler gives the reply that the schema of its operation describes', async (t) => {
  const made = describedRoute({
    ...route,
    operation,
    run: respond,
  });
  t.equal(made.operation, operation);
});

t.test('the compiler refuses other replies, and a route without an operation', async (t) => {
  const { name: _, ...unnamed } = EXAMPLE;
  // @ts-expect-error: a member is missing
  jsonReply<Run>(200, unnamed);
  // @ts-expect-error: a member has another type
  jsonReply<Run>(200, { ...EXAMPLE, dryRun: 'no' });
  // @ts-expect-error: the schema has no such member
  jsonReply<Run>(200, { ...EXAMPLE, colour: 'red' });
  // @ts-expect-error: the reply of another operation
  describedRoute({ ...route, operation, run: async () => succeed(jsonReply(200, { ok: true })) });
  // @ts-expect-error: no operation
  describedRoute({ ...route, run: respond });
  // @ts-expect-error: only the functions above make routes, so none goes unchecked
  const unchecked: GuardedRoute = { ...route, kind: 'guarded', operation, run: respond };
  // @ts-expect-error: the same without authentication
  const open: PublicRoute = {
    kind: 'public',
    method: 'GET',
    path: '/example',
    operation,
    run: respond,
  };
  t.ok([unchecked, open]);
});

t.test('the compiler tells replies in JSON from others', async (t) => {
  // @ts-expect-error: a PDF where the operation describes JSON
  describedRoute({ ...route, operation, run: async () => succeed(PAGE) });
  // @ts-expect-error: a reply that may be anything
  describedRoute({ ...route, operation, run: async () => succeed<Reply>(PAGE) });
  const file = { ...operation, replies: { 200: { description: 'A file.', content: PDF } } };
  // @ts-expect-error: JSON where the operation describes a PDF
  describedOpenRoute({ ...route, operation: file, run: async () => succeed(jsonReply(200, {})) });
  t.ok(describedOpenRoute({ ...route, operation: file, run: async () => succeed(PAGE) }));
});

t.test('examples and checked requests have the types of their schemas', async (t) => {
  // @ts-expect-error: the example of another schema
  json(run, { ok: true });
  const checked = createValidator(RUN_START_SCHEMA)({ dryRun: true });
  t.ok(checked.ok);
  if (!checked.ok) return;
  t.equal(checked.value.dryRun, true);
  // @ts-expect-error: the schema has no such member
  t.notOk(checked.value.colour);
});

t.test('these routes alone are not described', async (t) => {
  const oidc = { teamClaim: '', roleClaim: '', issuer: 'https://login.bank.example' };
  const options = { bodyBytesMax: 0, oidc, studioFolder: '.', linkSecrets: ['x'.repeat(32)] };
  // Making the routes reads nothing else.
  const services = { options, baseUrl: () => 'https://documents.bank.example' } as unknown;
  const bare = routesOf(services as Services).filter((made) => made.operation === undefined);
  t.strictSame(bare.map(({ method, path }) => `${method} ${path}`).toSorted(), [
    'GET /auth/callback',
    'GET /auth/links/:token',
    'GET /auth/login',
    'GET /docs',
    'GET /healthz',
    'GET /metrics',
    'GET /openapi.json',
    'GET /readyz',
    'GET /studio',
    'GET /studio/:a',
    'GET /studio/:a/:b',
    'GET /studio/:a/:b/:c',
    'GET /studio/assets/:name',
    'POST /auth/links/:token',
  ]);
});
