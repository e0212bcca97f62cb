import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { renderApp, signIn } from '@/test/render';
import { http, json, noContent, refuse } from '@/test/http';
import { requests, server, state } from '@/test/server';
import type { Application, EmptyReason, Profile, Recommendation, Wording } from '../api/matching';
import { commissionOf, cookieOf, potentialBar, scoreTone, verdictOf } from '../lib/labels';

const profile = (over: Partial<Profile> = {}): Profile => ({
  business_idea: 'Food and toys for city dogs',
  industry: 'Pets',
  industry_key: 'pets',
  target_audience: 'Owners of dogs',
  difficulty_level: 'easy',
  monetization_potential: 'medium',
  content_strategy: ['Guides by breed'],
  key_success_factors: ['Love of animals that shows'],
  method: 'rules',
  silence: 'not_configured',
  analyzed_at: '2026-11-20T12:00:00Z',
  ...over,
});
const program = (over: Partial<Recommendation> = {}): Recommendation => ({
  id: 'p1',
  companyName: 'BarkBox',
  primaryCategory: 'Pets',
  match_score: 0.842,
  recommendation: 'highly_recommended',
  parts: [
    { name: 'industry', weight: 0.4, value: 1, points: 0.4, why: 'Matches your niche: Pets' },
    { name: 'results', weight: 0.12, value: 0.5, points: 0.06, why: 'You have no results yet' },
  ],
  commissionType: 'flat',
  commissionRate: null,
  commissionAmount: 18,
  commissionCurrency: 'USD',
  recurring: false,
  cookieDuration: 30,
  description: 'Monthly box of toys.',
  why: null,
  pros: ['Approval is easy'],
  cons: [],
  narratedBy: 'rules',
  approvalDifficulty: 'easy',
  paymentFrequency: 'monthly',
  source: 'Its public page',
  recordedOn: '2026-11-21',
  checkedOn: null,
  reviewOn: '2026-11-21',
  toBeChecked: true,
  results: null,
  applicationId: null,
  applicationStatus: null,
  ...over,
});
const application = (over: Partial<Application> = {}): Application => ({
  id: 'a1',
  programId: 'p1',
  companyName: 'BarkBox',
  category: 'Pets',
  programRetired: false,
  status: 'applied',
  visits: 1,
  appliedAt: '2026-11-20T12:00:00Z',
  updatedAt: '2026-11-20T12:00:00Z',
  steps: 1,
  history: [{ status: 'applied', note: '', at: '2026-11-20T12:00:00Z' }],
  ...over,
});

let known: Profile | null;
let programs: Recommendation[];
let applications: Application[];
let wording: Wording;
let emptyReason: EmptyReason | null;

beforeEach(() => {
  [known, programs, applications, emptyReason] = [null, [program()], [], null];
  wording = { narratedBy: 'rules', silence: 'not_configured', mayBeAsked: false };
  server.use(
    http.get('/api/platform/affiliate/profile', () => json({ profile: known })),
    http.get('/api/platform/affiliate/recommendations', () =>
      json({
        recommendations: programs,
        min_score: 0.4,
        empty_reason: emptyReason,
        results_known: true,
        wording,
      }),
    ),
    http.get('/api/platform/affiliate/applications', () => json(applications)),
    http.post('/api/platform/affiliate/analyze-business', () => {
      known = profile();
      return json({ analysis: { ...profile() } });
    }),
  );
});

describe('spec §2, AI Affiliate Matching: not logged in', () => {
  test('login is required', async () => {
    renderApp('/affiliate-matching');
    expect(await screen.findByText('Login Required')).toBeInTheDocument();
    expect(screen.getByText('You need to be logged in to use the AI Affiliate Matching feature.')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Login to Continue' })).toHaveAttribute(
      'href',
      expect.stringMatching(/^\/login/),
    );
    expect(requests('GET /api/platform/affiliate')).toEqual([]);
  });
});

