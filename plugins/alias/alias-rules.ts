import { isStreamPath } from 'sluice/sdk'

/** The target of an alias: a path, and the query that its on-demand sources are told. */
export type AliasTarget = { readonly streamPath: string; readonly query: string }

/** A target as it is written, `live/a?key=value`. */
export function parseTarget(written: string): AliasTarget {
  const [streamPath = '', query = ''] = written.split(/\?(.*)/su)
  return { streamPath, query }
}

/** The rules of `global.streamalias`, in the order of the file. */
export class AliasRules {
  readonly #rules: readonly { readonly pattern: RegExp; readonly target: string }[]

  /** @param rules regular expression to target, with `$0` to `$9` for the match and its groups */
  constructor(rules: Readonly<Record<string, string>>) {
    this.#rules = Object.entries(rules).map(([pattern, target]) => ({ pattern: new RegExp(pattern, 'u'), target }))
  }

  /** The target of a path, by the first rule that matches it and gives another path; undefined where there is none. */
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
