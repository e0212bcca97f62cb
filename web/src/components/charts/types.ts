export interface TrendPoint {
  readonly date: string;
  readonly tick: string;
  readonly label: string;
  readonly revenue: number;
  readonly conversions: number;
  readonly previousRevenue: number | null;
  readonly previousLabel: string | null;
}

export interface PartnerBar {
  readonly id: string;
  readonly name: string;
  readonly revenue: number;
  readonly conversions: number;
}

export interface Slice {
  readonly id: string;
  readonly name: string;
  readonly clicks: number;
  readonly revenue: number;
  readonly share: number;
  readonly color: string;
}
