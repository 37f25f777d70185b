import type { rowsEn } from './rows-en.ts';

/** Texts of the format of a file of rows in Thai. */
export const rowsTh: Readonly<Record<keyof typeof rowsEn, string>> = {
  'csv.as_contract': '{value} ไม่มีเครื่องหมายคั่นอื่น',
  'csv.buddhist': 'พ.ศ. ({year})',
  'csv.calendar': 'ปี',
  'csv.common': 'ค.ศ. ({year})',
  'csv.date': 'วันที่',
  'csv.decimal': 'จำนวนเงินและตัวเลข',
  'csv.delimiter': 'เครื่องหมายคั่นช่อง',
  'csv.format': 'รูปแบบของไฟล์: {words}',
  'csv.no_date': 'ไม่ใช่วันที่ในรูปแบบนี้',
  'csv.no_number': 'ไม่ใช่ตัวเลขในรูปแบบนี้',
  'csv.recognised': 'ระบบรู้จักเอง: “{sign}”',
  'csv.suggest': 'แถวแรก ๆ น่าจะเขียนในรูปแบบอื่น',
  'csv.suggest_text': 'ตามรูปแบบที่เลือกไว้ ระบบจะไม่รับตัวเลขหรือวันที่บางช่อง รูปแบบนี้อ่านได้มากกว่า: {words}',
  'csv.suggest_unsure': 'แถวแรก ๆ เข้ากับรูปแบบอื่นได้เช่นกัน เช่น เดือนก่อนวัน โปรดตรวจค่าที่อ่านได้ด้านล่าง',
  'csv.use': 'ใช้รูปแบบนี้',
  'totals.check': 'ตรวจด้วยยอดเหล่านี้',
  'totals.correct': 'แก้ยอดควบคุม…',
  'totals.help':
    'ถ้าแถวไม่ครบ ให้เพิ่มที่ “เพิ่มแถว” แล้วเริ่มอีกครั้ง ถ้าไฟล์มีแถวที่ไม่ควรมี ให้ยกเลิกงานและสร้างงานใหม่จากไฟล์ที่ถูกต้อง',
  'totals.help_faulty': 'เมื่อจบงาน แถวที่ไม่มีเอกสารนับว่าขาด ให้แก้ไขหรือถอนแถวเหล่านั้นด้านล่าง แล้วเริ่มอีกครั้ง',
  'totals.help_typed': 'ถ้าไฟล์ถูกต้องแต่ยอดที่กรอกไว้ผิด ให้แก้ยอด',
  'totals.start': 'เริ่มด้วยยอดเหล่านี้',
  'totals.text': 'ใช้ยอดจากระบบที่สร้างไฟล์ บันทึกตรวจสอบจะระบุว่าคุณแก้ยอด',
  'totals.title': 'แก้ยอดควบคุม',
};
