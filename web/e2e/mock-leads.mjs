// Inquiries, early access and subscriptions as admins see them, and the answers to links in mails.
const ago = (minutes) => new Date(Date.now() - minutes * 60_000).toISOString();
const ahead = (minutes) => ago(-minutes);
const NAMES = [
  ['Embla', 'Ketilsdóttir'],
  ['Gunnar', 'Þórsson'],
  ['Maximiliane', 'von Hohenstein-Rechberghausen'],
  ['Ada', 'Lovelace'],
  ['Ólöf', 'Jónsdóttir'],
];
const STATUS = ['new', 'in_progress', 'new', 'answered', 'spam'];
const MESSAGE =
  'We run twelve comparison sites in four languages and would like to know which of them is worth more work.\n\nHow soon could you start, and what do you need from us before that?';

const inquiry = (index) => ({
  id: `q${index}`,
  firstName: NAMES[index][0],
  lastName: NAMES[index][1],
  email: `person-with-a-long-address${index}@comparison-sites.example.com`,
  serviceInterest: [null, 'Growth Acceleration', 'Enterprise Solution'][index % 3],
  message: MESSAGE,
  status: STATUS[index],
  assignedTo: index === 1 ? 'a0' : null,
  assignedName: index === 1 ? 'Sigrún Jónsdóttir' : null,
  receivedAt: ago(200 + index * 700),
  answerBy: index < 3 ? ahead(1240 - index * 700) : null,
  answeredAt: index === 3 ? ago(90) : null,
});
const step = (kind, text, minutes) => ({
  kind,
  text,
  by: 'Sigrún Jónsdóttir',
  at: ago(minutes),
  mail: kind === 'answer' ? 'sent' : null,
});
const subscriber = (index, state) => ({
  id: `s${index}`,
  email: state === 'ended' ? null : `reader${index}@example.com`,
  name: index === 1 ? 'Gunnar Þórsson' : null,
  state,
  source: ['home_page', 'website'][index % 2],
  requestedAt: ago(index * 900),
  confirmedAt: state === 'pending' ? null : ago(index * 880),
  endedAt: state === 'ended' ? ago(30) : null,
});
const signup = (index) => ({
  id: `e${index}`,
  email: `tester${index}@example.com`,
  place: index < 9 ? index + 1 : null,
  waitingNumber: index < 9 ? null : index - 8,
  joinedAt: ago(9000 - index * 400),
  invitedAt: index < 2 ? ago(100) : null,
  heldUntil: index === 8 ? ago(-1440) : null,
});

/** The body and status of the answer to "METHOD path", or nothing for paths of other mocks. */
export function leadsAnswer(key, input, nothing) {
  const message = /confirm$/.test(key)
    ? "You've been subscribed to our newsletter."
    : /leave$/.test(key)
      ? "You've left early access, and your address is deleted."
      : "You've been unsubscribed, and your address is deleted.";
  const said = { ok: true, message };
  if (/^POST \/api\/public\/(newsletter\/(confirm|unsubscribe)|early-access\/leave)$/.test(key)) {
    return input.code === 'old'
      ? [
          {
            type: 'about:blank',
            title: 'link_invalid',
            status: 400,
            code: 'link_invalid',
            message: 'This link is no longer valid. Please subscribe again.',
          },
          400,
        ]
      : [said];
  }
  const answers = {
    'GET /api/admin/leads': {
      inquiries: { new: 2, in_progress: 1, answered: 1, spam: 1 },
      subscribers: { confirmed: 2, pending: 1, ended: 1 },
      places: 10,
      placesTaken: 9,
      waiting: 3,
    },
    'GET /api/admin/inquiries': nothing ? [] : NAMES.map((_, index) => inquiry(index)),
    'GET /api/admin/inquiries/q1': {
      ...inquiry(1),
      steps: [
        step('assigned', 'Sigrún Jónsdóttir', 600),
        step('status', 'in_progress', 590),
        step('note', 'Twelve sites: ask which of them are measured here.', 580),
        step('answer', 'Thank you. We can begin on Monday.', 60),
      ],
    },
    'GET /api/admin/subscribers': nothing
      ? []
      : [subscriber(0, 'confirmed'), subscriber(1, 'confirmed'), subscriber(2, 'pending'), subscriber(3, 'ended')],
    'GET /api/admin/early-access': nothing ? [] : Array.from({ length: 12 }, (_, index) => signup(index)),
  };
  return answers[key] && [answers[key]];
}
