/** Texts of requests for approval in English; approvals-th.ts has the same keys. */
export const approvalsEn = {
  'approval.ask': 'Ask for approval',
  'approval.ask_again': 'The request counts no more. Ask again when the draft is ready.',
  'approval.ask_bare': 'Ask without a note',
  'approval.ask_done': 'Your colleagues see the request now.',
  'approval.ask_done_nobody': 'The request is kept. Nobody can decide about it yet.',
  'approval.ask_hint': 'An Admin decides. A change of the draft ends the request.',
  'approval.ask_hint_two':
    'An Admin who did not change the draft decides. A change ends the request.',
  'approval.ask_note': 'Whoever decides reads this beside your request.',
  'approval.asked': '{who} asked for approval {when}',
  'approval.author_asks_again':
    'The request counts no more. The author asks again when the draft is ready.',
  'approval.author_changed': 'The draft was changed since. The author asks again when it is ready.',
  'approval.author_changes':
    'The author changes the draft, or asks again with a note that explains it. There is nothing to publish until then.',
  'approval.change_ends': 'A change of the draft ends this request.',
  'approval.change_or_ask': 'Change the draft, or ask again with a note that explains it.',
  'approval.changed_since': 'The draft was changed since. Ask again when it is ready.',
  'approval.comment': 'What has to be changed?',
  'approval.comment_hint': 'The authors read this. Without personal data.',
  'approval.comment_kept': 'Your comment is kept: “Send back” shows it again.',
  'approval.conflict': 'Somebody decided about this draft before you',
  'approval.changed_elsewhere':
    'Not done: somebody else changed or published this draft meanwhile. This page shows it as it is now.',
  'approval.decided_elsewhere':
    'Not done: somebody else decided about this draft first. This page shows what was decided.',
  'approval.ended': 'Your change ended the request for approval that {who} made {when}',
  'approval.no_personal_data':
    'Kept with the version, for everybody of the team. No personal data.',
  'approval.nobody': 'The team has no active Admin, who would decide.',
  'approval.nobody_admin':
    'Add a colleague as Admin under Users, or give one that role. The operator can also publish the draft by ./intaglio templates publish.',
  'approval.nobody_discard':
    'Discarding the draft does not help: who changed it counts as a contributor until the next version.',
  'approval.nobody_editor':
    'Ask an Admin or the operator for another Admin. The operator can also publish the draft by ./intaglio templates publish.',
  'approval.nobody_title': 'Nobody can decide about this draft now',
  'approval.nobody_two':
    'Publishing takes two people here, and the team has no active Admin who did not change this draft.',
  'approval.note': 'What was changed, and why?',
  'approval.outdated': 'The draft was changed after {who} had asked for approval {when}',
  'approval.overrules':
    'If it is published without a new request, the audit says that {who} had sent it back.',
  'approval.send_back': 'Send back',
  'approval.send_back_done': 'Sent back. The authors see your comment.',
  'approval.sent_back': '{who} sent this draft back {when}',
  'approval.too_long': '{count} {count:character|characters}; at most {max} are kept.',
  'approval.undo_or_ask':
    'Undo the change to let the request go on, or ask again when the draft is ready.',
  'approval.unsent': 'Your comment was not sent',
  'approval.unsent_now': 'The draft now: {state}',
  'approval.unsent_copy': 'Copy the comment',
  'approval.unsent_discard': 'Discard the comment',
  'approval.unsent_other_request':
    'There is a new request since, which you cannot send back: you changed its draft.',
  'approval.unsent_no_request': 'The request for approval is not open any more.',
  'approval.version_note': 'Why is this version published?',
  'approval.waits': 'The request waits for an Admin.',
  'approval.waits_two': 'The request waits for an Admin who did not change the draft.',
  'approval.would_contribute':
    'Publishing takes two people here: if you change this draft, you cannot publish it. Another Admin has to.',
  'approval.withdraw': 'Withdraw the request',
  'approval.withdraw_done': 'The request is withdrawn.',
  'approval.withdrawn': '{who} withdrew the request {when}',
  'approvals.admin_decides':
    'An Admin approves a draft or sends it back. You ask on the page of the draft.',
  'approvals.admin_decides_two':
    'An Admin who did not change the draft approves it or sends it back. You ask on the page of the draft.',
  'approvals.count': '{count} waiting for you',
  'approvals.decide': 'Compare and decide',
  'approvals.empty': 'No requests',
  'approvals.empty_hint': 'A request appears here when an author asks for approval of a draft.',
  'approvals.intro': 'Drafts for which approval was asked, and what was sent back.',
  'approvals.look': 'Compare',
  'approvals.no_turn': 'Nothing waits for you.',
  'approvals.others': 'Of others',
  'approvals.own': 'Your drafts',
  'approvals.own_wait':
    'You changed these drafts. As an Admin you may publish them yourself. Only another Admin can send them back.',
  'approvals.own_wait_two':
    'You changed these drafts, so another Admin has to decide about the open requests.',
  'approvals.title': 'Approvals',
  'approvals.turn': 'Waiting for you',
  'nav.approvals': 'Approvals',
  'template.authors': 'Authors',
  'template.note': 'Why',
  'template.restored':
    'Version {version} is the draft now. Another Admin publishes it, and sees it when you have asked:',
  'template.restored_ask': 'Ask for approval on the page Compare and publish',
  'template.roll_back_note': 'Why is it rolled back?',
} as const satisfies Record<string, string>;
