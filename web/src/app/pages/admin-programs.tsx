import { DirectoryPanel } from '@/features/matching/directory-panel';

export function AdminProgramsPage() {
  return <DirectoryPanel />;
}
