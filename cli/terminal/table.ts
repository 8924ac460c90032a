import { styleText } from 'node:util'
import { cutToWidth, displayWidth } from './display-width.ts'
import { printable } from './printable.ts'

const GAP = '  '
/** The least width of a column that is cut to make a table fit. */
const MIN_WIDTH = 6

/** One column of a table. */
export type Column<Row> = {
  readonly title: string
  readonly value: (row: Row) => string
  /** `right` for numbers. */
  readonly align?: 'right'
}

/** Returns the lines of a table that is at most `width` cells wide: the widest columns are cut until it fits. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): string[] {
  const cells = rows.map((row) => columns.map(({ value }) => printable(value(row))))
  const titles = columns.map(({ title }) => title)
  const widths = fittingWidths(
    columns.map((_, index) => Math.max(...[titles, ...cells].map((line) => displayWidth(line[index] ?? '')))),
    width,
  )
  const lineOf = (texts: readonly string[]) => {
    const parts = columns.map(({ align }, index) => padded(texts[index] ?? '', widths[index] ?? 0, align))
    return cutToWidth(parts.join(GAP).trimEnd(), width)
  }
  return [styleText('bold', lineOf(titles)), ...cells.map(lineOf)]
}

/** Returns lines of names and their values, with the values aligned. Empty values are left out. */
export function fieldLines(fields: readonly (readonly [name: string, value: string])[]): string[] {
  const shown = fields.filter(([, value]) => value !== '')
  const width = Math.max(0, ...shown.map(([name]) => displayWidth(name)))
  return shown.map(([name, value]) => `${styleText('bold', padded(name, width))}${GAP}${printable(value)}`)
}

function fittingWidths(natural: readonly number[], width: number): number[] {
  const available = width - GAP.length * (natural.length - 1)
  const widths = natural.map((wanted) => Math.min(wanted, Math.max(available, MIN_WIDTH)))
  let excess = widths.reduce((sum, each) => sum + each, 0) - available
  while (excess > 0) {
    const widest = Math.max(...widths)
    if (widest <= MIN_WIDTH) break
    widths[widths.indexOf(widest)] = widest - 1
    excess -= 1
  }
  return widths
}

function padded(text: string, width: number, align?: Column<unknown>['align']): string {
  const cut = cutToWidth(text, width)
  const padding = ' '.repeat(width - displayWidth(cut))
  return align === 'right' ? padding + cut : cut + padding
}
