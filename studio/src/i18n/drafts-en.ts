/** Texts of new templates and of their drafts in English; drafts-th.ts has the same keys. */
export const draftsEn = {
  'conflict.after_you': 'Somebody else saved this draft after you',
  'conflict.differences': 'What differs',
  'conflict.differences_hint':
    'Lines with − are only in the text that is saved, lines with + only in the text of this window.',
  'conflict.differences_kept':
    'Lines with − are only in the text that is saved, lines with + only in the text that this browser keeps.',
  'conflict.discarded':
    'The template is as in its published version. Your text is kept in this browser.',
  'conflict.discarded_title': 'This draft was discarded meanwhile',
  'conflict.keep_new': 'Save my text as a new draft',
  'conflict.more_differences': 'Further places: {count}.',
  'conflict.no_differences': 'Both texts are the same.',
  'conflict.only_kept': 'Only in the text that this browser keeps:',
  'conflict.only_mine': 'Only in this window:',
  'conflict.only_theirs': 'Only in the saved text:',
  'conflict.own_keep': 'Keep this text, overwrite the other',
  'conflict.own_kept':
    '{who} saved this draft {when}. The text that you saved before is kept in this browser; it is not the one shown here.',
  'conflict.own_kept_discarded':
    'The text that you saved before is kept in this browser. It is not the one shown here.',
  'conflict.own_take': 'Take the other, discard this text',
  'conflict.own_text': 'You saved it there {when}. The text of this window was not saved over it.',
  'conflict.own_title': 'You changed this draft in another window',
  'conflict.published_title': 'This draft was published meanwhile',
  'conflict.removed':
    'The template was never published, so nothing of it is left. Your text is kept in this browser.',
  'conflict.show': 'Show what differs',
  'conflict.take_nothing': 'Discard my text, too',
  'conflict.take_version': 'Take the published version, discard mine',
  'conflict.withdrawn':
    'No version of the template is in use: all were withdrawn. Your text is kept in this browser.',
  'editor.untyped': 'Nothing is saved yet: the draft begins with your first change.',
  'preview.not_checked': 'Not checked: the text is not JSON yet',
  'preview.stale_conflict': 'Page of {time}: choose one of the two texts first',
  'preview.stale': 'Page of {time}, before the fault',
  'preview.untyped': 'The preview appears with your first change.',
  'save.untyped': 'No draft yet',
  'template.as_version': 'as version {version}',
  'template.replaced':
    'This browser keeps a text of this draft that somebody else replaced or discarded. Open the draft to see what differs and to choose.',
  'template.unsaved':
    'This browser keeps text of the draft that is not saved. Open the draft to see it and to save it.',
  'templates.taken': 'This identifier is taken: {name}',
  'templates.taken_hint': 'Choose another identifier, or open the template that has it.',
  'templates.taken_open': 'Open {name}',
} as const satisfies Record<string, string>;
