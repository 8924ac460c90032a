import { Type, type Static } from 'sluice/sdk'

/** `fragment x window`; a number without unit is seconds. */
const RULE = /^\s*(\d+(?:\.\d+)?)(ms|s|m)?\s*[xX*]\s*([3-9]|[1-9]\d{1,2}|1000)\s*$/u
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 }

/** A rule of `onpub.transform`. In its place, a string is its `input`. */
export const TransformRule = Type.Object({
  input: Type.String({ pattern: RULE.source, description: 'Fragment and window, for example "5s x 3"' }),
})
export type TransformRule = Static<typeof TransformRule>

/** How streams are cut whose path matches. */
export type PathRule = { readonly pattern: RegExp; readonly fragmentMs: number; readonly window: number }

/**
 * Reads the rules, in their order.
 * @throws {Error} when one can't be understood
 */
export function parseTransformRules(written: Readonly<Record<string, TransformRule>>): PathRule[] {
  return Object.entries(written).map(([expression, { input }]) => {
    const [, amount, unit = 's', window] = RULE.exec(input) ?? []
    if (amount === undefined) throw new Error(`onpub.transform: "${input}" is not fragment x window, as "5s x 3"`)
    return {
      pattern: new RegExp(expression, 'u'),
      fragmentMs: Number(amount) * (UNIT_MS[unit] ?? 0),
      window: Number(window),
    }
  })
}
