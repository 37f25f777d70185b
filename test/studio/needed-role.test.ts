import t from 'tap';
import { mayOpen, neededRole } from '../../studio/src/app/needed-role.ts';

t.test('a page that is not for a role says which role it needs', async (t) => {
  t.equal(neededRole(['audit']), 'Admin');
  t.equal(neededRole(['templates', 'receipt', 'version-2']), 'Editor');
  t.equal(neededRole(['templates', 'receipt']), null);
  t.equal(neededRole(['templates', 'receipt', 'version-x']), null, 'no page');
  t.equal(neededRole(['nowhere']), null);
  t.equal(mayOpen('Viewer', ['runs', 'new']), false);
  t.equal(mayOpen('Viewer', ['runs', '0198']), true);
  t.equal(mayOpen('Editor', ['approvals']), true);
  t.equal(mayOpen('Editor', ['users']), false);
  t.equal(mayOpen('Admin', ['approvals']), true);
});
