/** Texts of what can be done with templates and versions in English; texts-th.ts has the same keys. */
export const actionsEn = {
  'actions.archive': 'Archive',
  'actions.archive_text':
    'The template leaves the lists and makes no new documents. Its versions and its documents stay, and can be verified. It can be taken out of the archive.',
  'actions.archived': 'The template is archived.',
  'actions.copy_of': 'Copy of {name}',
  'actions.discard': 'Discard the draft',
  'actions.discard_all':
    'This template was never published: it disappears from the list with its text and its samples.',
  'actions.discard_hint':
    'This cannot be undone. Duplicate the template first if the text may be wanted again.',
  'actions.discard_last': '{who} saved the draft last, {when}.',
  'actions.discard_others': 'Changes of these people are in it: {names}.',
  'actions.discard_request': 'The request for its approval ends with it.',
  'actions.discard_short': 'Discard',
  'actions.discard_text':
    'All changes since version {version} are lost, for everybody. The template is as in version {version} again.',
  'actions.discard_withdrawn':
    'All changes of the draft are lost, for everybody. The versions, which are withdrawn, stay.',
  'actions.discarded': 'The draft is discarded.',
  'actions.discarded_all': 'The draft is discarded, and with it the template.',
  'actions.duplicate': 'Duplicate',
  'actions.duplicated': '{name} is saved as a draft.',
  'actions.from_draft': 'The copy begins with the text of the draft.',
  'actions.from_version': 'The copy begins with the text of the current version.',
  'actions.not_text': 'The text of the template has an identifier or a name that is no text.',
  'actions.draft_name': 'Name in the draft',
  'actions.id_blank': 'An identifier has no blanks. Put a hyphen there.',
  'actions.id_character':
    '“{character}” cannot stand in an identifier: it has letters from A to Z, digits, dots, hyphens and underscores only.',
  'actions.id_end': 'An identifier begins and ends with a letter or a digit.',
  'actions.id_long': 'An identifier has at most 64 characters, and this one has {count}.',
  'actions.rename': 'Rename',
  'actions.rename_text':
    'The name is part of the template: it is saved in the draft, and published with it. The identifier {id} stays.',
  'actions.renamed': 'The draft has the name {name}.',
  'actions.unarchive': 'Take out of the archive',
  'actions.unarchive_text': 'The template is in the lists again and makes documents as before.',
  'actions.unarchived': 'The template is in use again.',
  'preview.download': 'Download this page as PDF',
  'template.archived': 'archived',
  'template.archived_draft':
    'The draft is still saved, but it can be published only after an Admin has taken the template out of the archive.',
  'template.archived_since': 'Archived since {when}: it makes no new documents.',
  'templates.archive_shown': 'Archived templates',
  'templates.in_use': 'Templates in use',
  'templates.shown': 'Show',
  'template.computed': 'computed, not to be sent',
  'version.alone': 'nothing',
  'version.compare': 'Compare with',
  'version.compare_before': 'Compare with version {version}',
  'version.download_file': 'Download the template',
  'version.download_pdf': 'Download PDF',
  'version.intro': 'Published {when} by {who}',
  'version.look': 'Look at version {version}',
  'version.title': '{name}, version {version}',
  'version.archived':
    'The template is archived: no page is made of it, and only its text can be downloaded. An Admin can take it out of the archive.',
  'version.no_pages': 'No pages of this version',
  'version.withdrawn':
    'This version is withdrawn: no page is made of it, and only its text can be downloaded.',
  'version.characters': 'characters: {count}',
  'version.parts': 'Parts that differ',
  'version.parts_hint': 'Lines with − are only in {before}, those with + only in {after}.',
  'version.parts_same': 'The two templates and their samples are the same.',
  'version.parts_unreadable':
    'One of the two is not JSON, or nests deeper than a template may, so their parts cannot be compared.',
  'version.sample_alone':
    '{version} has no sample of this name: its page is drawn with the data of {own}.',
} as const satisfies Record<string, string>;
