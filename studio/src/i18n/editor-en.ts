import { SLIP_WORDS } from '../../../src/runtime/json-slips/words.ts';

/** Texts of the editor in English; editor-th.ts has the same keys. */
export const editorEn = {
  ...SLIP_WORDS,
  'editor.no_findings_yet': 'No faults so far; the samples are checked in a moment.',
  'editor.samples_not_checked': 'No faults so far; the samples could not be checked.',
  'editor.tools': 'Tools for the text',
  'guide.back': 'Back to the text',
  'guide.close': 'Close the guide',
  'guide.contract': 'Fields and data',
  'guide.hint': 'F1 in the text opens the guide at the key under the cursor',
  'guide.in_english': 'The text of the guide is in English. Search it with English words.',
  'guide.more': 'More in the guide',
  'guide.no_results': 'Nothing in the guide has these words.',
  'guide.not_loaded': 'The guide could not be loaded.',
  'guide.parts': 'Parts of the guide',
  'guide.results': 'Found: {count}',
  'guide.search': 'Search the guide',
  'guide.template-keys': 'All keys',
  'guide.templates': 'Writing templates',
  'guide.title': 'Guide',
  'line.above': 'Line above',
  'line.above_hint':
    'Inserts a line, or a row of a table, above the one with the cursor (Ctrl+Shift+Enter)',
  'line.below': 'Line below',
  'line.below_hint':
    'Inserts a line, or a row of a table, below the one with the cursor (Ctrl+Enter)',
  'line.none':
    'Put the cursor into a line of the document’s content, or into a row of a table, first.',
  'line.not_json':
    'Correct the text first: a line is inserted into a template without faults of JSON.',
  'panes.divide': 'Width of {first} and {second}',
  'panes.guide': 'Guide',
  'panes.hint': 'Drag to change the width; a double click makes it even',
  'panes.page': 'Page',
  'panes.text': 'Text',
  'panes.title': 'Panes',
  'picture.add': 'Add a picture',
  'picture.add_hint': 'Also by dropping a file on the text, or by pasting it',
  'picture.added':
    'Picture “{name}” is in the template ({width} × {height} pixels, {size}). Print it with "image": "{name}".',
  'picture.coarse':
    'Its width of {printed} pt needs {needed} pixels in print. This picture has {width} and will look coarse.',
  'picture.enlarged':
    'Picture “{name}” has {width} pixels for a width of {printed} pt: {dpi} dots for each inch, which looks coarse in print. Choose its original file again by “Replace”, or print it smaller.',
  'picture.gone': 'That picture is not in the text any more.',
  'picture.kept': 'It was not scaled: print needs half its pixels or more.',
  'picture.not_json':
    'Correct the text first: a picture is added to a template without faults of JSON.',
  'picture.pixels': 'The picture has more pixels than a browser can draw at once.',
  'picture.replace': 'Replace {name}… ({size})',
  'picture.replaced': 'Picture “{name}” is replaced ({width} × {height} pixels, {size}).',
  'picture.scaled': 'It was scaled down from {width} × {height} pixels to what print needs.',
  'picture.spare':
    'It was scaled down from {width} × {height} pixels to what print needs, with some to spare for a larger width.',
  'slip.fix': 'Fix it',
  'slip.go': 'Go to line {line}',
  'slip.line': 'Line {line}:',
  'search.pictures': 'Nothing found. Pictures here: {names}',
  'search.replaced': '{count} replaced',
} as const satisfies Record<string, string>;
