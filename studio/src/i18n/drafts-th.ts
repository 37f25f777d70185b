import type { draftsEn } from './drafts-en.ts';

/** Texts of new templates and of their drafts in Thai. */
export const draftsTh: Readonly<Record<keyof typeof draftsEn, string>> = {
  'conflict.after_you': 'มีผู้อื่นบันทึกฉบับร่างนี้ต่อจากคุณ',
  'conflict.differences': 'สิ่งที่ต่างกัน',
  'conflict.differences_hint': 'บรรทัดที่มี − มีเฉพาะในข้อความที่บันทึกแล้ว บรรทัดที่มี + มีเฉพาะในหน้าต่างนี้',
  'conflict.differences_kept':
    'บรรทัดที่มี − มีเฉพาะในข้อความที่บันทึกแล้ว บรรทัดที่มี + มีเฉพาะในข้อความที่เบราว์เซอร์นี้เก็บไว้',
  'conflict.discarded': 'เทมเพลตกลับเป็นเวอร์ชันที่เผยแพร่แล้ว ข้อความของคุณยังอยู่ในเบราว์เซอร์นี้',
  'conflict.discarded_title': 'ฉบับร่างนี้ถูกทิ้งไปแล้ว',
  'conflict.keep_new': 'บันทึกข้อความของฉันเป็นฉบับร่างใหม่',
  'conflict.more_differences': 'และอีก {count} แห่ง',
  'conflict.no_differences': 'ข้อความทั้งสองเหมือนกัน',
  'conflict.only_kept': 'มีเฉพาะในข้อความที่เบราว์เซอร์นี้เก็บไว้:',
  'conflict.only_mine': 'มีเฉพาะในหน้าต่างนี้:',
  'conflict.only_theirs': 'มีเฉพาะในข้อความที่บันทึกแล้ว:',
  'conflict.own_keep': 'ใช้ข้อความนี้แทนอีกหน้าต่าง',
  'conflict.own_kept':
    '{who} บันทึกฉบับร่างนี้เมื่อ {when} ข้อความที่คุณบันทึกไว้ก่อนยังอยู่ในเบราว์เซอร์นี้ ไม่ใช่ข้อความที่แสดงอยู่',
  'conflict.own_kept_discarded': 'ข้อความที่คุณบันทึกไว้ก่อนยังอยู่ในเบราว์เซอร์นี้ ไม่ใช่ข้อความที่แสดงอยู่',
  'conflict.own_take': 'ใช้ข้อความของอีกหน้าต่าง ทิ้งข้อความนี้',
  'conflict.own_text': 'คุณบันทึกที่หน้าต่างนั้นเมื่อ {when} ข้อความของหน้าต่างนี้ไม่ได้บันทึกทับ',
  'conflict.own_title': 'คุณแก้ไขฉบับร่างนี้ในอีกหน้าต่าง',
  'conflict.published_title': 'ฉบับร่างนี้ถูกเผยแพร่ไปแล้ว',
  'conflict.removed': 'เทมเพลตนี้ไม่เคยเผยแพร่ จึงไม่เหลืออะไร ข้อความของคุณยังอยู่ในเบราว์เซอร์นี้',
  'conflict.show': 'ดูสิ่งที่ต่างกัน',
  'conflict.take_nothing': 'ทิ้งข้อความของฉันด้วย',
  'conflict.take_version': 'ใช้เวอร์ชันที่เผยแพร่ ทิ้งข้อความของฉัน',
  'conflict.withdrawn': 'ไม่มีเวอร์ชันที่ใช้งานอยู่ เพราะถูกถอนทั้งหมดแล้ว ข้อความของคุณยังอยู่ในเบราว์เซอร์นี้',
  'preview.not_checked': 'ยังไม่ได้ตรวจ: ข้อความยังไม่เป็น JSON',
  'preview.stale_conflict': 'หน้าของเวลา {time} โปรดเลือกฉบับใดฉบับหนึ่งก่อน',
  'preview.stale': 'หน้าเมื่อ {time} ก่อนเกิดข้อผิดพลาด',
  'template.as_version': 'เหมือนเวอร์ชัน {version}',
  'template.replaced':
    'เบราว์เซอร์นี้เก็บข้อความของฉบับร่างนี้ที่มีผู้อื่นแทนที่หรือทิ้งไปแล้ว เปิดฉบับร่างเพื่อดูสิ่งที่ต่างกันและเลือก',
  'template.unsaved': 'เบราว์เซอร์นี้มีข้อความของฉบับร่างที่ยังไม่บันทึก เปิดฉบับร่างเพื่อดูและบันทึก',
  'templates.taken': 'รหัสนี้ใช้แล้ว: {name}',
  'templates.taken_hint': 'ตั้งรหัสอื่น หรือเปิดเทมเพลตที่ใช้รหัสนี้',
  'templates.taken_open': 'เปิด {name}',
};
