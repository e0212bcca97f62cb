// Accounts as the mock answers them: settings, invites, domains, and what admins see of people.
const CODES = Array.from({ length: 10 }, (_, index) => `${index}-7KXQ-M2VD-9HTB-4RWC`);
const QR = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 21 21"><path d="M1 1h7v7H1zM13 1h7v7h-7zM1 13h7v7H1zM3 3h3v3H3zM15 3h3v3h-3zM3 15h3v3H3zM10 1h1v5h-1zM10 10h9v1h-9zM13 13h2v2h-2zM17 16h3v1h-3zM10 14h1v6h-1z"/></svg>')}`;
const ago = (minutes) => new Date(Date.now() - minutes * 60_000).toISOString();
const ahead = (days) => new Date(Date.now() + days * 86_400_000).toISOString();
const NAMES = ['Sigrún Jónsdóttir', 'Embla Ketilsdóttir', 'Gunnar Þórsson', ''];

const invite = (id, code, status, currentUses, maxUses, joined) => ({
  id,
  code,
  status,
  currentUses,
  maxUses,
  joined: joined.map((name) => ({ name, joinedAt: ago(9000) })),
  createdAt: ago(20_000),
  expiresAt: ahead(12),
  revokedAt: status === 'revoked' ? ago(100) : null,
});
const owned = (index) => ({
  createdAt: ago(90_000 + index),
  ownerId: `a${index % 3}`,
  ownerName: NAMES[index % 3],
  ownerEmail: `person${index % 3}@example.com`,
});
const domain = (id, name, state, problem) => ({
  id,
  domain: name,
  websiteId: 'w1',
  isVerified: state === 'verified',
  sslEnabled: state === 'verified',
  verificationToken: 'althing-verify=3kq9vmx27hcnt4w8zrb5',
  verificationName: `_affiliate-challenge.${name}`,
  state,
  addedAt: ago(3000),
  verifiedAt: null,
  lastCheckedAt: ago(12),
  expiresAt: state === 'verified' ? null : ahead(6),
  problem,
});
const audit = (seq, action, outcome, details = {}) => ({
  seq,
  at: ago(seq * 37),
  action,
  outcome,
  actorId: 'u1',
  actorName: NAMES[seq % 3],
  accountId: 'u1',
  accountName: NAMES[seq % 3],
  subjectId: null,
  address: '82.221.12.0/24',
  device: seq % 2 ? 'Firefox' : 'Chrome',
  details,
});
const mail = (id, to, subject, state, error = '') => ({
  id,
  kind: 'password_reset',
  to,
  subject,
  state,
  attempts: error ? 3 : 0,
  error,
  createdAt: ago(40),
  sentAt: null,
});