describe('spec §2, §3, §4, §5, §7, §8, §9: from an idea to programs', () => {
  beforeEach(() => signIn());

  test('Analysis and Recommendations are disabled until a profile exists', async () => {
    const { user } = renderApp('/affiliate-matching');
    const idea = await screen.findByRole('textbox', { name: 'Business idea' });
    expect(idea).toHaveAttribute('rows', '6');
    expect(screen.getByText('Minimum 10 characters required')).toBeInTheDocument();
    for (const name of ['Analysis', 'Recommendations']) expect(screen.getByRole('tab', { name })).toBeDisabled();
    await user.type(idea, '   too short');
    await user.clear(idea);
    await user.type(idea, ' nine char ');
    expect(screen.getByRole('button', { name: 'Analyze Business' })).toBeDisabled();
    await user.keyboard('{Control>}{Enter}{/Control}');
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'Please provide a more detailed business idea (at least 10 characters)',
    );
    expect(requests('POST')).toEqual([]);
    await user.type(idea, '{Backspace}s ');
    expect(screen.getByRole('button', { name: 'Analyze Business' })).toBeEnabled();
  });

  test('an analysis is shown, and leads to the programs', async () => {
    const { user } = renderApp('/affiliate-matching');
    await user.type(await screen.findByRole('textbox', { name: 'Business idea' }), ' Food and toys for city dogs ');
    await user.click(screen.getByRole('button', { name: 'Analyze Business' }));
    expect(await screen.findByText('Target Audience')).toBeInTheDocument();
    expect(state.seen.find((item) => item.line.startsWith('POST'))?.body).toEqual({
      businessIdea: 'Food and toys for city dogs',
    });
    for (const text of [
      'Industry',
      'Difficulty',
      'Monetization Potential',
      'Recommended Content Strategy',
      'Key Success Factors',
      'Pets',
      'Guides by breed',
      'Love of animals that shows',
    ])
      expect(screen.getByText(text)).toBeInTheDocument();
    expect(requests('GET /api/platform/affiliate/profile')).toHaveLength(2); // read again after the analysis
    expect(screen.getByRole('progressbar', { name: 'medium' })).toHaveAttribute('aria-valuenow', '60');
    expect(screen.getByRole('progressbar', { name: 'medium' })).toHaveAttribute('aria-valuemax', '100');
    expect(screen.getByText('Analyzed by rules: AI is not configured.')).toBeInTheDocument();
    expect(requests('GET /api/platform/affiliate/recommendations')).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'View Matching Affiliate Programs' }));
    const card = await screen.findByRole('article', { name: 'BarkBox' });
    for (const text of [
      '84% match',
      'Highly Recommended',
      '$18.00 commission',
      '30-day cookie',
      'Monthly box of toys.',
      'Pros',
      'Cons',
      'Approval is easy',
      'Approval: easy',
      'Paid monthly',
      'Not verified yet',
      'Its public page. Recorded Nov 21, 2026, not checked yet; review due Nov 21, 2026.',
    ])
      expect(within(card).getByText(text)).toBeInTheDocument();
    await user.click(within(card).getByText('Why 84%'));
    expect(within(card).getByText('40.0 of 40')).toBeInTheDocument();
    expect(within(card).getByText('You have no results yet')).toBeInTheDocument();
    expect(screen.getByText('Programs that match less than 40% are not shown.')).toBeInTheDocument();
  });

  test('the button says Analyzing... while it waits, and a failure is shown', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    server.use(
      http.post('/api/platform/affiliate/analyze-business', async () => gate.then(() => refuse(500, 'It broke.'))),
    );
    const { user } = renderApp('/affiliate-matching');
    await user.type(await screen.findByRole('textbox', { name: 'Business idea' }), 'Food and toys for city dogs');
    await user.click(screen.getByRole('button', { name: 'Analyze Business' }));
    expect(await screen.findByRole('button', { name: 'Analyzing...' })).toBeDisabled();
    release();
    expect(await screen.findByRole('alert')).toHaveTextContent('Analysis failed');
    expect(screen.getByRole('tab', { name: 'Analysis' })).toBeDisabled();
  });

  test.each([
    [
      'idea_unclear' as const,
      "We couldn't tell which industry your idea is about. Add the topic and what readers could buy.",
    ],
    ['below_minimum' as const, 'No program reaches the 40% minimum for your idea. Try describing it in other words.'],
  ])('no programs: the empty text, and why: %s', async (reason, note) => {
    [known, programs, emptyReason] = [profile(), [], reason];
    const { user } = renderApp('/affiliate-matching');
    await user.click(await screen.findByRole('tab', { name: 'Recommendations' }));
    expect(
      await screen.findByText("No matching programs found yet. We're constantly adding new programs!"),
    ).toBeInTheDocument();
    expect(screen.getByText(note)).toBeInTheDocument();
    expect(screen.queryByText(/are not shown/)).not.toBeInTheDocument();
  });

  test('a suggested idea is in the box already, and what is written stays while one looks elsewhere', async () => {
    known = profile();
    const { user } = renderApp('/affiliate-matching?idea=Toys%20for%20indoor%20cats');
    expect(await screen.findByRole('textbox', { name: 'Business idea' })).toHaveValue('Toys for indoor cats');
    await user.type(screen.getByRole('textbox', { name: 'Business idea' }), ' in flats');
    await user.click(screen.getByRole('tab', { name: 'Analysis' }));
    await user.click(screen.getByRole('tab', { name: 'Business Idea' }));
    expect(screen.getByRole('textbox', { name: 'Business idea' })).toHaveValue('Toys for indoor cats in flats');
  });
});

