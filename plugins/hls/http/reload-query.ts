import { InvalidRequest } from 'sluice/sdk'
import { addressText } from './request-target.ts'

/** The query of a request for a media playlist (draft-pantos-hls-rfc8216bis 6.2.5). */
export type ReloadQuery = {
  /** The query that addresses in the playlist carry on: empty, or `?` and the query as it was sent, without directives. */
  readonly carried: string
  /** `_HLS_msn`: wait for this segment, or for a part of it. */
  readonly msn?: number
  /** `_HLS_part`. */
  readonly part?: number
  /** `_HLS_skip`: a delta update will do. */
  readonly skip: boolean
}

const DIRECTIVE = '_HLS_'
/** Longer ones are past any segment there can be. */
const NUMBER = /^\d{1,15}$/u

/** @throws {InvalidRequest} when a directive's value can't be */
export function parseReloadQuery(query: string): ReloadQuery {
  if (!query.includes(DIRECTIVE)) return { carried: carriedOn(query), skip: false }
  const directives = new URLSearchParams(query)
  const msn = numberOf(directives, '_HLS_msn')
  const part = numberOf(directives, '_HLS_part')
  if (part !== undefined && msn === undefined) throw new InvalidRequest('_HLS_part needs _HLS_msn')
  return {
    carried: carriedOn(query),
    ...(msn === undefined ? {} : { msn }),
    ...(part === undefined ? {} : { part }),
    skip: skipOf(directives),
  }
}

function carriedOn(query: string): string {
  const kept = query.includes(DIRECTIVE)
    ? query
        .split('&')
        .filter((parameter) => !parameter.startsWith(DIRECTIVE))
        .join('&')
    : query
  return kept === '' ? '' : `?${addressText(kept)}`
}

function numberOf(directives: URLSearchParams, name: string): number | undefined {
  const text = directives.get(name)
  if (text === null) return undefined
  if (!NUMBER.test(text)) throw new InvalidRequest(`${name} is no number`)
  return Number(text)
}

function skipOf(directives: URLSearchParams): boolean {
  const text = directives.get('_HLS_skip')
  if (text !== null && text !== 'YES' && text !== 'v2') throw new InvalidRequest('_HLS_skip is neither YES nor v2')
  return text !== null
}