/** The answer to "METHOD path", or nothing for paths of other mocks. */
export function people(key, user, twoFactor) {
  const session = { requires2FA: false, token: 'token', user };
  const [method, path] = key.split(' ');
  if (method === 'DELETE' && /\/(sessions|invite-codes|custom-domains|linked-sign-ins)/.test(path))
    return { status: 204, body: null };
  const answers = {
    'GET /api/platform/user': () => ({
      ...user,
      username: user.name,
      createdAt: ago(90_000),
      company: 'Althing ehf.',
      timezone: 'Atlantic/Reykjavik',
      twoFactor,
      recoveryCodesLeft: twoFactor ? 2 : 0,
      hasPassword: true,
      passwordChangedAt: ago(50_000),
    }),
    'GET /api/platform/tokens': () => [
      {
        id: 't1',
        name: 'Nightly report',
        last4: 'x7Qa',
        scopes: ['read'],
        websiteIds: null,
        createdAt: ago(9_000),
        expiresAt: ago(-90 * 1440),
        lastUsedAt: ago(35),
      },
      {
        id: 't2',
        name: 'Spreadsheet of the shop',
        last4: 'm2Vd',
        scopes: ['read'],
        websiteIds: ['11111111-1111-4111-8111-111111111111'],
        createdAt: ago(200),
        expiresAt: ago(-3 * 1440),
        lastUsedAt: null,
      },
    ],
    'GET /api/platform/sessions': () =>
      ['Firefox', 'Chrome', ''].map((device, index) => ({
        id: `s${index}`,
        device,
        country: ['IS', 'DE', 'ZZ'][index],
        createdAt: ago(500),
        lastSeenAt: ago(index * 140),
        current: index === 0,
      })),
    'GET /api/platform/user/activity': () => [
      audit(1, 'account.signed_in', 'done'),
      audit(2, 'account.sign_in', 'refused'),
      audit(3, 'account.password_changed', 'done'),
      audit(4, 'invite.created', 'done'),
    ],
    'GET /api/platform/linked-sign-ins': () => [
      { id: 'g1', provider: 'github', label: 'sigrun@mail.example', linkedAt: ago(9000) },
    ],
    'GET /api/platform/invite-codes': () => [
      invite('i1', '7KXQ-M2VD-9HTB-4RWC-Q8ZN', 'active', 1, 3, [NAMES[1]]),
      invite('i2', 'B4RW-C9HT-M2VD-7KXQ-ZN8Q', 'used_up', 2, 2, [NAMES[2], '']),
      invite('i3', 'H2TB-4RWC-7KXQ-M2VD-N8ZQ', 'revoked', 0, 1, []),
    ],
    'GET /api/platform/custom-domains': () => [
      domain('d1', 'go.vpnreview.is', 'verified', null),
      domain('d2', 'tengill.vpnreview.is', 'pending', 'There is no TXT record with this name yet.'),
    ],
    'POST /api/platform/2fa/setup': () => ({
      secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
      otpauthUri: 'otpauth://totp/Althing',
      qrCode: QR,
    }),
    'POST /api/platform/2fa/confirm': () => ({ recoveryCodes: CODES }),
    'POST /api/platform/2fa/recovery-codes': () => ({ recoveryCodes: CODES }),
    'POST /api/platform/register': () => ({
      ...session,
      qrCode: QR,
      secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
      otpauthUri: 'otpauth://totp/Althing',
    }),
    'GET /api/admin/accounts': () =>
      NAMES.map((name, index) => ({
        id: `a${index}`,
        email: name ? `person${index}@example.com` : '',
        name,
        roles: index === 0 ? ['admin', 'analyst', 'member'] : ['member'],
        createdAt: ago(90_000 + index),
        disabledAt: index === 2 ? ago(300) : null,
        erasedAt: name ? null : ago(200),
        twoFactor: index < 2,
        sessions: 2 - Math.min(index, 2),
        lastSeenAt: index < 2 ? ago(index * 60) : null,
        websites: index,
      })),
    'GET /api/admin/websites': () =>
      ['vpnreview.is', 'hosting-compared.example', 'espresso-machines-for-small-kitchens.example'].map(
        (name, index) => ({
          id: `w${index}`,
          domain: name,
          timezone: 'Atlantic/Reykjavik',
          currency: 'USD',
          links: 24 - index * 9,
          customDomains: index,
          ...owned(index),
        }),
      ),
    'GET /api/admin/domains': () =>
      ['verified', 'pending', 'lost', 'expired'].map((state, index) => ({
        id: `d${index}`,
        domain: `go${index}.vpnreview.is`,
        websiteId: 'w1',
        websiteDomain: 'vpnreview.is',
        state,
        sslEnabled: index === 0,
        ...owned(index),
      })),
    'GET /api/admin/audit-trail': () => [
      audit(1, 'account.roles_changed', 'done', { roles: ['admin', 'member'] }),
      audit(2, 'account.sign_in', 'refused', { reason: 'credentials' }),
      audit(3, 'partner.commission_changed', 'done', { percent: 12.5 }),
    ],
    'GET /api/admin/audit-trail/check': () => ({
      rows: 4213,
      anchored: 4180,
      after: 4180,
      checkedTo: 4213,
      head: '9f2c4b7d1e8a6053c4b7d1e8a60539f2c4b7d1e8a60539f2c4b7d1e8a60539f2',
      firstBroken: null,
    }),
    'GET /api/admin/outbox': () => [
      mail('m1', 'embla@example.com', 'Set a new Althing password', 'waiting'),
      mail('m2', 'gunnar@example.com', 'Your Althing password was changed', 'failed', 'The server refused the address'),
    ],
    'GET /api/admin/outbox/m1': () => ({
      ...mail('m1', 'embla@example.com', 'Set a new Althing password', 'waiting'),
      text: 'Someone, probably you, wants to set a new password for Althing.\n\nhttp://127.0.0.1:8000/reset-password#code=abc\n',
    }),
    'GET /api/website': () => ({
      id: 'w1',
      domain: 'vpnreview.is',
      timezone: 'Atlantic/Reykjavik',
      currency: 'USD',
      userName: user.name,
      userEmail: user.email,
    }),
  };
  const found = answers[key];
  return found && { status: method === 'POST' && path.endsWith('register') ? 201 : 200, body: found() };
}
