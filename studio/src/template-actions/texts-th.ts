import type { actionsEn } from './texts-en.ts';

/** Texts of what can be done with templates and versions in Thai. */
export const actionsTh: Readonly<Record<keyof typeof actionsEn, string>> = {
  'actions.archive': 'เก็บถาวร',
  'actions.archive_text':
    'เทมเพลตจะไม่อยู่ในรายการและไม่สร้างเอกสารใหม่ เวอร์ชันและเอกสารเดิมยังอยู่และตรวจสอบได้ นำกลับมาใช้ได้ภายหลัง',
  'actions.archived': 'เก็บเทมเพลตถาวรแล้ว',
  'actions.copy_of': 'สำเนาของ {name}',
  'actions.duplicate': 'ทำสำเนา',
  'actions.duplicated': 'บันทึก {name} เป็นฉบับร่างแล้ว',
  'actions.from_draft': 'สำเนาเริ่มจากข้อความของฉบับร่าง',
  'actions.from_version': 'สำเนาเริ่มจากข้อความของเวอร์ชันปัจจุบัน',
  'actions.not_text': 'รหัสหรือชื่อในเทมเพลตนี้ไม่ใช่ข้อความ',
  'actions.rename': 'เปลี่ยนชื่อ',
  'actions.rename_text': 'ชื่อเป็นส่วนหนึ่งของเทมเพลต จึงบันทึกในฉบับร่างและเผยแพร่พร้อมกัน รหัส {id} ไม่เปลี่ยน',
  'actions.renamed': 'ฉบับร่างใช้ชื่อ {name} แล้ว',
  'actions.unarchive': 'นำกลับมาใช้',
  'actions.unarchive_text': 'เทมเพลตจะกลับมาอยู่ในรายการและสร้างเอกสารได้ตามเดิม',
  'actions.unarchived': 'นำเทมเพลตกลับมาใช้แล้ว',
  'preview.download': 'ดาวน์โหลดหน้านี้เป็น PDF',
  'template.archived': 'เก็บถาวร',
  'template.archived_since': 'เก็บถาวรตั้งแต่ {when} ไม่สร้างเอกสารใหม่',
  'templates.archive_shown': 'เทมเพลตที่เก็บถาวร',
  'templates.in_use': 'เทมเพลตที่ใช้อยู่',
  'templates.shown': 'แสดง',
  'version.alone': 'ไม่เปรียบเทียบ',
  'version.compare': 'เปรียบเทียบกับ',
  'version.download_file': 'ดาวน์โหลดเทมเพลต',
  'version.download_pdf': 'ดาวน์โหลด PDF',
  'version.intro': 'เผยแพร่ {when} โดย {who}',
  'version.look': 'ดูเวอร์ชัน {version}',
  'version.title': '{name} เวอร์ชัน {version}',
};
