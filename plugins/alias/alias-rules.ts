import { isStreamPath } from 'sluice/sdk'

/** The target of an alias: a path, and the query that its on-demand sources receive. */
export type AliasTarget = { readonly streamPath: string; readonly query: string }

/** Parses a target such as `live/a?key=value`. */
export function parseTarget(written: string): AliasTarget {
  const [streamPath = '', query = ''] = written.split(/\?(.*)/su)
  return { streamPath, query }
}

/** The rules of `global.streamalias`, in the order of the file. */
export class AliasRules {
  readonly #rules: readonly { readonly pattern: RegExp; readonly target: string }[]

  /** @param rules targets by regular expression, with `$0` to `$9` for the match and its groups */
  constructor(rules: Readonly<Record<string, string>>) {
    this.#rules = Object.entries(rules).map(([pattern, target]) => ({ pattern: new RegExp(pattern, 'u'), target }))
  }

  /** Returns the target of a path by the first rule that matches it; undefined when none does, or when its target is no other path. */
  match(streamPath: string): AliasTarget | undefined {
    for (const { pattern, target } of this.#rules) {
      const groups = pattern.exec(streamPath)
      if (groups === null) continue
      const filled = target.replaceAll(/\$(\d)/gu, (reference, digit: string) =>
        Number(digit) < groups.length ? (groups[Number(digit)] ?? '') : reference,
      )
      const found = parseTarget(filled)
      return isStreamPath(found.streamPath) && found.streamPath !== streamPath ? found : undefined
    }
    return undefined
  }
}
