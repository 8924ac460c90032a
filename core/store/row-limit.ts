/** The most rows of a query: they are in memory at once. */
export const MAX_ROWS = 100_000
export const TOO_MANY_ROWS = `the query gives more than ${MAX_ROWS} rows: ask for them page by page`
