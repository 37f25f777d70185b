import type { Route, Services } from '../../src/gateway/route.ts';
import { routesOf } from '../../src/gateway/routes.ts';
import { ROLES } from '../../src/store/store.ts';
import { markdownTable } from './markdown-table.ts';

const BEGINNING = `# Permissions

For operators who hand out keys and roles. \`npm run generate\` writes this page from the \`access\` of
each route, and \`test/spec/matrix.test.ts\` sends each request as each caller.

A key needs the scope in the column "API key"; any other key is refused with the code beside it. A
user of the Studio needs a role with "yes"; any other is refused with \`forbidden\`. Callers without
a valid key or session are refused with \`unauthenticated\`. Three requests depend on more: drafts
(\`"draft": true\`) are for users, so \`POST /v1/generate\` and \`GET /v1/templates/:id/fields\` refuse a
key that asks for one with \`draft_requires_user\`; an Editor withdraws only a request for approval
that they made themselves, an Admin any.
`;

/** docs/permissions.md: who may send each request, from the routes themselves. */
export function permissionsPage(): string {
  const routes = routesOf(describedServices());
  const rows = routes.flatMap((route) => (route.kind === 'guarded' ? [guardedRow(route)] : []));
  const open = routes.flatMap((route) =>
    route.kind === 'public' && route.operation !== undefined
      ? [`- ${nameOf(route)}: ${route.operation.summary}`]
      : [],
  );
  return [
    BEGINNING,
    markdownTable([['request', 'API key', 'any other key', ...ROLES], ...rows]),
    '\nRequests of the API that need neither key nor session:\n',
    `${open.join('\n')}\n`,
  ].join('\n');
}

function guardedRow(route: Extract<Route, { kind: 'guarded' }>): readonly string[] {
  const { scope, keyRefusal, roles } = route.access;
  return [
    nameOf(route),
    scope === null ? 'no' : `\`${scope}\``,
    scope === null ? `\`${keyRefusal}\`` : '`insufficient_scope`',
    ...ROLES.map((role) => (roles.includes(role) ? 'yes' : 'no')),
  ];
}

function nameOf({ method, path }: Route): string {
  return `\`${method} ${path}\``;
}

/**
 * Making a route reads these options and nothing else; its handler, which needs the rest, is never
 * called here.
 */
function describedServices(): Services {
  const options = { bodyBytesMax: 0, oidc: null, studioFolder: null };
  // See above.
  return { options } as unknown as Services;
}