describe('whose words reasons are in', () => {
  beforeEach(() => {
    signIn();
    known = profile();
  });
  const show = async () => {
    const { user } = renderApp('/affiliate-matching');
    await user.click(await screen.findByRole('tab', { name: 'Recommendations' }));
    return user;
  };

  test('without a model in our own, and it says so', async () => {
    await show();
    expect(await screen.findByText('Reasons are rule-based: AI is not configured.')).toBeInTheDocument();
    expect(requests('POST')).toEqual([]);
    expect(screen.queryByRole('button', { name: 'Try again' })).not.toBeInTheDocument();
  });

  test('a model is asked once, for the first programs, and its text replaces the rule-based text', async () => {
    wording = { narratedBy: 'rules', silence: null, mayBeAsked: true };
    programs = Array.from({ length: 9 }, (_, index) => program({ id: `p${index}`, companyName: `Company ${index}` }));
    server.use(
      http.post('/api/platform/affiliate/recommendations/wording', () => {
        wording = { narratedBy: 'model', silence: null, mayBeAsked: false };
        programs = [
          program({ why: 'It is for people with dogs.', pros: ['They let you in easily'], narratedBy: 'model' }),
        ];
        return json({ worded: 1, silence: null });
      }),
    );
    await show();
    expect(await screen.findByText('It is for people with dogs.')).toBeInTheDocument();
    expect(screen.getByText('They let you in easily')).toBeInTheDocument();
    expect(
      screen.getByText('Reasons are AI-written and checked against our rules. Scores never come from AI.'),
    ).toBeInTheDocument();
    expect(state.seen.filter((item) => item.line.startsWith('POST')).map((item) => item.body)).toEqual([
      { programIds: ['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7'] },
    ]);
  });

  test('a model that is silent is named, and asked again only by a click', async () => {
    wording = { narratedBy: 'rules', silence: 'budget', mayBeAsked: true };
    server.use(http.post('/api/platform/affiliate/recommendations/wording', () => refuse(503, 'Too many wait.')));
    const user = await show();
    expect(await screen.findByText('Reasons are rule-based: the AI budget is used up for now.')).toBeInTheDocument();
    expect(requests('POST')).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('Reasons are rule-based: Too many wait.')).toBeInTheDocument();
    expect(screen.getByRole('article', { name: 'BarkBox' })).toHaveTextContent('Approval is easy');
  });
});

