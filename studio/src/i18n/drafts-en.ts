/** Texts of new templates and of their drafts in English; drafts-th.ts has the same keys. */
export const draftsEn = {
  'preview.stale': 'Page of {time}, before the fault',
  'templates.taken': 'This identifier is taken: {name}',
  'templates.taken_hint': 'Choose another identifier, or open the template that has it.',
  'templates.taken_open': 'Open {name}',
} as const satisfies Record<string, string>;
