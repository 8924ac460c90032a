import { splitUnquoted, unquote } from './quoted-text.ts'

/** A scheme and its parameters, as in `WWW-Authenticate` and `Authorization` (RFC 9110 11.2). */
export type Challenge = {
  /** The scheme in lower case. */
  readonly scheme: string
  /** The parameters by name in lower case, without quotes; of a repeated name the first value. */
  readonly parameters: ReadonlyMap<string, string>
}

const PARAMETER = /^([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*)$/su
const SCHEME = /^([\w-]+)(?:\s+(?!=)(.*))?$/su

/** Parses the values of all headers of a kind, each of which can have several challenges in it. */
export function parseChallenges(values: readonly string[]): Challenge[] {
  return values.flatMap(parseValue)
}

/** Parses parameters that stand without a scheme, as in `Authentication-Info`; of a repeated name the first value counts. */
export function parseParameters(value: string): Challenge['parameters'] {
  const parameters = new Map<string, string>()
  for (const part of splitUnquoted(value, ',')) addParameter(parameters, part)
  return parameters
}

function parseValue(value: string): Challenge[] {
  const challenges: Challenge[] = []
  let parameters: Map<string, string> | undefined
  for (const part of splitUnquoted(value, ',')) {
    const [, scheme, first] = SCHEME.exec(part) ?? []
    if (scheme !== undefined) {
      parameters = new Map()
      challenges.push({ scheme: scheme.toLowerCase(), parameters })
    }
    if (parameters !== undefined) addParameter(parameters, scheme === undefined ? part : (first ?? ''))
  }
  return challenges
}

function addParameter(parameters: Map<string, string>, part: string): void {
  const [, name, text] = PARAMETER.exec(part) ?? []
  if (name === undefined || text === undefined || parameters.has(name.toLowerCase())) return
  parameters.set(name.toLowerCase(), unquote(text))
}
