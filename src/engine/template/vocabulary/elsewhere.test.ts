import t from 'tap';
import { findingsOf } from '../fixtures.ts';

/** The messages about one node, in a template with these fields. */
async function told(node: unknown, fields: readonly object[]): Promise<readonly string[]> {
  const findings = await findingsOf({ content: [node] }, { fields });
  return findings.map(({ message }) => message);
}

const NET = { name: 'net', type: 'number', required: true };
const NODE = { text: '{{net}}' };

t.test('a key that stands elsewhere has its place named', async (t) => {
  const choices = 'write "choices": ["A", "B"]';
  for (const key of ['choices', 'enum', 'options']) {
    t.strictSame(await told(NODE, [{ ...NET, validation: { [key]: ['1', '2'] } }]), [
      `"${key}" is not a key here: ${choices} in the field, beside "validation".`,
    ]);
  }
  t.strictSame(await told(NODE, [{ ...NET, options: ['1', '2'] }]), [
    `"options" is not a key here: ${choices}.`,
  ]);
  t.strictSame(await told(NODE, [{ ...NET, max: 5 }]), [
    '"max" is not a key here: write it in "validation".',
  ]);
  t.strictSame(await told(NODE, [{ ...NET, validation: { minimum: 5 } }]), [
    '"minimum" is not a key here: write "min".',
  ]);
  t.strictSame(
    await told(NODE, [{ ...NET, choices: ['1', '2'], validation: { max: 5 } }]),
    [],
    'the hints name what is accepted',
  );
});

t.test('a node with "else" is told of "unless"', async (t) => {
  const hint =
    '"else" is not a key here: write a second node or row with "unless" and the condition of "if".';
  t.strictSame(await told({ if: 'net > 5', ...NODE, else: 'b' }, [NET]), [hint]);
  const body = [['a'], { if: 'net > 5', cells: ['b'], else: ['c'] }];
  t.strictSame(await told({ stack: [NODE, { table: { body } }] }, [NET]), [hint]);
  t.strictSame(
    await told(
      [
        { if: 'net > 5', ...NODE },
        { unless: 'net > 5', text: 'b' },
      ],
      [NET],
    ),
    [],
  );
});

t.test('a key and a placeholder of other programs have the name of here', async (t) => {
  t.strictSame(await told({ ...NODE, align: 'right' }, [NET]), [
    '"align" is not a key here; did you mean "alignment"?',
  ]);
  for (const [typed, pages] of [
    ['pagecount', 'pages'],
    ['totalPages', 'pages'],
    ['page_number', 'page'],
  ] as const) {
    const account = { name: 'account', type: 'text', required: true };
    const found = await findingsOf(
      { content: ['{{net}} {{account}}'], footer: { text: `{{page}} / {{${typed}}}` } },
      { fields: [NET, account] },
    );
    t.strictSame(
      found.map(({ message }) => message),
      [`There is no field "${typed}"; did you mean "{{${pages}}}"?`],
    );
    const named = { name: typed, type: 'text', required: true };
    t.strictSame(await told(`{{net}} {{${typed}}}`, [NET, named]), [], 'a field may have the name');
  }
});

t.test('a placeholder that is no name says what to write', async (t) => {
  const said: readonly (readonly [typed: string, message: string])[] = [
    ['{{= }}', '"{{=}}" has no expression; write such as "{{= price * 2 }}".'],
    ['{{=}}', '"{{=}}" has no expression; write such as "{{= price * 2 }}".'],
    ['{{ net * 2 }}', '"net * 2" is an expression: write {{= net * 2}}.'],
    ['{{round(net, 2)}}', '"round(net, 2)" is an expression: write {{= round(net, 2)}}.'],
    ['{{== net * 2}}', '"== net * 2" is an expression: write {{= net * 2}}.'],
    [
      '{{#if net}}',
      '"#if net" has no meaning here: give the node or row "if", "unless" or "each".',
    ],
    ['{{else}}', '"else" has no meaning here: give the node or row "if", "unless" or "each".'],
    ['{{= net × 2 }}', 'Expression, column 5: "×" is no part of CEL; "times" is "*".'],
    [
      '{{= net > 5 and net < 7 }}',
      'Expression, column 9: Expected an operator or the end, found "and"; write "&&".',
    ],
    [
      '{{= if(net > 5, 1, 2) }}',
      'Expression, column 1: "if" is a reserved word of CEL and no name of a value; write condition ? value : other.',
    ],
  ];
  for (const [typed, message] of said) {
    t.strictSame(await told({ stack: [NODE, typed] }, [NET]), [message], typed);
  }
  // A name with such signs is a name, and so is one that resembles it.
  const total = { name: 'total (net)', type: 'number', required: true };
  t.strictSame(await told('{{total (net)}}', [total]), []);
  t.strictSame(await told('{{totl (net)}}', [total]), [
    'There is no field "totl (net)"; did you mean "total (net)"?',
  ]);
  t.strictSame(
    await told('{{name-first}}', [NET]).then((all) => all[0]),
    'There is no field "name-first"; declare it in fields.',
  );
});