describe('Apply Now', () => {
  beforeEach(() => {
    signIn();
    known = profile();
    server.use(
      http.post('/api/platform/affiliate/applications', () => {
        applications = [application()];
        return json({
          id: 'a1',
          programId: 'p1',
          status: 'applied',
          url: '/api/platform/affiliate/applications/a1/go',
        });
      }),
    );
  });

  test('opens the program’s page by its tracked address and records the application', async () => {
    const opened = { opener: {}, closed: false, close: vi.fn(), location: { replace: vi.fn() } };
    const open = vi.spyOn(window, 'open').mockReturnValue(opened as unknown as Window);
    const { user } = renderApp('/affiliate-matching');
    await user.click(await screen.findByRole('tab', { name: 'Recommendations' }));
    await user.click(await screen.findByRole('button', { name: 'Apply Now: BarkBox' }));
    await waitFor(() =>
      expect(opened.location.replace).toHaveBeenCalledWith('/api/platform/affiliate/applications/a1/go'),
    );
    expect(open).toHaveBeenCalledWith('', '_blank');
    expect(opened.opener).toBeNull();
    expect(await screen.findByRole('region', { name: 'Your applications' })).toHaveTextContent('BarkBox');
    open.mockRestore();
  });

  test('a double click opens and records once', async () => {
    const open = vi.spyOn(window, 'open').mockReturnValue(null);
    const { user } = renderApp('/affiliate-matching');
    await user.click(await screen.findByRole('tab', { name: 'Recommendations' }));
    await user.dblClick(await screen.findByRole('button', { name: 'Apply Now: BarkBox' }));
    expect(await screen.findByRole('link', { name: "open BarkBox's page" })).toBeInTheDocument();
    expect(open).toHaveBeenCalledTimes(1);
    expect(requests('POST /api/platform/affiliate/applications')).toHaveLength(1);
    open.mockRestore();
  });

  test('a blocked window leaves the tracked link; a refusal closes the window', async () => {
    const opened = { opener: {}, closed: false, close: vi.fn(), location: { replace: vi.fn() } };
    const open = vi
      .spyOn(window, 'open')
      .mockReturnValueOnce(null)
      .mockReturnValue(opened as unknown as Window);
    const { user } = renderApp('/affiliate-matching');
    await user.click(await screen.findByRole('tab', { name: 'Recommendations' }));
    await user.click(await screen.findByRole('button', { name: 'Apply Now: BarkBox' }));
    expect(await screen.findByRole('link', { name: "open BarkBox's page" })).toHaveAttribute(
      'href',
      '/api/platform/affiliate/applications/a1/go',
    );
    server.use(
      http.post('/api/platform/affiliate/applications', () => refuse(409, 'BarkBox is no longer in the directory.')),
    );
    await user.click(screen.getByRole('button', { name: 'Apply Now: BarkBox' }));
    expect(await screen.findByText('BarkBox is no longer in the directory.')).toBeInTheDocument();
    expect(opened.close).toHaveBeenCalled();
    expect(opened.location.replace).not.toHaveBeenCalled();
    expect(screen.queryByRole('link', { name: "open BarkBox's page" })).not.toBeInTheDocument();
    open.mockRestore();
  });

  test('an application is followed and updated', async () => {
    applications = [application()];
    server.use(
      http.patch('/api/platform/affiliate/applications/{id}', () => {
        applications = [
          application({
            status: 'approved',
            steps: 2,
            history: [...application().history, { status: 'approved', note: 'By mail', at: '2026-11-21T12:00:00Z' }],
          }),
        ];
        return noContent();
      }),
    );
    const { user } = renderApp('/affiliate-matching');
    expect(await screen.findByRole('link', { name: 'Open page of BarkBox' })).toHaveAttribute(
      'href',
      '/api/platform/affiliate/applications/a1/go',
    );
    await user.click(screen.getByRole('button', { name: 'Update the application to BarkBox' }));
    const dialog = await screen.findByRole('dialog');
    expect(
      within(dialog)
        .getAllByRole('option')
        .map((option) => option.textContent),
    ).toEqual(['Applied', 'In review', 'Approved', 'Rejected', 'Withdrawn']);
    await user.selectOptions(within(dialog).getByLabelText('Status'), 'Approved');
    await user.type(within(dialog).getByLabelText('Note'), 'By mail');
    await user.click(within(dialog).getByRole('button', { name: 'Save' }));
    expect(await screen.findByText('History (2)')).toBeInTheDocument();
    expect(state.seen.find((item) => item.line.startsWith('PATCH'))?.body).toEqual({
      status: 'approved',
      note: 'By mail',
    });
  });
});

describe('spec §9: constants of matching', () => {
  test.each([
    [1, 'good'],
    [0.8, 'good'],
    [0.7999, 'warn'],
    [0.6, 'warn'],
    [0.5999, 'bad'],
    [0, 'bad'],
  ])('a score of %s is %s', (score, tone) => expect(scoreTone(score)).toBe(tone));
  test.each([
    ['high', 90],
    ['medium', 60],
    ['low', 30],
    ['anything', 30],
  ])('the bar of %s is %s', (potential, value) => expect(potentialBar(potential)).toBe(value));
  test.each([
    ['highly_recommended', 'Highly Recommended'],
    ['recommended', 'Recommended'],
    ['consider', 'Consider'],
    ['review_needed', 'Review Needed'],
    ['', 'Review Needed'],
  ])('a program that is %s says “%s” (§3)', (verdict, label) => expect(verdictOf(verdict).label).toBe(label));
  test('commissions and cookies', () => {
    expect(commissionOf(program({ commissionRate: 7.5, recurring: true }))).toBe('7.5% + $18.00 recurring commission');
    expect(cookieOf(0)).toBe('Session cookie');
  });
});
