import type { LucideIcon } from 'lucide-react';
import { Button } from '@/components/ui/button';

interface Props {
  readonly label: string;
  readonly Icon: LucideIcon;
  readonly onClick: () => void;
}

/** What may be done with a row. */
export function Action({ label, Icon, onClick }: Props) {
  return (
    <Button size="icon" variant="ghost" aria-label={label} title={label} onClick={onClick}>
      <Icon aria-hidden className="size-4" />
    </Button>
  );
}
