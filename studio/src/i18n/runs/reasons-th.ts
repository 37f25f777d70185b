import type { reasonsEn } from './reasons-en.ts';

/** The texts of reasons-en.ts in Thai. */
export const reasonsTh: Readonly<Record<keyof typeof reasonsEn, string>> = {
  'run_reason.document':
    'เอกสารสำหรับไฟล์พิมพ์เสียหาย หายไป หรือหมดอายุแล้ว: {document} โปรดสร้างแถวนี้ใหม่ในงานใหม่ หรือให้ผู้ดูแลระบบกู้คืนไฟล์แล้วเริ่มอีกครั้ง',
  'run_reason.input': 'อ่านแถวข้อมูลไม่ได้: {actual} โปรดสร้างงานใหม่จากไฟล์เดิม',
  'run_reason.key': 'งานกำลังรอกุญแจที่เข้ารหัสแถวข้อมูล ({expected}) โปรดแจ้งผู้ดูแลระบบ',
  'run_reason.lost':
    'แถวที่ตรวจแล้วหายไปจากฐานข้อมูล {count} แถว จึงไม่มีเอกสารของแถวเหล่านี้ เอกสารที่สร้างแล้วอยู่ในรายการผล โปรดสร้างงานใหม่จากไฟล์เดิม และแจ้งผู้ดูแลระบบ',
  'run_reason.part':
    'แถวที่อัปโหลดในส่วนที่ {part} ไม่เหมือนตอนที่ได้รับแล้ว โปรดสร้างงานใหม่จากไฟล์เดิม และแจ้งผู้ดูแลระบบ',
  'run_reason.protection': 'งานกำลังรอโปรแกรม qpdf ซึ่งใช้ตั้งรหัสผ่าน โปรดแจ้งผู้ดูแลระบบ',
  'run_reason.rows': 'จำนวนแถว: คาดไว้ {expected} พบ {actual} ในไฟล์',
  'run_reason.signer': 'งานกำลังรอระบบลงนาม: {actual}',
  'run_reason.source': 'ใช้ไฟล์นี้ไม่ได้ ต้องเป็น: {expected} พบ: {actual}',
  'runs.waiting': 'งานกำลังรอ',
  'runs.all_withdrawn': 'ถอนทุกแถวแล้ว จึงไม่มีเอกสารให้สร้าง',
  'runs.in_order': 'ขณะนี้ทุกแถวถูกต้องแล้ว เริ่มงานได้',
};
