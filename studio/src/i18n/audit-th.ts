import type { auditEn } from './audit-en.ts';

/** Texts of the audit in Thai. */
export const auditTh: Readonly<Record<keyof typeof auditEn, string>> = {
  'audit_column.at': 'เวลา',
  'audit_column.principal': 'ผู้ใช้หรือคีย์',
  'audit_column.action': 'การกระทำ',
  'audit_column.outcome': 'ผล',
  'audit_column.code': 'รหัสข้อผิดพลาด',
  'audit_column.templateId': 'รหัสเทมเพลต',
  'audit_column.version': 'เวอร์ชัน',
  'audit_column.documentId': 'เอกสารหรืองานชุด',
  'audit_column.mode': 'โหมดของคำขอ',
  'audit_column.pages': 'จำนวนหน้า',
  'audit_column.bytes': 'ขนาด (ไบต์)',
  'audit_column.durationMs': 'ระยะเวลา (มิลลิวินาที)',
  'audit_column.sha256': 'SHA-256 ของ PDF',
  'audit_column.signer': 'ผู้ลงนาม',
  'audit_column.certificateSerial': 'หมายเลขใบรับรอง',
  'audit_column.draft': 'จากฉบับร่าง',
  'audit_column.contributors': 'ผู้แก้ไข',
  'audit_column.detail': 'รายละเอียด',
  'audit_column.requestId': 'คำขอ',
  'audit_column.auditId': 'รหัสบันทึก',
};
