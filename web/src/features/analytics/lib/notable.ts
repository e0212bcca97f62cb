// Notable changes in a website's last 30 days, calculated from the data of the cards.
import type { ClickPoint, Overview, PartnerPerformance } from '@/lib/api/types';
import { change, describeChange } from '@/lib/compare';
import { formatCount, formatMoney, formatPercent } from '@/lib/format';

export interface Notable {
  readonly type: 'growth' | 'decline' | 'opportunity' | 'warning';
  readonly title: string;
  readonly text: string;
  /** The partner to filter by; none: the whole website. */
  readonly partnerId?: string;
}

export interface PartnerStats {
  readonly overview: Overview;
  readonly partners: readonly PartnerPerformance[];
  /** The same for the 30 days before. Ten at most: a partner missing from a full list is unknown, not zero. */
  readonly partnersBefore: readonly PartnerPerformance[];
  /** Days that are over, oldest first. */
  readonly days: readonly ClickPoint[];
}

export const SHOWN = 4;
const FULL_LIST = 10;
/** Less than this is chance: clicks of a partner, conversions of a website, percent of change. */
const FEW_CLICKS = 50;
const FEW_CONVERSIONS = 5;
const SMALL_PERCENT = 20;
const TIMES_THE_AVERAGE = 2;
const SMALL_SHARE = 0.15;
const SILENT_DAYS = 2;
const USUAL_CLICKS_A_DAY = 5;

/** The weightiest first, `SHOWN` at most. */
export function notable(figured: PartnerStats): readonly Notable[] {
  const found = [
    ...silence(figured),
    ...partnerChanges(figured),
    ...rateChange(figured),
    ...unpaidClicks(figured),
    ...underused(figured),
  ];
  return found
    .sort((a, b) => b.weight - a.weight)
    .slice(0, SHOWN)
    .map(({ type, title, text, partnerId }) => ({ type, title, text, ...(partnerId ? { partnerId } : {}) }));
}

interface Weighed extends Notable {
  readonly weight: number;
}

/** Weight of a change: volume times relative change. */
const weigh = (now: number, before: number, percent: number): number =>
  Math.log1p(now + before) * Math.min(percent, 500);

function silence({ days }: PartnerStats): Weighed[] {
  const last = days.slice(-SILENT_DAYS);
  const earlier = days
    .slice(0, -SILENT_DAYS)
    .map((day) => day.clicks)
    .sort((a, b) => a - b);
  const usual = earlier[Math.floor(earlier.length / 2)] ?? 0;
  if (last.length < SILENT_DAYS || usual < USUAL_CLICKS_A_DAY || last.some((day) => day.clicks > 0)) return [];
  return [
    {
      type: 'warning',
      title: 'No clicks for two days',
      text: `A typical day has ${formatCount(usual)}. Check that the links and the script are still on your pages.`,
      weight: Infinity,
    },
  ];
}

function partnerChanges({ overview, partners, partnersBefore }: PartnerStats): Weighed[] {
  const ids = new Map([...partners, ...partnersBefore].map((row) => [row.partnerId, row.partnerName]));
  return [...ids].flatMap(([partnerId, name]) => {
    const [now, before] = [figuresOf(partners, partnerId), figuresOf(partnersBefore, partnerId)];
    if (!now || !before || before.revenue <= 0 || now.clicks + before.clicks < FEW_CLICKS) return [];
    const moved = change(now.revenue, before.revenue);
    const percent = Math.abs(moved.percent ?? 0);
    if (percent < SMALL_PERCENT) return [];
    const grew = moved.direction === 'up';
    return [
      {
        type: grew ? 'growth' : 'decline',
        title: `${name} earns ${grew ? 'more' : 'less'}`,
        partnerId,
        weight: weigh(now.revenue, before.revenue, percent),
        text: `${formatMoney(now.revenue, overview.currency)} after ${formatMoney(before.revenue, overview.currency)} in the 30 days before (${describeChange(moved)}).`,
      },
    ];
  });
}

/** Null: below the ten that the list holds, so not known. */
function figuresOf(list: readonly PartnerPerformance[], id: string): { clicks: number; revenue: number } | null {
  return list.find((row) => row.partnerId === id) ?? (list.length < FULL_LIST ? { clicks: 0, revenue: 0 } : null);
}

function rateChange({ overview }: PartnerStats): Weighed[] {
  const before = overview.previous;
  if (
    !before ||
    overview.conversions.total + before.conversions.total < FEW_CONVERSIONS ||
    before.conversion_rate === 0
  )
    return [];
  const moved = change(overview.conversion_rate, before.conversion_rate);
  const percent = Math.abs(moved.percent ?? 0);
  if (percent < SMALL_PERCENT) return [];
  const grew = moved.direction === 'up';
  return [
    {
      type: grew ? 'growth' : 'decline',
      title: `${grew ? 'More' : 'Fewer'} clicks convert`,
      weight: weigh(overview.conversions.total, before.conversions.total, percent),
      text: `${formatPercent(overview.conversion_rate)} of clicks converted, after ${formatPercent(before.conversion_rate)} (${describeChange(moved)}).`,
    },
  ];
}

/** Only where others convert: a website whose sales are reported nowhere yet has no bad partners. */
function unpaidClicks({ overview, partners }: PartnerStats): Weighed[] {
  if (overview.conversions.total < FEW_CONVERSIONS) return [];
  return partners
    .filter((row) => row.conversions === 0 && expected(overview, row.clicks) >= FEW_CONVERSIONS)
    .map((row) => ({
      type: 'warning',
      title: `${row.partnerName} has clicks but no sales`,
      partnerId: row.partnerId,
      weight: weigh(row.clicks, 0, 100),
      text: `${formatCount(row.clicks)} clicks and no conversions. Your average would give ${formatCount(Math.floor(expected(overview, row.clicks)))}: is the postback set up?`,
    }));
}

const expected = ({ clicks, conversions }: Overview, of: number): number =>
  clicks.total > 0 ? (of * conversions.total) / clicks.total : 0;

function underused({ overview, partners }: PartnerStats): Weighed[] {
  const average = overview.clicks.total > 0 ? overview.revenue.total / overview.clicks.total : 0;
  if (average <= 0) return [];
  return partners
    .filter(
      (row) =>
        row.clicks >= FEW_CLICKS &&
        row.conversions >= FEW_CONVERSIONS &&
        row.clicks < overview.clicks.total * SMALL_SHARE &&
        row.revenue / row.clicks >= average * TIMES_THE_AVERAGE,
    )
    .map((row) => ({
      type: 'opportunity',
      title: `${row.partnerName} has a high EPC`,
      partnerId: row.partnerId,
      weight: weigh(row.revenue, 0, (100 * row.revenue) / row.clicks / average),
      text: `${formatMoney(row.revenue / row.clicks, overview.currency)} each, ${(row.revenue / row.clicks / average).toFixed(1)} times the average, from ${formatPercent((100 * row.clicks) / overview.clicks.total, 1)} of your clicks.`,
    }));
}
