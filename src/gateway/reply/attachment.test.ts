import t from 'tap';
import { attachment } from './attachment.ts';

t.test('names of downloads (RFC 6266, RFC 5987)', async (t) => {
  t.equal(attachment('', 'x.pdf'), 'attachment; filename="x.pdf"');
  t.equal(attachment('receipt-RC-0005.pdf', 'x.pdf'), 'attachment; filename="receipt-RC-0005.pdf"');
  t.equal(
    attachment('ใบเสร็จ 5.pdf', 'x.pdf'),
    `attachment; filename="x.pdf"; filename*=UTF-8''%E0%B9%83%E0%B8%9A%E0%B9%80%E0%B8%AA%E0%B8%A3%E0%B9%87%E0%B8%88%205.pdf`,
  );
  t.equal(
    attachment(`50%'*;.pdf`, 'x.pdf'),
    `attachment; filename="x.pdf"; filename*=UTF-8''50%25%27%2A%3B.pdf`,
  );
});
