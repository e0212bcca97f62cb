import { Select } from '@/components/ui/field';
import { RANGES, rangeName, type ReportRange } from '../lib/report';

interface Props {
  readonly value: ReportRange;
  readonly onChange: (range: ReportRange) => void;
}

export function RangeSelect({ value, onChange }: Props) {
  return (
    <Select
      label="Range"
      value={value}
      onChange={(event) => onChange(RANGES.find((item) => item === event.target.value) ?? value)}
    >
      {RANGES.map((item) => (
        <option key={item} value={item}>
          {rangeName(item)}
        </option>
      ))}
    </Select>
  );
}
