import type { listsEn } from './lists-en.ts';

/** Texts of lists in Thai. */
export const listsTh: Readonly<Record<keyof typeof listsEn, string>> = {
  'list.found': 'พบ {count} รายการ',
  'list.found_more': 'พบ {count} รายการ และยังมีอีก',
  'audit.csv_hint': 'ไฟล์ CSV มีรายการที่ตัวกรองเลือกไว้ บรรทัดละหนึ่งรายการ',
  'runs.invalid_csv_hint': 'แถวที่ต้องแก้ พร้อมข้อมูลและสาเหตุ แก้ในไฟล์แล้วเพิ่มไฟล์นั้นที่หน้านี้',
  'runs.manifest_csv_hint': 'สำหรับโปรแกรมตาราง: หนึ่งบรรทัดต่อหนึ่งแถว มีผล เอกสาร และสาเหตุที่ผิดพลาด',
  'runs.manifest_hint': 'ข้อมูลเดียวกันสำหรับโปรแกรม: หนึ่ง JSON ต่อบรรทัด',
  'runs.print_index_hint': 'หน้าใดของไฟล์พิมพ์เป็นของแถวใด สำหรับโปรแกรม',
  'runs.zip_what': 'PDF ของทุกแถวที่จัดเก็บ ตั้งชื่อตามเทมเพลตหรือตามแถว',
};
