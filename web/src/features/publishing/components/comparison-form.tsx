// The table of a comparison: products are columns, features are rows with a value for each product.
import { Maximize2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import type { Comparison } from '../lib/document';
import type { Place } from '../lib/table';
import { Line, Lines } from './fields';
import { TableGrid } from './table-grid';
import { TargetField } from './target-field';

interface Props {
  readonly block: Comparison;
  readonly onChange: (block: Comparison, field: string) => void;
}

export function ComparisonForm({ block, onChange }: Props) {
  const [place, setPlace] = useState<Place>({ row: 0, column: 1 });
  const [isLarge, setIsLarge] = useState(false);
  const grid = <TableGrid block={block} place={place} onPlace={setPlace} onChange={onChange} />;
  return (
    <>
      <Line
        label="Heading"
        path="title"
        required
        maxLength={120}
        value={block.title}
        onChange={(title) => onChange({ ...block, title }, 'title')}
      />
      <Lines
        label="Note"
        path="note"
        maxLength={2000}
        value={block.note}
        onChange={(note) => onChange({ ...block, note }, 'note')}
      />
      <div className="flex items-center justify-between gap-3">
        <h3 className="font-semibold">Table</h3>
        <Button size="sm" onClick={() => setIsLarge(true)}>
          <Maximize2 aria-hidden className="size-4" />
          Large view
        </Button>
      </div>
      {!isLarge && grid}
      <ProductFields block={block} column={Math.max(1, place.column)} onChange={onChange} />
      <Dialog open={isLarge} onOpenChange={setIsLarge} title={block.title || 'Table'} as="wide">
        {isLarge && grid}
      </Dialog>
    </>
  );
}

/** The button below the product whose column is edited. */
function ProductFields({ block, column, onChange }: Props & { readonly column: number }) {
  const index = Math.min(column, block.products.length) - 1;
  const product = block.products[index];
  if (!product) return null;
  const set = (part: Partial<typeof product>, field: string) =>
    onChange({ ...block, products: block.products.with(index, { ...product, ...part }) }, `products.${index}.${field}`);
  return (
    <fieldset className="flex min-w-0 flex-col gap-3 rounded-lg border border-line p-3">
      <legend className="max-w-full truncate px-1 font-medium">{`Button for ${product.name || `product ${index + 1}`}`}</legend>
      <Line
        label="Button"
        path={`products.${index}.label`}
        hint="The button of the product whose column you edit"
        maxLength={60}
        value={product.label}
        onChange={(label) => set({ label }, 'label')}
      />
      <TargetField
        path={`products.${index}.target`}
        value={product.target}
        onChange={(target) => set({ target }, 'target')}
      />
    </fieldset>
  );
}
