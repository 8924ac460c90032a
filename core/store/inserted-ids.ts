/**
 * The ids of rows that one statement has inserted, in the order of its values: they are counted up in that order, although
 * the answer may have another one.
 */
export function insertedIds(rows: readonly { readonly id: number }[]): number[] {
  return rows.map(({ id }) => id).toSorted((one, other) => one - other)
}
