import { Type } from 'sluice/sdk'

/** `fragment x window`; a number without unit is seconds. */
const RULE = /^\s*(\d+(?:\.\d+)?)(ms|s|m)?\s*[xX*]\s*([1-9]\d{0,3})\s*$/u
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 }
const MIN_WINDOW = 3
const MAX_WINDOW = 1000

export const TRANSFORM_RULE = Type.String({
  pattern: RULE.source,
  description: 'Fragment and window, for example "5s x 3"',
})

/** What `onpub.transform` says about the streams whose path matches. */
export type TransformRule = { readonly pattern: RegExp; readonly fragmentMs: number; readonly window: number }

type Written = Readonly<Record<string, string | { readonly input: string }>>

/**
 * Reads the rules, in their order.
 * @throws {Error} when an expression or a rule can't be understood
 */
export function parseTransformRules(written: Written): TransformRule[] {
  return Object.entries(written).map(([expression, rule]) => {
    return { pattern: patternOf(expression), ...parseRule(typeof rule === 'string' ? rule : rule.input) }
  })
}

function parseRule(text: string): Omit<TransformRule, 'pattern'> {
  const [, amount, unit = 's', window] = RULE.exec(text) ?? []
  const count = Number(window)
  if (amount === undefined || !(count >= MIN_WINDOW && count <= MAX_WINDOW)) {
    throw new Error(`onpub.transform: expected fragment x window, as "5s x 3", at least 3 segments, found "${text}"`)
  }
  return { fragmentMs: Number(amount) * (UNIT_MS[unit] ?? 0), window: count }
}

function patternOf(expression: string): RegExp {
  try {
    return new RegExp(expression, 'u')
  } catch (cause) {
    throw new Error(`onpub.transform: "${expression}" is no regular expression`, { cause })
  }
}
