import t from 'tap';
import { EXAMPLE, run, type Run } from '../api/runs.ts';
import { succeed } from '../errors.ts';
import { json, type Operation } from './openapi/operation.ts';
import { jsonReply } from './reply/reply.ts';
import { describedRoute } from './route.ts';

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
  kind: 'guarded',
  method: 'GET',
  path: '/example',
  access: { scope: 'runs', keyRefusal: 'insufficient_scope', roles: [] },
  counted: false,
  bodyBytesMax: 0,
} as const;

t.test('a handler gives the reply that the schema of its operation describes', async (t) => {
  const made = describedRoute({
    ...route,
    operation,
    run: async () => succeed(jsonReply<Run>(200, EXAMPLE)),
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
  describedRoute({ ...route, run: async () => succeed(jsonReply<Run>(200, EXAMPLE)) });
  t.pass();
});
