// The table of a comparison: products are columns, features are rows with a value for each product.
import { Select } from '@/components/ui/field';
import { emptyCell, newProduct } from '../lib/blocks';
import type { Cell, ComparedFeature, Comparison } from '../lib/document';
import { Entries, Line, Lines } from './fields';
import { TargetField } from './target-field';

interface Props {
  readonly block: Comparison;
  readonly onChange: (block: Comparison, field: string) => void;
}

const MAX_PRODUCTS = 8;
const MAX_FEATURES = 40;

export function ComparisonForm({ block, onChange }: Props) {
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
      <h3 className="font-semibold">Products</h3>
      <Entries
        entries={block.products.map((product, column) => ({ product, column }))}
        noun="Product"
        max={MAX_PRODUCTS}
        make={() => ({ product: newProduct(), column: -1 })}
        onChange={(entries) =>
          onChange(
            withColumns(
              block,
              entries.map(({ product }) => product),
              entries.map(({ column }) => column),
            ),
            '',
          )
        }
      >
        {({ product }, index) => {
          const set = (part: Partial<typeof product>, field: string) =>
            onChange(
              { ...block, products: block.products.with(index, { ...product, ...part }) },
              `products.${index}.${field}`,
            );
          return (
            <>
              <Line
                label="Name"
                path={`products.${index}.name`}
                required
                maxLength={80}
                value={product.name}
                onChange={(name) => set({ name }, 'name')}
              />
              <Line
                label="Button"
                path={`products.${index}.label`}
                maxLength={60}
                value={product.label}
                onChange={(label) => set({ label }, 'label')}
              />
              <TargetField
                path={`products.${index}.target`}
                value={product.target}
                onChange={(target) => set({ target }, 'target')}
              />
            </>
          );
        }}
      </Entries>
      <h3 className="font-semibold">Features</h3>
      <Entries
        entries={block.rows}
        noun="Feature"
        max={MAX_FEATURES}
        make={() => ({ feature: '[Name of the feature]', values: block.products.map(() => emptyCell) })}
        onChange={(rows) => onChange({ ...block, rows }, '')}
      >
        {(row, index) => (
          <FeatureFields
            row={row}
            index={index}
            products={block.products.map(({ name }) => name)}
            onChange={(next, field) =>
              onChange({ ...block, rows: block.rows.with(index, next) }, `rows.${index}.${field}`)
            }
          />
        )}
      </Entries>
    </>
  );
}

/** The block with these products; `columns`: where each was, -1 for a new one. */
export function withColumns(
  block: Comparison,
  products: Comparison['products'],
  columns: readonly number[],
): Comparison {
  const rows = block.rows.map((row) => ({ ...row, values: columns.map((column) => row.values[column] ?? emptyCell) }));
  return { ...block, products, rows };
}

interface FeatureProps {
  readonly row: ComparedFeature;
  readonly index: number;
  readonly products: readonly string[];
  readonly onChange: (row: ComparedFeature, field: string) => void;
}

function FeatureFields({ row, index, products, onChange }: FeatureProps) {
  return (
    <>
      <Line
        label="Feature"
        path={`rows.${index}.feature`}
        required
        maxLength={120}
        value={row.feature}
        onChange={(feature) => onChange({ ...row, feature }, 'feature')}
      />
      {products.map((product, column) => (
        <CellField
          key={column}
          product={product}
          path={`rows.${index}.values.${column}`}
          cell={row.values[column] ?? emptyCell}
          onChange={(cell) => onChange({ ...row, values: row.values.with(column, cell) }, `values.${column}`)}
        />
      ))}
    </>
  );
}

interface CellProps {
  readonly product: string;
  readonly path: string;
  readonly cell: Cell;
  readonly onChange: (cell: Cell) => void;
}

function CellField({ product, path, cell, onChange }: CellProps) {
  const choose = (kind: string) =>
    onChange(
      kind === 'yes' || kind === 'no' ? { kind } : { kind: 'text', text: cell.kind === 'text' ? cell.text : '' },
    );
  return (
    <div className="flex items-end gap-2">
      <div className="min-w-0 flex-1">
        {cell.kind === 'text' ? (
          <Line
            label={product}
            path={path}
            maxLength={160}
            value={cell.text}
            onChange={(text) => onChange({ kind: 'text', text })}
          />
        ) : (
          <p className="truncate pb-2 font-medium">{product}</p>
        )}
      </div>
      <Select label={`Value for ${product}`} value={cell.kind} onChange={(event) => choose(event.target.value)}>
        <option value="text">Text</option>
        <option value="yes">Yes</option>
        <option value="no">No</option>
      </Select>
    </div>
  );
}
