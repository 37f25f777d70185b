import type { draftsEn } from './drafts-en.ts';

/** Texts of new templates and of their drafts in Thai. */
export const draftsTh: Readonly<Record<keyof typeof draftsEn, string>> = {
  'preview.stale': 'หน้าเมื่อ {time} ก่อนเกิดข้อผิดพลาด',
  'templates.taken': 'รหัสนี้ใช้แล้ว: {name}',
  'templates.taken_hint': 'ตั้งรหัสอื่น หรือเปิดเทมเพลตที่ใช้รหัสนี้',
  'templates.taken_open': 'เปิด {name}',
};
