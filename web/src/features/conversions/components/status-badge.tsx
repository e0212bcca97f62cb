import { Badge, type Tone } from '@/components/ui/badge';
import type { ConversionStatus } from '@/lib/api/types';

const TONES: Record<ConversionStatus, Tone> = {
  pending: 'warn',
  approved: 'good',
  rejected: 'bad',
  reversed: 'neutral',
};
export const STATUS_LABELS: Record<ConversionStatus, string> = {
  pending: 'Pending',
  approved: 'Approved',
  rejected: 'Rejected',
  reversed: 'Reversed',
};

export function StatusBadge({ status }: { readonly status: ConversionStatus }) {
  return <Badge tone={TONES[status]}>{STATUS_LABELS[status]}</Badge>;
}
