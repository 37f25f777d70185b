import type { faultyEn } from './faulty-en.ts';

/** Texts of faulty rows in Thai. */
export const faultyTh: Readonly<Record<keyof typeof faultyEn, string>> = {
  'faulty.check': 'ตรวจแถวที่แก้ไข ({count})',
  'faulty.closed': 'แก้ไขแถวได้เมื่องานหยุดอยู่',
  'faulty.cure_amount':
    'เขียน 1250.50 ใช้จุดก่อนทศนิยม ไม่ใช้เครื่องหมายคั่นอื่น ในสเปรดชีตเปลี่ยนรูปแบบของคอลัมน์ครั้งเดียวก็แก้ได้ทุกแถว',
  'faulty.cure_date':
    'เขียน 2026-12-31 คือปี ค.ศ. เดือน วัน ในสเปรดชีตเปลี่ยนรูปแบบของคอลัมน์ครั้งเดียวก็แก้ได้ทุกแถว',
  'faulty.cure_day': 'ไม่มีวันนี้ในปฏิทิน โปรดแก้เฉพาะช่องนี้ เช่น 2026-12-31',
  'faulty.edited': 'แก้ไขแล้ว ยังไม่ได้ตรวจ',
  'faulty.identical': 'มี {count} แถวเหมือนกับแถวก่อนหน้าทุกประการ จะไม่สร้างเอกสารซ้ำ',
  'faulty.line': 'บรรทัด {line}',
  'faulty.line_of': 'บรรทัด {line} ของส่วนที่ {part}',
  'faulty.lines': 'อยู่ที่:',
  'faulty.more': 'แสดงแถวเพิ่ม',
  'faulty.reason_date': 'ต้องเป็นวันที่ เช่น 2026-12-31',
  'faulty.reason_id': 'ใช้ระบุตัวแถว ต้องมี 1 ถึง 128 อักขระ',
  'faulty.reason_number': 'ต้องเป็นตัวเลข เช่น 1250.50',
  'faulty.reason_pattern': 'ข้อความไม่ตรงกับรูปแบบที่เทมเพลตกำหนด',
  'faulty.reason_required': 'ต้องกรอกฟิลด์นี้',
  'faulty.reason_shortened': 'สเปรดชีตย่อตัวเลขนี้ ให้ตั้งรูปแบบคอลัมน์เป็นข้อความ หรือพิมพ์เลขทั้งหมดที่นี่',
  'faulty.reason_taken': 'แถวอื่นของงานนี้ใช้รหัสนี้แล้ว',
  'faulty.refused': 'ไม่รับการแก้ไข {count} รายการ เพราะแถวนั้นแก้ไขแล้ว ถอนแล้ว หรือถูกต้องอยู่แล้ว',
  'faulty.text':
    'แก้ไขช่องข้อมูลที่นี่แล้วกดตรวจ หรือดาวน์โหลดแถว แก้ไขในสเปรดชีต แล้วอัปโหลดไฟล์ด้านล่าง แถวที่ไม่ต้องการถอนออกได้',
  'faulty.title': 'แถวที่ต้องแก้ไข: {count}',
  'faulty.withdraw': 'ถอนแถว',
  'faulty.withdraw_text':
    'จะไม่สร้างเอกสารของแถวนี้ แต่ยังนับในยอดควบคุม และบันทึกตรวจสอบจะมีชื่อผู้ถอน การถอนยกเลิกไม่ได้',
  'faulty.withdraw_title': '{place}: ถอนแถวนี้หรือไม่',
  'run_reason.corrections': 'มีการแก้ไขที่ไม่รับ กดเริ่มอีกครั้งเพื่อทำต่อโดยไม่ใช้การแก้ไขเหล่านั้น',
  'run_reason.invalid': 'มี {actual} แถวไม่ถูกต้อง จะไม่สร้างเอกสารจนกว่าจะแก้ไขหรือถอนแถวเหล่านี้',
  'run_reason.made': 'จำนวนแถว: คาดไว้ {expected} เอกสารและแถวที่ถอนรวม {actual}',
  'runs.check_failed': 'การตรวจสอบพบข้อผิดพลาด',
  'runs.file_changed': 'ไฟล์ถูกแก้ไขหลังจากเลือกแล้ว โปรดเลือกไฟล์นี้อีกครั้ง',
  'runs.identical': 'ซ้ำกัน',
  'runs.in_file': 'ในไฟล์',
  'runs.on_invalid': 'ขณะที่มีแถวไม่ถูกต้อง',
  'runs.on_invalid_skip': 'สร้างเอกสารของแถวอื่นทั้งหมด',
  'runs.on_invalid_stop': 'ไม่สร้างเอกสาร',
  'runs.pending': 'รอสร้าง',
  'runs.start_skip': 'เริ่มโดยเว้นแถวเหล่านี้',
  'runs.carriage_returns': 'ท้ายบรรทัดของไฟล์เป็นแบบ Mac รุ่นเก่า ให้บันทึกเป็น “CSV UTF-8 (Comma delimited)”',
  'runs.withdrawn': 'ถอนแล้ว',
  'runs.separator_line':
    'บรรทัดแรกเป็น “sep=…” ซึ่งอ่านได้เฉพาะใน Excel โปรดลบบรรทัดนั้น หรือบันทึกไฟล์เป็น “CSV UTF-8 (Comma delimited)”',
  'runs.workbook':
    'ไฟล์นี้เป็นสมุดงาน ใน Excel เลือก ไฟล์ → บันทึกเป็น → “CSV UTF-8 (Comma delimited)” แล้วเลือกไฟล์นั้น',
};
