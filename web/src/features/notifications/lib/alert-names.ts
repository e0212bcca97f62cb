import type { AlertKind } from '../api/alerts';

/** The kinds of alerts, in the order of the settings. */
export const ALERT_NAMES: Readonly<Record<AlertKind, string>> = {
  no_events: 'No page views or clicks arrive',
  postbacks_rejected: 'Postbacks are rejected',
  conversion_rate_fell: 'The conversion rate falls',
  epc_fell: 'Earnings per click fall',
  pending_conversions: 'Conversions stay pending',
  partner_deactivated: 'A partner with links is deactivated',
  link_broken: 'The page behind a link is gone',
  month_closed: 'A month is closed, with its totals',
  reports_stopped: 'Reports of a connected network stop arriving',
  import_failed: 'A report of a network cannot be read',
  declines_rose: 'A partner declines more than usual',
  partner_overdue: 'A partner pays late',
};
