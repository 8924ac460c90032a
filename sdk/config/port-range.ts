/** Ports from the first to the last, both included. */
export type PortRange = { readonly first: number; readonly last: number }

const RANGE = /^(\d{1,5})(?:-(\d{1,5}))?$/
const MAX_PORT = 65_535

/** Reads `20001-30000`, or one port; undefined for anything else. */
export function parsePortRange(text: string): PortRange | undefined {
  const [, from, to = from] = RANGE.exec(text) ?? []
  const [first, last] = [Number(from), Number(to)]
  return first >= 1 && first <= last && last <= MAX_PORT ? { first, last } : undefined
}
