import { LearningHub } from '@/features/matching/components/learn';
import { Page } from './page';
import { programLink } from './program-link';

export function LearnPage() {
  return (
    <Page title="Learning Hub" subtitle="Guides and articles as courses, at your own pace">
      <LearningHub programLink={programLink} />
    </Page>
  );
}
