/** What a run comes to. */
export type Outcome = { readonly passed: number; readonly failed: number; readonly skipped: number }

let printed = false

/** Prints the line that ends every run: `N passed, N failed`, and `, N skipped` when some were. */
export function printSummary({ passed, failed, skipped }: Outcome): void {
  printed = true
  process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`)
}

/** Whether a reporter got as far as the summary; it does not when a test file can't be loaded. */
export function isSummaryPrinted(): boolean {
  return printed
}
