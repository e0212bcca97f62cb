import { DirectoryPanel } from '@/features/matching/components/directory-panel';

export function AdminProgramsPage() {
  return <DirectoryPanel />;
}
