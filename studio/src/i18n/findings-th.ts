/**
 * What the check of a template finds, in Thai: the sentence of the service, with a name for each part
 * that differs, and its translation. A test compares the sentences with those of the engine. What is
 * not here is shown in English.
 */
export const FINDINGS_TH: readonly (readonly [english: string, thai: string])[] = [
  ['Field {name} is declared, but nothing is bound to it.', 'ประกาศฟิลด์ {name} ไว้ แต่ไม่มีส่วนใดใช้'],
  [
    'In header, footer and background {{{name}}} is the page number, not this field.',
    'ใน header, footer และ background {{{name}}} คือเลขหน้า ไม่ใช่ฟิลด์นี้',
  ],
  [
    String.raw`"{{" has no "}}"; for two literal braces the file has "\\{{".`,
    String.raw`"{{" ไม่มี "}}" ปิด ถ้าต้องการพิมพ์ปีกกาสองตัว ให้เขียน "\\{{" ในไฟล์`,
  ],
  ['"{{}}" names no field; write "{{{name}}}".', '"{{}}" ไม่ได้ระบุฟิลด์ ให้เขียน "{{{name}}}"'],
  ['The file nests deeper than {max} levels.', 'ไฟล์ซ้อนกันลึกเกิน {max} ชั้น'],
  ['No field has this name.', 'ไม่มีฟิลด์ชื่อนี้'],
  ['There is no field {name}; declare it in fields.', 'ไม่มีฟิลด์ {name} ให้ประกาศใน fields'],
  ['There is no field {name}', 'ไม่มีฟิลด์ {name}'],
  [
    'There is no image {name}; declare it in document.images.',
    'ไม่มีภาพ {name} ให้ประกาศใน document.images',
  ],
  ['There is no image {name}', 'ไม่มีภาพ {name}'],
  [
    'There is no style {name}; declare it in document.styles.',
    'ไม่มีสไตล์ {name} ให้ประกาศใน document.styles',
  ],
  ['There is no style {name}', 'ไม่มีสไตล์ {name}'],
  ['There is no node with the id {id}', 'ไม่มีส่วนใดของเอกสารที่มี id {id}'],
  ['{name} is not a key here', 'ที่นี่ไม่มีคีย์ {name}'],
  ['{name} has no effect here.', '{name} ไม่มีผลที่นี่'],
  [
    'Remote images are not loaded; put the image into document.images as a data URL.',
    'ระบบไม่โหลดภาพจากอินเทอร์เน็ต ให้ใส่ภาพใน document.images เป็น data URL',
  ],
  [
    'The number prints as {number}; to print it as it is written, put it in quotes.',
    'ตัวเลขนี้จะพิมพ์เป็น {number} หากต้องการให้พิมพ์ตามที่เขียน ให้ใส่ในเครื่องหมายคำพูด',
  ],
  ['No node draws this image.', 'ไม่มีส่วนใดของเอกสารใช้ภาพนี้'],
  ['No node places this PDF.', 'ไม่มีส่วนใดของเอกสารใช้ PDF นี้'],
  ['The scripts and actions of this PDF are left out.', 'สคริปต์และคำสั่งใน PDF นี้จะไม่อยู่ในเอกสาร'],
  [
    'The form fields of this PDF are left out; "templates import" turns them into fields.',
    'ช่องกรอกใน PDF นี้จะไม่อยู่ในเอกสาร คำสั่ง "templates import" เปลี่ยนช่องเหล่านั้นเป็นฟิลด์ได้',
  ],
  [
    'Annotations of this PDF, such as notes and stamps, are left out; links are kept.',
    'บันทึกและตราประทับใน PDF นี้จะไม่อยู่ในเอกสาร แต่ลิงก์ยังอยู่',
  ],
  ['The files in this PDF are left out.', 'ไฟล์ที่แนบใน PDF นี้จะไม่อยู่ในเอกสาร'],
  [
    'No font draws these: {characters}, and others; use another font or other characters.',
    'ไม่มีฟอนต์ที่แสดงอักขระเหล่านี้และอื่น ๆ ได้: {characters} ให้ใช้ฟอนต์หรืออักขระอื่น',
  ],
  [
    'No font draws these: {characters}; use another font or other characters.',
    'ไม่มีฟอนต์ที่แสดงอักขระเหล่านี้ได้: {characters} ให้ใช้ฟอนต์หรืออักขระอื่น',
  ],
  [
    'No font draws {character}; use another font or character.',
    'ไม่มีฟอนต์ที่แสดงอักขระ {character} ได้ ให้ใช้ฟอนต์หรืออักขระอื่น',
  ],
  [
    'A document without {names} has no reference and is not found by one; make a field of it required if every document should have one.',
    'เอกสารที่ไม่มี {names} จะไม่มีเลขอ้างอิงไว้ค้นหา ถ้าทุกฉบับควรมี ให้กำหนดฟิลด์หนึ่งในนั้นเป็น required',
  ],
  ['A reference needs "value".', 'reference ต้องมี "value"'],
  ['No outline entry before this one has the id {id}.', 'ก่อนหน้านี้ไม่มีรายการสารบัญ PDF ที่มี id {id}'],
  [
    '"each" repeats the id {id}; links go to its first copy.',
    '"each" ทำให้ id {id} ซ้ำกัน ลิงก์จะไปยังชุดแรก',
  ],
  ['There is {toc} for this tocItem.', 'tocItem นี้ไม่มีสารบัญ (toc) รองรับ'],
  [
    'has no effect here: only nodes of content, or of stacks in it, are kept together over page breaks, not those in columns, table cells, list items, header, footer or background; use "unbreakable" around a few of them, or "dontBreakRows" on a table.',
    'ไม่มีผลที่นี่: การไม่แยกข้ามหน้าใช้ได้กับรายการใน content หรือ stack เท่านั้น ไม่ใช่ใน columns ช่องตาราง รายการลำดับ header, footer หรือ background ให้ใช้ "unbreakable" ครอบ หรือ "dontBreakRows" ที่ตาราง',
  ],
  [
    'has no effect here: nothing follows in this stack; put it on the stack itself.',
    'ไม่มีผลที่นี่: ไม่มีอะไรต่อท้ายใน stack นี้ ให้ใส่ที่ตัว stack',
  ],
  [
    'Nothing is drawn here on the first page, nor in a document of one page; add "first", or "first": null if that is meant.',
    'หน้าแรกและเอกสารหน้าเดียวจะไม่มีส่วนนี้ ให้เพิ่ม "first" หรือใส่ "first": null ถ้าตั้งใจ',
  ],
  [
    'Only the first {count} samples are read; leave out the others.',
    'ระบบอ่านเพียง {count} ตัวอย่างแรก ให้ลบตัวอย่างที่เหลือ',
  ],
  ['Another sample has this name.', 'มีตัวอย่างอื่นใช้ชื่อนี้แล้ว'],
  ['A sample needs "data".', 'ตัวอย่างต้องมี "data"'],
  [
    'No sample has a number in column {column} (from 0) of {table}.',
    'ไม่มีตัวอย่างใดมีตัวเลขในคอลัมน์ {column} (นับจาก 0) ของ {table}',
  ],
  [
    'characterSpacing {spacing} would print characters of values over each other; values of {size} pt are printed with {least}, so write at least that.',
    'characterSpacing {spacing} ทำให้อักขระของค่าพิมพ์ทับกัน ค่าขนาด {size} pt จะพิมพ์ด้วย {least} จึงควรใส่อย่างน้อยเท่านั้น',
  ],
  [
    'Field {name} has a mask, which the expression does not apply: if the expression prints the field, give the text "format": {"mask": …}, too.',
    'ฟิลด์ {name} มี mask แต่นิพจน์ไม่ได้ใช้ mask นั้น ถ้านิพจน์พิมพ์ฟิลด์นี้ ให้ใส่ "format": {"mask": …} ที่ข้อความด้วย',
  ],
  [
    'has no effect on data without the list, which then has no entry; give the field "required": true.',
    'ไม่มีผลกับข้อมูลที่ไม่ส่งรายการนี้มาเลย ซึ่งจะถือเป็นรายการว่าง ให้กำหนด "required": true ที่ฟิลด์นี้',
  ],
  ['has no effect without headerRows.', 'ไม่มีผลถ้าไม่มี headerRows'],
  ['has no effect on a value of type {types}.', 'ไม่มีผลกับค่าชนิด {types}'],
  ['has no effect on a {type} field.', 'ไม่มีผลกับฟิลด์ชนิด {type}'],
  ['A {span} covers this cell; its content is not drawn.', '{span} ทับช่องนี้ เนื้อหาของช่องจะไม่แสดง'],
  [
    'The widths need {needed} points with gaps and borders, the page has {room} between its margins; take {over} away.',
    'ความกว้างรวมระยะห่างและเส้นขอบต้องใช้ {needed} พอยต์ แต่หน้าระหว่างขอบมี {room} ให้ลดลง {over}',
  ],
  [
    '"format" prints fields, cells and sums; this text binds none of them.',
    '"format" ใช้กับฟิลด์ ช่องตาราง และผลรวม แต่ข้อความนี้ไม่มีสิ่งเหล่านั้น',
  ],
  [
    'A tagged document has a title: give document.info.title.',
    'เอกสารแบบ tagged ต้องมีชื่อเรื่อง ให้ใส่ document.info.title',
  ],
  [
    'This tagged document may be longer than a page and has no heading, so that a screen reader has nothing to jump to: give its titles "role": "h1" to "h6".',
    'เอกสารแบบ tagged นี้อาจยาวเกินหนึ่งหน้าแต่ไม่มีหัวเรื่อง โปรแกรมอ่านหน้าจอจึงข้ามไปที่ใดไม่ได้ ให้ใส่ "role": "h1" ถึง "h6" ที่หัวเรื่อง',
  ],
  [
    '"rowHeader" is the role of a cell of a table that is read as a table.',
    '"rowHeader" ใช้กับช่องของตารางที่อ่านเป็นตารางเท่านั้น',
  ],
  [
    'In a tagged document "alt" says what it shows; "" for mere decoration.',
    'ในเอกสารแบบ tagged ให้ใส่ "alt" บอกว่าเป็นภาพอะไร หรือ "" ถ้าเป็นเพียงสิ่งตกแต่ง',
  ],
  [
    'This table has no header cells: give headerRows, headerColumns or cells with "role": "rowHeader", or "role": "layout" where it only arranges things.',
    'ตารางนี้ไม่มีช่องหัวตาราง ให้ใส่ headerRows, headerColumns หรือช่องที่มี "role": "rowHeader" หรือ "role": "layout" ถ้าใช้จัดวางเท่านั้น',
  ],
  [
    '{count} more findings are not listed; mend the ones above first.',
    'ยังมีอีก {count} รายการที่ไม่ได้แสดง ให้แก้รายการข้างบนก่อน',
  ],
  ['{name} must be {kind}, not {value}.', '{name} ต้องเป็น{kind} ไม่ใช่ {value}'],
  ['must be {kind}, not {value}.', 'ต้องเป็น{kind} ไม่ใช่ {value}'],
  ['is missing; it must be an object.', 'ไม่มีค่า ต้องเป็นออบเจ็กต์'],
];

/** What a value must be, in Thai. A finding about a kind that is not here is shown in English. */
export const KINDS_TH: Readonly<Record<string, string>> = {
  'a string': 'ข้อความ',
  'a string that is not empty': 'ข้อความที่ไม่ว่าง',
  'true or false': ' true หรือ false',
  'a number': 'ตัวเลข',
  'a number of points, 0 or more': 'จำนวนพอยต์ตั้งแต่ 0 ขึ้นไป',
  'a number greater than 0': 'ตัวเลขที่มากกว่า 0',
  'a number from 0 to 1': 'ตัวเลขตั้งแต่ 0 ถึง 1',
  'a whole number': 'จำนวนเต็ม',
  'a whole number, 0 or more': 'จำนวนเต็มตั้งแต่ 0 ขึ้นไป',
  'a whole number, 1 or more': 'จำนวนเต็มตั้งแต่ 1 ขึ้นไป',
  'an array': 'รายการ (array)',
  'an object': 'ออบเจ็กต์',
};
