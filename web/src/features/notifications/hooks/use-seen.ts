import { useCommand } from '@/lib/api/command';
import { see, seeAll } from '../api/notifications';

/** Marks one notification, or all of them, as seen. */
export function useSeen() {
  const one = useCommand(see);
  const all = useCommand(seeAll);
  return { see: (id: string) => one.mutate(id), seeAll: () => all.mutate(), busy: all.isPending };
}
