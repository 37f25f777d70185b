import { deflateSync } from 'node:zlib';

/**
 * PDFs made to hurt the programs that read them: loops, deep trees, streams that inflate to
 * gigabytes, wrong lengths, broken cross-reference tables, and worst cases of parsers. Each family
 * has ten files, numbered from 0, which differ in size or in the place of the fault.
 */
type Family = (step: number) => Buffer;

interface Parts {
  /** Bodies of objects 1, 2, …; null: the object does not exist. */
  readonly objects: readonly (string | Buffer | null)[];
  readonly trailer?: string;
  readonly tail?: string;
}

const HEAD = '%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n';
const CATALOG = '<</Type/Catalog/Pages 2 0 R>>';
const TREE = '<</Type/Pages/Count 1/Kids[3 0 R]>>';
const PAGE = '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R>>';

/** A file with a correct cross-reference table. */
function file({ objects, trailer = '/Root 1 0 R', tail = '' }: Parts): Buffer {
  const pieces: Buffer[] = [Buffer.from(HEAD, 'latin1')];
  let length = pieces[0]?.length ?? 0;
  const offsets: number[] = [];
  for (const [index, body] of objects.entries()) {
    offsets.push(length);
    if (body === null) continue;
    const whole = Buffer.concat([
      Buffer.from(`${index + 1} 0 obj\n`),
      typeof body === 'string' ? Buffer.from(body, 'latin1') : body,
      Buffer.from('\nendobj\n'),
    ]);
    pieces.push(whole);
    length += whole.length;
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  pieces.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<</Size ${size}${trailer}>>\n` +
        `startxref\n${length}\n%%EOF\n${tail}`,
      'latin1',
    ),
  );
  return Buffer.concat(pieces);
}

function stream(entries: string, data: Buffer, length: number | string = data.length): Buffer {
  return Buffer.concat([
    Buffer.from(`<<${entries}/Length ${length}>>stream\n`),
    data,
    Buffer.from('\nendstream'),
  ]);
}

const flate = (data: Buffer): Buffer => deflateSync(data, { level: 9 });
/** A stream that inflates to this many megabytes of blanks. */
const bomb = (megabytes: number): Buffer => flate(Buffer.alloc(megabytes << 20, 0x20));
const page = (content: Buffer | string, more = ''): Buffer =>
  file({ objects: [CATALOG, TREE, PAGE.replace('>>', `${more}>>`), content] });
const plain = (text: string): Buffer => stream('', Buffer.from(text, 'latin1'));

const form = (name: string): Buffer =>
  stream(
    `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</A ${name}>>>>`,
    Buffer.from('/A Do'),
  );

const loops: Family = (step) => {
  const kids = ['2 0 R', '3 0 R 2 0 R', '1 0 R', '5 0 R', '4 0 R'][step % 5] ?? '';
  const tree = `<</Type/Pages/Count 1/Kids[${kids}]>>`;
  const back = '<</Type/Pages/Parent 2 0 R/Kids[2 0 R]>>';
  if (step < 5) return file({ objects: [CATALOG, tree, PAGE, back, back] });
  const more = '/Resources<</XObject<</A 5 0 R>>>>';
  const second = step % 2 === 0 ? '5 0 R' : '6 0 R';
  const objects = [
    CATALOG,
    TREE,
    PAGE.replace('>>', `${more}>>`),
    plain('/A Do'),
    form(second),
    form('5 0 R'),
  ];
  return file({ objects });
};

const deep: Family = (step) => {
  const depth = 10 ** (2 + (step % 4)) * (step < 5 ? 1 : 3);
  switch (step % 5) {
    case 0:
      return page(plain(''), `/Resources<</ExtGState ${'['.repeat(depth)}${']'.repeat(depth)}>>`);
    case 1:
      return page(plain(''), `/Resources ${'<</A'.repeat(depth)} 1${'>>'.repeat(depth)}`);
    case 2: {
      const count = Math.min(depth, 15_000);
      const chain = Array.from(
        { length: count },
        (_, at) => `<</Type/Pages/Count 1/Kids[${at + 6} 0 R]>>`,
      );
      return file({
        objects: [CATALOG, '<</Type/Pages/Count 1/Kids[5 0 R]>>', PAGE, plain(''), ...chain, PAGE],
      });
    }
    case 3: {
      const count = Math.min(depth, 15_000);
      const chain = Array.from({ length: count }, (_, at) => `<</A ${at + 6} 0 R>>`);
      return file({
        objects: [
          CATALOG,
          TREE,
          PAGE.replace('>>', '/Resources<</Font 5 0 R>>>>'),
          plain(''),
          ...chain,
          '1',
        ],
      });
    }
    default:
      return page(plain(''), `/Note ${'('.repeat(depth)}${step < 5 ? ')'.repeat(depth) : ''}`);
  }
};

const bombs: Family = (step) => {
  const size = 40 + step * 10;
  switch (step % 5) {
    case 0:
      return page(stream('/Filter/FlateDecode', bomb(size)));
    case 1:
      return page(stream('/Filter[/FlateDecode/FlateDecode]', flate(bomb(size * 4))));
    case 2: {
      const packed = stream('/Filter/FlateDecode', bomb(12));
      return file({
        objects: [
          CATALOG,
          TREE,
          PAGE.replace('4 0 R', `[${'4 0 R '.repeat(20 + step * 100)}]`),
          packed,
        ],
      });
    }
    case 3: {
      const image = stream(
        '/Type/XObject/Subtype/Image/Width 9000/Height 9000/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/FlateDecode',
        bomb(size),
      );
      const objects = [
        CATALOG,
        TREE,
        PAGE.replace('>>', '/Resources<</XObject<</A 5 0 R>>>>>>'),
        plain('/A Do'),
        image,
      ];
      return file({ objects });
    }
    default:
      return page(stream('/Filter[/ASCII85Decode/FlateDecode]', Buffer.alloc(2 << 20, 'z')));
  }
};

const objectStreams: Family = (step) => {
  const data = [
    bomb(60 + step),
    flate(
      Buffer.from(
        `${Array.from({ length: 5_000 }, (_, at) => `${at + 10} 0`).join(' ')} ${'['.repeat(2_000)}`,
      ),
    ),
    flate(Buffer.from('1 0 <</Type/Catalog/Pages 2 0 R>>')),
  ][step % 3];
  const count = [5, 5_000, 1_000_000_000][step % 3] ?? 1;
  const entries = `/Type/ObjStm/N ${count}/First ${step * 7}/Filter/FlateDecode`;
  const twice = step > 6 ? flate(data ?? Buffer.alloc(0)) : (data ?? Buffer.alloc(0));
  const filtered =
    step > 6 ? entries.replace('/FlateDecode', '[/FlateDecode/FlateDecode]') : entries;
  // Escaped spellings of one name.
  const named = step % 2 === 0 ? filtered : filtered.replace('ObjStm', 'Obj#53tm');
  return file({ objects: [CATALOG, TREE, PAGE, plain(''), stream(named, twice)] });
};

const lengths: Family = (step) => {
  const data = Buffer.from('1 0 0 rg 0 0 99 99 re f');
  const length = [0, -1, 1, 1e9, 2 ** 31, 2 ** 53, '5 0 R', '1e400', '(x)', '4 0 R'][step] ?? 0;
  return page(stream('', data, length));
};

const tables: Family = (step) => {
  const whole = page(plain('0 0 9 9 re f')).toString('latin1');
  const at = whole.indexOf('xref');
  const table = whole.slice(at);
  const changed = [
    table.replace('/Root', `/Prev ${at}/Root`),
    table.replace(/\d{10} 00000 n/g, '9999999999 00000 n'),
    table.replace(/startxref\n\d+/, 'startxref\n99999999999'),
    table.replace(/startxref\n\d+/, 'startxref\n-1'),
    table.replace('xref\n0 5', 'xref\n0 4294967295'),
    table.replace('/Root 1 0 R', ''),
    table.replace('/Root 1 0 R', '/Root 3 0 R'),
    '',
    `${table}${table.replace('/Root', `/Prev ${at}/Root`).repeat(500)}`,
    `xref\n${'0 1\n0000000000 65535 f \n'.repeat(100_000)}`,
  ][step];
  return Buffer.from(whole.slice(0, at) + (changed ?? ''), 'latin1');
};

const crossReferenceStreams: Family = (step) => {
  const size = 10 ** (2 + step);
  const entries = `/Type/XRef/Size ${size}/W[${step % 3} 4 2]/Index[0 ${size}]/Root 1 0 R/Prev 9`;
  const data = step % 2 === 0 ? bomb(20 + step * 5) : flate(Buffer.alloc(100));
  const columns = step > 5 ? `/DecodeParms<</Predictor 12/Columns ${size}>>` : '';
  return file({
    objects: [
      CATALOG,
      TREE,
      PAGE,
      plain(''),
      stream(`${entries}/Filter/FlateDecode${columns}`, data),
    ],
    trailer: step % 2 === 0 ? '/Root 1 0 R' : '',
  });
};

/** Input for which a parser that retries at each position takes quadratic time. */
const slow: Family = (step) => {
  const bytes = (step < 5 ? 1 : 5) << 20;
  const filler =
    [
      '1 0 obj ',
      '7',
      '1 0 obj<</Length 99>>stream\n',
      '1 0 obj (',
      'xref ',
      '<<',
      '% ',
      '1 0 obj[',
      'trailer<<',
      '0 0 ',
    ][step] ?? ' ';
  const text = filler.repeat(Math.floor(bytes / filler.length));
  const end = page(plain('0 0 9 9 re f'));
  return Buffer.concat([Buffer.from(HEAD, 'latin1'), Buffer.from(text), end]);
};

/** Scripts, forms, files and pictures that claim to be larger than they may. */
const active: Family = (step) => {
  const postScript = stream('/Type/XObject/Subtype/PS', Buffer.from('{ 1 { } loop }'));
  const huge = stream(
    `/Type/XObject/Subtype/Image/Width ${10 ** (4 + (step % 3))}/Height 99999/ColorSpace/DeviceRGB/BitsPerComponent 8`,
    Buffer.from('x'),
  );
  const outer = stream(
    '/Type/XObject/Subtype/Image/Width 1/Height 1/F(/etc/passwd)/FFilter/None',
    Buffer.from(''),
  );
  const drawn = [postScript, huge, outer][step % 3] ?? huge;
  const resources = '/Resources<</XObject<</A 5 0 R>>>>';
  const more = `${resources}/AA<</O<</S/JavaScript/JS(app.alert(1))>>>>/UserUnit ${step === 9 ? '1e9' : '1'}`;
  const encrypted = step === 8 ? '/Root 1 0 R/Encrypt<</Filter/Standard/V 5/R 6>>' : '/Root 1 0 R';
  const catalog = CATALOG.replace('>>', '/OpenAction<</S/Launch/F(cmd.exe)>>>>');
  const objects = [catalog, TREE, PAGE.replace('>>', `${more}>>`), plain('/A Do'), drawn];
  return file({ objects, trailer: encrypted });
};

/** A valid file, cut off or with bytes changed, in the same way each time. */
const damaged: Family = (step) => {
  const whole = page(
    stream('/Filter/FlateDecode', flate(Buffer.from('0 0 9 9 re f\n'.repeat(200)))),
  );
  if (step < 3) return whole.subarray(0, Math.floor((whole.length * (step + 1)) / 4));
  if (step === 3) return Buffer.alloc(0);
  if (step === 4) return Buffer.alloc(1 << 20, 0xff);
  const changed = Buffer.from(whole);
  let seed = step * 7_919;
  for (let count = 0; count < step * 5; count++) {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    changed[seed % changed.length] = (seed >> 8) & 0xff;
  }
  return changed;
};

const FAMILIES: Readonly<Record<string, Family>> = {
  loops,
  deep,
  bombs,
  objectStreams,
  lengths,
  tables,
  crossReferenceStreams,
  slow,
  active,
  damaged,
};

/** One hundred files by name, each made when it is asked for. */
export function* hostilePdfs(): Generator<readonly [name: string, pdf: Buffer]> {
  for (const [name, make] of Object.entries(FAMILIES)) {
    for (let step = 0; step < 10; step++) yield [`${name} ${step}`, make(step)];
  }
}
