import t from 'tap';
import { attachment } from '../../src/gateway/reply/attachment.ts';
import { proposedName } from '../../studio/src/api/file-name.ts';

t.test('a page that is only shown is saved under the name that the service proposes', async (t) => {
  for (const name of ['receipt RC-1.pdf', 'ใบเสร็จ RC-1.pdf', "it's (1).pdf", 'a*b.pdf']) {
    t.equal(proposedName(attachment(name, 'document.pdf')), name);
  }
  t.equal(proposedName(null), '');
  t.equal(proposedName("attachment; filename*=UTF-8''%E0%B8"), '', 'cut within a letter');
});
