import { LearningHub } from '@/features/matching/components/learn';
import { Page } from './page';

export function LearnPage() {
  return (
    <Page title="Learning Hub" subtitle="Guides and articles as courses, at your own pace">
      <LearningHub />
    </Page>
  );
}
