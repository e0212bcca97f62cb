import type { LinePoint, Mark } from '@/components/charts/line-chart';
import { wallClock } from '@/lib/dates';
import type { Annotation } from '../api/annotations';

/** Each note at the bucket in which its moment lies, by the website's clock. */
export function marksOf(annotations: readonly Annotation[], points: readonly LinePoint[], timezone: string): Mark[] {
  const starts = points.map((point) => wallClock(point.key, timezone));
  return annotations.flatMap((annotation, place) => {
    const moment = wallClock(annotation.at, timezone);
    const index = starts.findLastIndex((start) => start <= moment);
    return index < 0 ? [] : [{ id: annotation.id ?? `${annotation.kind}${place}`, index, text: annotation.text }];
  });
}
