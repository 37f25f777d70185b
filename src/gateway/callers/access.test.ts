import t from 'tap';
import { refuseAccess } from './auth.ts';

const KEY = { kind: 'key', id: 'key:1', teamId: 'retail', scopes: ['generate'] } as const;

t.test('a refused key is told which scope it lacks, or that no scope would do', async (t) => {
  const principal = KEY as unknown as Parameters<typeof refuseAccess>[0];
  const roles = ['admin'] as unknown as Parameters<typeof refuseAccess>[1]['roles'];
  const of = (access: object) =>
    refuseAccess(principal, { roles, ...access } as unknown as Parameters<typeof refuseAccess>[1]);
  t.equal(of({ scope: 'generate' }), null);
  t.match(of({ scope: 'documents:read' }), {
    code: 'insufficient_scope',
    message: 'The API key lacks the scope documents:read.',
  });
  t.match(of({ scope: null, keyRefusal: 'insufficient_scope' }), {
    code: 'insufficient_scope',
    message: /^This call is for signed-in users: no scope of a key allows it\.$/,
  });
  t.match(
    of({ scope: null, keyRefusal: 'insufficient_scope', keyAdvice: 'Ask otherwise.' }),
    { message: /: no scope of a key allows it\. Ask otherwise\.$/ },
    'and what to do instead, where there is something',
  );
  t.match(of({ scope: null, keyRefusal: 'draft_requires_user' }), { code: 'draft_requires_user' });
});
