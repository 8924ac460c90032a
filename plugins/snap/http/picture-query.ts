import { InvalidRequest, parseQuery } from 'sluice/sdk'
import { FOLDER } from '../config.ts'
import type { Watermark } from '../picture/watermark.ts'

/** A request for a picture (api.md 8.7). */
export type PictureQuery = {
  readonly watermark: Watermark
  /** The folder in which it is to be kept, below the root of the storage; undefined when it is not kept. */
  readonly savePath: string | undefined
  /** True when its address is requested, not the picture. */
  readonly isUrl: boolean
}

type Params = Readonly<Record<string, string>>

const DEFAULT_COLOR = 'rgba(255,165,0,1)'
const MAX_FONT_SIZE = 1000
/** The largest side of a picture. */
const MAX_OFFSET = 65_535

/** The query of a request's target; its names may be in camelCase or snake_case, as everywhere in the API. */
export function paramsOf(target: string): Params {
  const start = target.indexOf('?')
  const params: Record<string, string> = {}
  for (const [name, value] of Object.entries(parseQuery(start < 0 ? '' : target.slice(start + 1)))) {
    params[name.replaceAll(/_([a-z])/gu, (_match, letter: string) => letter.toUpperCase())] ??= value
  }
  return params
}

/** True when a picture is to be kept, which is for admins. */
export function keepsPicture(params: Params): boolean {
  return (params['savePath'] ?? '') !== ''
}

/** @throws {InvalidRequest} with the name of the parameter that is wrong */
export function readPictureQuery(params: Params): PictureQuery {
  const isUrl = ['1', 'true'].includes(params['isUrl'] ?? '')
  if (isUrl && !keepsPicture(params))
    throw new InvalidRequest('isUrl needs a savePath: only a picture that is kept has an address')
  return {
    watermark: {
      text: params['watermark'] ?? '',
      fontPath: params['fontPath'] ?? '',
      fontColor: params['fontColor'] || DEFAULT_COLOR,
      fontSize: numberOf(params, 'fontSize', { unset: 36, minimum: 1, maximum: MAX_FONT_SIZE }),
      fontSpacing: numberOf(params, 'fontSpacing', { unset: 2, minimum: 0, maximum: MAX_FONT_SIZE }),
      offsetX: numberOf(params, 'offsetX', { unset: 0, minimum: 0, maximum: MAX_OFFSET }),
      offsetY: numberOf(params, 'offsetY', { unset: 0, minimum: 0, maximum: MAX_OFFSET }),
    },
    savePath: readFolder(params),
    isUrl,
  }
}

/**
 * Reads a time in Unix seconds.
 * @returns milliseconds since the Unix epoch
 * @throws {InvalidRequest} when it is malformed
 */
export function readSnapTime({ snapTime = '' }: Params): number {
  if (!/^\d{1,11}(?:\.\d{1,3})?$/u.test(snapTime)) throw new InvalidRequest('snapTime must be a time in Unix seconds')
  return Number(snapTime) * 1000
}

/**
 * Parses the time between pictures.
 * @returns milliseconds; 0 for all keyframes
 * @throws {InvalidRequest} when it is not a whole number of seconds
 */
export function readGranularity({ granularity = '' }: Params): number {
  const seconds = granularity === '' ? 0 : Number(granularity)
  if (!/^\d*$/u.test(granularity) || seconds > 86_400) {
    throw new InvalidRequest('granularity must be a number of seconds, up to 86400; 0 is every keyframe')
  }
  return seconds * 1000
}

/**
 * Reads the folder in which a picture is to be kept; undefined where none is named.
 * @throws {InvalidRequest} when it does not lie below that of the storage
 */
export function readFolder({ savePath = '' }: Params): string | undefined {
  if (!new RegExp(FOLDER, 'u').test(savePath))
    throw new InvalidRequest('savePath must be a folder below that of storage')
  return savePath === '' ? undefined : savePath
}

type NumberRange = { readonly unset: number; readonly minimum: number; readonly maximum: number }

function numberOf(params: Params, name: string, { unset, minimum, maximum }: NumberRange): number {
  const text = params[name] ?? ''
  if (text === '') return unset
  const value = Number(text)
  if (!/^\d{1,5}(?:\.\d{1,4})?$/u.test(text) || value < minimum || value > maximum) {
    throw new InvalidRequest(`${name} must be a number from ${minimum} to ${maximum}`)
  }
  return value
}
