// A table edited cell by cell: arrow keys, Tab and Enter move, a copied part of a spreadsheet is pasted as it is.
import { ArrowDown, ArrowLeft, ArrowRight, ArrowUp, Columns3, Rows3, Trash2, type LucideIcon } from 'lucide-react';
import { useEffect, useRef, useState, type ClipboardEvent, type KeyboardEvent } from 'react';
import { Button } from '@/components/ui/button';
import { cx } from '@/lib/cx';
import { messageAt } from '../lib/faults';
import type { Comparison } from '../lib/document';
import * as table from '../lib/table';
import type { Place } from '../lib/table';
import { useBlockContext, useWantedText } from './block-context';

interface Props {
  readonly block: Comparison;
  /** The cell that is edited. */
  readonly place: Place;
  readonly onPlace: (place: Place) => void;
  readonly onChange: (block: Comparison, field: string) => void;
}

export function TableGrid({ block, place, onPlace, onChange }: Props) {
  const grid = useRef<HTMLTableElement>(null);
  /** The cell that gets the focus once it is there. */
  const next = useRef<Place | null>(null);
  const [note, setNote] = useState('');
  const rows = table.rowsOf(block);
  const columns = table.columnsOf(block);
  useEffect(() => {
    if (!next.current) return;
    fieldAt(grid.current, next.current)?.focus();
    next.current = null;
  });
  const go = (to: Place): boolean => {
    const field = fieldAt(grid.current, to);
    field?.focus();
    field?.select();
    return field !== null;
  };
  /** Changes rows or columns, and goes to a cell of the result. */
  const change = (changed: Comparison, to: Place) => {
    setNote('');
    next.current = {
      row: Math.min(to.row, table.rowsOf(changed) - 1),
      column: Math.min(to.column, table.columnsOf(changed) - 1),
    };
    onPlace(next.current);
    onChange(changed, '');
  };
  const pressed = (event: KeyboardEvent<HTMLInputElement>, at: Place) => {
    if (event.nativeEvent.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
    const to = target(event, at);
    if (!to) return;
    if (go(to)) event.preventDefault();
    else if (
      event.key === 'Enter' &&
      !event.shiftKey &&
      at.row === rows - 1 &&
      block.rows.length < table.MAX_FEATURES
    ) {
      event.preventDefault();
      change(table.addRow(block, at.row), { ...at, row: at.row + 1 });
    }
  };
  const pasted = (event: ClipboardEvent, at: Place) => {
    const copied = event.clipboardData.getData('text/plain');
    if (!/[\t\n]/.test(copied.trimEnd())) return; // a text for one cell
    event.preventDefault();
    const { block: made, left } = table.paste(block, at, table.cellsOf(copied));
    change(made, at);
    if (left > 0)
      setNote(
        `${left} ${left === 1 ? 'cell does' : 'cells do'} not fit: at most ${table.MAX_PRODUCTS} products and ${table.MAX_FEATURES} features.`,
      );
  };
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Tools block={block} place={place} onChange={change} />
      <div className="overflow-x-auto rounded-lg border border-line">
        <table ref={grid} aria-label="Table" className="w-full border-collapse text-[0.8125rem]">
          <tbody>
            {Array.from({ length: rows }, (_, row) => (
              <tr key={row}>
                {Array.from({ length: columns }, (_empty, column) =>
                  row === 0 && column === 0 ? (
                    <td key={column} className="sticky left-0 z-raised border-b border-line bg-sunken" />
                  ) : (
                    <GridCell
                      key={column}
                      block={block}
                      at={{ row, column }}
                      onFocus={() => onPlace({ row, column })}
                      onChange={onChange}
                      onKeyDown={(event) => pressed(event, { row, column })}
                      onPaste={(event) => pasted(event, { row, column })}
                    />
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="text-[0.8125rem] text-muted">
        Type yes or no for a check mark or a cross. Paste cells from a spreadsheet anywhere.
      </p>
      {note && (
        <p role="status" className="text-[0.8125rem] text-warn">
          {note}
        </p>
      )}
    </div>
  );
}

const nameOfPlace = ({ row, column }: Place): string => `${row}:${column}`;

const fieldAt = (grid: HTMLElement | null, place: Place): HTMLInputElement | null =>
  grid?.querySelector<HTMLInputElement>(`[data-place="${nameOfPlace(place)}"]`) ?? null;

/** Where a key leads. Left and right leave a cell only at the end of its text. */
function target({ key, shiftKey, currentTarget: field }: KeyboardEvent<HTMLInputElement>, at: Place): Place | null {
  const { selectionStart: from, selectionEnd: to, value } = field;
  const isWhole = from === 0 && to === value.length;
  const isRtl = getComputedStyle(field).direction === 'rtl';
  const atStart = isWhole || to === 0;
  const atEnd = isWhole || from === value.length;
  if (key === 'ArrowUp' || (key === 'Enter' && shiftKey)) return { ...at, row: at.row - 1 };
  if (key === 'ArrowDown' || key === 'Enter') return { ...at, row: at.row + 1 };
  if (shiftKey) return null;
  if (key === 'ArrowLeft' && (isRtl ? atEnd : atStart)) return { ...at, column: at.column - 1 };
  return key === 'ArrowRight' && (isRtl ? atStart : atEnd) ? { ...at, column: at.column + 1 } : null;
}

interface CellProps {
  readonly block: Comparison;
  readonly at: Place;
  readonly onFocus: () => void;
  readonly onChange: (block: Comparison, field: string) => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => void;
  readonly onPaste: (event: ClipboardEvent) => void;
}

function GridCell({ block, at, onFocus, onChange, onKeyDown, onPaste }: CellProps) {
  const { faults, blockId } = useBlockContext();
  const path = table.pathAt(at);
  const field = useWantedText<HTMLInputElement>(path);
  const text = table.textAt(block, at);
  const fault = messageAt(faults, blockId, path);
  const isName = at.row === 0 || at.column === 0;
  const Element = isName ? 'th' : 'td';
  return (
    <Element
      scope={isName ? (at.row === 0 ? 'col' : 'row') : undefined}
      className={cx(
        'min-w-28 border-line p-0 text-left font-normal not-last:border-r',
        'border-b',
        at.column === 0 && 'sticky left-0 z-raised min-w-32 bg-sunken',
        at.row === 0 && 'bg-sunken',
      )}
    >
      <input
        ref={field}
        dir="auto"
        data-place={nameOfPlace(at)}
        aria-label={labelAt(block, at)}
        aria-invalid={fault ? true : undefined}
        title={fault}
        maxLength={table.maxLengthAt(at)}
        value={text}
        className={cx(
          'h-9 w-full bg-transparent px-2 focus:bg-surface focus:outline-2 focus:-outline-offset-2 focus:outline-brand aria-invalid:outline-2 aria-invalid:-outline-offset-2 aria-invalid:outline-bad',
          isName && 'font-medium',
        )}
        onFocus={onFocus}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        onChange={(event) => onChange(table.setCell(block, at, { kind: 'text', text: event.target.value }), path)}
        onBlur={(event) => {
          const cell = table.cellOf(event.target.value);
          if (!isName && cell.kind !== 'text' && table.textOfCell(cell) !== text)
            onChange(table.setCell(block, at, cell), path);
        }}
      />
    </Element>
  );
}

function labelAt(block: Comparison, { row, column }: Place): string {
  if (row === 0) return `Product ${column}`;
  if (column === 0) return `Feature ${row}`;
  const feature = table.textAt(block, { row, column: 0 }) || `Feature ${row}`;
  return `${feature}, ${table.textAt(block, { row: 0, column }) || `Product ${column}`}`;
}

interface ToolsProps {
  readonly block: Comparison;
  readonly place: Place;
  readonly onChange: (block: Comparison, to: Place) => void;
}

/** What can be done with the row and the column of the cell that is edited. */
function Tools({ block, place, onChange }: ToolsProps) {
  const row = Math.min(place.row, block.rows.length);
  const column = Math.min(place.column, block.products.length);
  const at = { row, column };
  const isRow = row > 0;
  const isColumn = column > 0;
  return (
    <div role="toolbar" aria-label="Rows and columns" className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <div className="flex items-center">
        <Tool
          label="Add row"
          Icon={Rows3}
          disabled={block.rows.length >= table.MAX_FEATURES}
          onPress={() => onChange(table.addRow(block, row), { row: row + 1, column: 0 })}
        >
          Row
        </Tool>
        <Tool
          label="Move row up"
          Icon={ArrowUp}
          disabled={row < 2}
          onPress={() => onChange(table.moveRow(block, row, -1), { ...at, row: row - 1 })}
        />
        <Tool
          label="Move row down"
          Icon={ArrowDown}
          disabled={!isRow || row === block.rows.length}
          onPress={() => onChange(table.moveRow(block, row, 1), { ...at, row: row + 1 })}
        />
        <Tool
          label="Remove row"
          Icon={Trash2}
          disabled={!isRow || block.rows.length === 1}
          onPress={() => onChange(table.removeRow(block, row), at)}
        />
      </div>
      <div className="flex items-center">
        <Tool
          label="Add column"
          Icon={Columns3}
          disabled={block.products.length >= table.MAX_PRODUCTS}
          onPress={() => onChange(table.addColumn(block, column), { row: 0, column: column + 1 })}
        >
          Column
        </Tool>
        <Tool
          label="Move column left"
          Icon={ArrowLeft}
          disabled={column < 2}
          onPress={() => onChange(table.moveColumn(block, column, -1), { ...at, column: column - 1 })}
        />
        <Tool
          label="Move column right"
          Icon={ArrowRight}
          disabled={!isColumn || column === block.products.length}
          onPress={() => onChange(table.moveColumn(block, column, 1), { ...at, column: column + 1 })}
        />
        <Tool
          label="Remove column"
          Icon={Trash2}
          disabled={!isColumn || block.products.length === 1}
          onPress={() => onChange(table.removeColumn(block, column), at)}
        />
      </div>
    </div>
  );
}

interface ToolProps {
  readonly label: string;
  readonly Icon: LucideIcon;
  readonly disabled: boolean;
  readonly onPress: () => void;
  readonly children?: string;
}

function Tool({ label, Icon, disabled, onPress, children }: ToolProps) {
  return (
    <Button
      size="sm"
      variant={children ? 'outline' : 'ghost'}
      aria-label={label}
      title={label}
      aria-disabled={disabled}
      onClick={() => !disabled && onPress()}
    >
      <Icon aria-hidden className="size-4" />
      {children}
    </Button>
  );
}
