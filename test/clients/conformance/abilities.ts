/** What a client can do, in the words of its README, with the cases that hold it. */
interface Ability {
  readonly what: string;
  readonly how: string;
  readonly cases: readonly string[];
}

/** The same for every client. */
export const ABILITIES: readonly Ability[] = [
  {
    what: 'proxies',
    how: 'with a name and a password; hosts that are reached without the proxy',
    cases: ['proxy-with-password', 'proxy-passed-by'],
  },
  {
    what: 'certificates',
    how: 'one of the client (mutual TLS), an authority of your own',
    cases: ['certificate-of-the-client', 'no-certificate-of-the-client'],
  },
  {
    what: 'time limits',
    how: 'of the silence in a try, of all repetitions, and of the whole call',
    cases: [
      'is-silent',
      'falls-silent-in-the-middle',
      'time-limit',
      'handshake-beyond-its-time',
      'head-beyond-its-time',
      'body-beyond-its-time',
      'refusal-beyond-its-time',
    ],
  },
  {
    what: 'cancellation',
    how: 'of requests under way, of bodies and of waits, with an error of its own',
    cases: [
      'cancelled-under-way',
      'cancelled-in-a-body',
      'cancelled-while-it-waits',
      'handshake-cancelled',
      'head-cancelled',
    ],
  },
  {
    what: 'rate limit',
    how: 'calls are counted, and wait for the next window before the service refuses them',
    cases: ['limit-is-counted', 'a-spent-limit-is-waited-for', 'ten-calls-through-windows-of-two'],
  },
  {
    what: 'repetitions',
    how: 'of what a repetition may change, with back-off and `Retry-After`; nothing is stored twice',
    cases: ['busy-then-made', 'no-answer-keeps-its-key', 'tries-are-bounded'],
  },
  {
    what: 'long waits',
    how: 'that the service asks for end a call at once if it may not take as long',
    cases: [
      'wait-is-too-long',
      'retry-after-far-billion-generate-429',
      'retry-after-far-date-document-503',
    ],
  },
  {
    what: 'no waits',
    how: 'such as `Retry-After: 0` give way to the back-off, and have an end',
    cases: ['retry-after-zero-bounded-by-tries', 'retry-after-zero-bounded-by-time'],
  },
  {
    what: 'digests',
    how: 'of the caller, or else of the answer, are compared; a file without any is refused on demand',
    cases: ['digest-given-another-file-1', 'other-file-strong-tag', 'digest-no-tag-demanded'],
  },
  {
    what: 'weak ETags',
    how: 'are compared with the digest as strong ones are, and so are those of compressing proxies',
    cases: ['weak-tag', 'other-file-weak-tag', 'digest-zipped-tag-of-another-file'],
  },
  {
    what: 'pages of proxies',
    how: 'HTML with status 200 is taken for no document, no record and no manifest',
    cases: [
      'document-a-page',
      'record-a-page',
      'line-of-a-page',
      'manifest-of-a-proxy',
      'list-of-a-proxy',
      'manifest-with-a-page-in-the-middle',
      'manifest-that-is-a-page',
    ],
  },
  {
    what: 'endless bodies',
    how: 'documents, records, lines and refusals are read up to a bound',
    cases: ['endless-document', 'record-endless', 'endless-line', 'endless-refusal'],
  },
  {
    what: 'redirects',
    how: 'are named and not followed: they would hand the key on',
    cases: ['redirect-301', 'redirect-302', 'redirect-303', 'redirect-307', 'redirect-308'],
  },
  {
    what: 'files',
    how: 'are checked, readable by their owner alone, and there only when they are whole',
    cases: [
      'dies-in-the-middle',
      'document-a-long-half',
      'other-file-strong-tag',
      'no-folder',
      'manifest-cut-within-a-line',
      'unended-manifestToFile-reset',
    ],
  },
  {
    what: 'errors',
    how: 'are of its own types alone, with code and every defective field, without keys',
    cases: ['every-defective-field', 'page-of-a-proxy', 'dies-always'],
  },
  {
    what: 'echoes',
    how: 'of the key in an answer are blotted out, and texts of others are bounded',
    cases: [
      'echo-of-the-key',
      'echo-of-the-key-in-capitals',
      'echo-of-the-key-in-fields',
      'endless-words',
    ],
  },
  {
    what: 'mistakes',
    how: 'of the program are named by their place before anything is sent',
    cases: ['mistake-lone-surrogate', 'mistake-no-name-of-document', 'mistake-null-key'],
  },
  {
    what: 'runs: upload',
    how: 'of a file in parts; another call goes on after an interruption, with the same file alone',
    cases: ['upload-goes-on', 'upload-of-a-changed-file', 'upload-beside-other-rows'],
  },
  {
    what: 'runs: watch',
    how: 'to the end, through connections that break',
    cases: ['watch-goes-on'],
  },
  {
    what: 'runs: report',
    how: 'faulty rows with their fields page by page; the manifest as rows or to a file',
    cases: ['exceptions-page-by-page', 'rows', 'manifest-to-file'],
  },
];

/** The table as it stands in each README. */
export function abilityTable(): string {
  const whats = ['', ...ABILITIES.map(({ what }) => what)];
  const hows = ['what the client does', ...ABILITIES.map(({ how }) => how)];
  const row = (what: string, how: string): string =>
    `| ${what.padEnd(widthOf(whats))} | ${how.padEnd(widthOf(hows))} |`;
  const line = row('-'.repeat(widthOf(whats)), '-'.repeat(widthOf(hows)));
  const [head = '', ...rows] = whats.map((what, index) => row(what, hows[index] ?? ''));
  return [head, line, ...rows].join('\n');
}

function widthOf(cells: readonly string[]): number {
  return Math.max(...cells.map(({ length }) => length));
}
