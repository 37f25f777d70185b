/** Texts of the page of users in English; texts-th.ts has the same keys. */
export const usersEn = {
  'sign_in.elsewhere':
    'You signed out in another tab. That removed the text of drafts that this browser kept; what was saved stays in the service.',
  'sign_in.everywhere':
    'All your sessions have ended, on every device. This browser keeps the text of drafts.',
  'users.active': 'active',
  'users.ask_deactivate': 'Deactivate {name}?',
  'users.ask_reactivate': 'Reactivate {name}?',
  'users.ask_sign-out': 'End all sessions of {name}?',
  'users.change': 'Change the role',
  'users.create': 'Add the user',
  'users.deactivate': 'Deactivate',
  'users.done_deactivate': '{name} cannot sign in any more.',
  'users.done_reactivate': '{name} may sign in again.',
  'users.done_sign-out': 'All sessions of {name} have ended.',
  'users.email': 'Email (optional)',
  'users.email_wrong': 'Write it as in somchai@bank.example, or leave it out.',
  'users.empty': 'No users',
  'users.exists': 'This user exists already.',
  'users.id': 'Identifier',
  'users.id_blank': 'The identifier has no blanks. A name with blanks belongs into the name.',
  'users.id_hint':
    'Exactly as the identity provider names the user. It never changes, and is unique among all teams.',
  'users.id_hint_local':
    'Such as somchai or somchai@bank.example. It never changes, and is unique among all teams.',
  'users.inactive': 'not active',
  'users.intro':
    'The next identity sync replaces roles and states set here, and a sign-in at the provider replaces the role. Remove leavers there, too.',
  'users.intro_local': 'Roles and states count from the next request on. Deactivate who leaves.',
  'users.last_sign_in': 'Last sign-in',
  'users.link': 'Sign-in link',
  'users.link_text':
    'No identity provider is set up. Ask the operator to run this command: it prints a link that signs this user in once and soon expires.',
  'users.link_title': 'Sign-in link of {name}',
  'users.link_where':
    'Run by the operator where the service runs, with its settings: above all INTAGLIO_DATABASE_URL and INTAGLIO_BASE_URL.',
  'users.made': '{name} is added',
  'users.made_link': 'No identity provider is set up. An operator makes a link to sign in:',
  'users.made_next': 'The user signs in at the identity provider.',
  'users.may_Admin':
    'All of an Editor. Publishes and rolls back, approves, archives; manages users and API keys; reads the audit.',
  'users.may_Editor': 'All of a Viewer. Edits drafts, makes documents and runs.',
  'users.may_Viewer':
    'Sees templates, documents and runs, and verifies documents. Changes nothing.',
  'users.name': 'Name',
  'users.never': 'never',
  'users.new': 'Add a user',
  'users.of_team': 'Team {team}.',
  'users.own': 'This is you. Another Admin changes your role or deactivates you.',
  'users.reactivate': 'Reactivate',
  'users.role': 'Role',
  'users.role_hint': 'The role counts from the next request on. Sessions go on.',
  'users.role_set': '{name} has the role {role} now.',
  'users.role_title': 'Role of {name}',
  'users.similar':
    'The team has the user {user}, whose identifier differs only in capitals. Change that user, or choose another identifier.',
  'users.set_role': 'Set the role',
  'users.sign-out': 'End all sessions',
  'users.stale': 'Another Admin has changed this role meanwhile. Reload the page and look again.',
  'users.text_deactivate':
    'All sessions and sign-in links end at once, and the user cannot sign in until reactivated. Drafts and documents stay. API keys of the team go on: revoke the ones that this person knows.',
  'users.text_own_sign-out': 'You are signed out everywhere, here too. You may sign in again.',
  'users.text_reactivate':
    'The user may sign in again with the role shown. Former sessions stay ended.',
  'users.text_sign-out':
    'For a lost device or a stolen session. All sessions and sign-in links end at once; the user may sign in again.',
  'users.title': 'Users',
  'users.user': 'User',
  'users.name_inactive': '{who} (not active)',
  'users.work_drafts':
    'Drafts that this person changed: {templates}. Every Editor of the team can go on with them.',
  'users.work_more': 'The team has more drafts, requests or runs than were looked at here.',
  'users.work_requests':
    'Open requests for approval of this person: {templates}. They stay open until an Admin decides or withdraws them.',
  'users.work_runs':
    'Runs that this person made and that are not done. Those under way go on; every Editor of the team can start, correct or cancel the others:',
} as const;
