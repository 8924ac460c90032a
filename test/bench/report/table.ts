/** Rows under their headings, the columns aligned: the first ones of text to the left, numbers to the right. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, index) =>
    Math.max(heading.length, ...rows.map((row) => (row[index] ?? '').length)),
  )
  const numeric = headings.map((_, index) => rows.every((row) => /^[-–\d.]*$/u.test(row[index] ?? '')))
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, index) => aligned(cells[index] ?? '', width, numeric[index] === true)).join(' | ')} |\n`
  const rule = widths.map((width, index) => (numeric[index] === true ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)))
  return line(headings) + line(rule) + rows.map(line).join('')
}

/** A dash for what was not measured. */
export function formatNumber(value: number | undefined, digits: number): string {
  return value === undefined || !Number.isFinite(value) ? '–' : value.toFixed(digits)
}

function aligned(cell: string, width: number, right: boolean): string {
  return right ? cell.padStart(width) : cell.padEnd(width)
}
