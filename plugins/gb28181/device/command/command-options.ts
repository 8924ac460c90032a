import { parseArgs } from 'node:util'
import type { GbDeviceOptions, GbPosition, GbServer } from '../device-options.ts'
import type { Charset } from '../manscdp/charset.ts'
import type { ClipAudio, FfmpegClip } from '../media/ffmpeg-clip.ts'
import { parseQuirks, type Quirk } from '../quirks.ts'
import { parseSipUri } from '../sip/address.ts'

/** The command line can't be understood. */
export class WrongOptions extends Error {
  override readonly name = 'WrongOptions'
}

/** The options of `sluice gb-device`. */
export type CommandOptions = {
  /** The options of all devices, without what differs. */
  readonly device: Omit<GbDeviceOptions, 'id' | 'source' | 'recordings' | 'onEvent' | 'site'>
  /** One for each device. */
  readonly ids: readonly string[]
  readonly sharesSocket: boolean
  readonly retryMs: number
  /** Recordings go back so far; 0 for none. */
  readonly recordedMs: number
  /** The file as it is, where ffmpeg isn't asked for anything. */
  readonly file: string | undefined
  /** The clip that ffmpeg makes; undefined where the file is read as it is. */
  readonly ffmpeg: FfmpegClip | undefined
}

type Version = NonNullable<GbDeviceOptions['version']>

const OPTIONS = {
  server: { type: 'string' },
  id: { type: 'string', default: '34020000001110000001' },
  count: { type: 'string', default: '1' },
  'share-socket': { type: 'boolean', default: false },
  'password-env': { type: 'string' },
  password: { type: 'string' },
  realm: { type: 'string' },
  channels: { type: 'string', default: '1' },
  name: { type: 'string' },
  transport: { type: 'string', default: 'udp' },
  'gb-version': { type: 'string' },
  charset: { type: 'string' },
  expires: { type: 'string', default: '3600' },
  keepalive: { type: 'string', default: '60' },
  retry: { type: 'string', default: '60' },
  'page-size': { type: 'string', default: '4' },
  file: { type: 'string' },
  'test-picture': { type: 'boolean', default: false },
  codec: { type: 'string' },
  audio: { type: 'string' },
  recordings: { type: 'string' },
  position: { type: 'string' },
  quirk: { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h', default: false },
} as const

const MAX_COUNT = 100_000
const DEFAULT_PORT = 5060
const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
/** The slices of each picture of a device that sends several. */
const SLICES = 4

/**
 * Reads the arguments after `gb-device`; undefined when the help is asked for.
 * @throws {WrongOptions} when they are wrong
 */
export function parseOptions(args: readonly string[], env: NodeJS.ProcessEnv): CommandOptions | undefined {
  const values = valuesOf(args)
  if (values.help) return undefined
  const quirks = quirksOf(values.quirk ?? [])
  const { transport, charset, codec, audio, file } = values
  const version = values['gb-version']
  const position = values.position === undefined ? undefined : positionOf(values.position)
  const isPlain = file !== undefined && codec === undefined && audio === undefined
  return {
    device: {
      server: serverOf(values.server, values.realm),
      password: passwordOf(values, env),
      transport: oneOf('transport', transport, ['udp', 'tcp']),
      ...(version !== undefined && { version: oneOf<Version>('gb-version', version, ['1.0', '1.1', '2.0', '3.0']) }),
      ...(charset !== undefined && {
        charset: oneOf<Charset>('charset', charset.toUpperCase(), ['GB2312', 'GB18030', 'UTF-8']),
      }),
      expires: numberOf('expires', values.expires),
      keepaliveSeconds: numberOf('keepalive', values.keepalive),
      retryMs: numberOf('retry', values.retry) * 1000,
      channels: numberOf('channels', values.channels),
      pageSize: numberOf('page-size', values['page-size']),
      ...(values.name !== undefined && { name: values.name }),
      ...(position !== undefined && { position }),
      quirks,
    },
    ids: idsOf(values.id, numberOf('count', values.count)),
    sharesSocket: values['share-socket'],
    retryMs: numberOf('retry', values.retry) * 1000,
    recordedMs: values.recordings === undefined ? 0 : durationOf(values.recordings),
    file,
    ffmpeg: isPlain
      ? undefined
      : {
          ...(file !== undefined && { file }),
          ...(codec !== undefined && { codec: oneOf('codec', codec, ['h264', 'h265']) }),
          ...(audio !== undefined && {
            audio: oneOf<ClipAudio>('audio', audio, ['pcma', 'pcmu', 'aac', 'mp2', 'none']),
          }),
          ...(quirks.includes('slices') && { slices: SLICES }),
        },
  }
}

function valuesOf(args: readonly string[]) {
  try {
    const { values } = parseArgs({ args: [...args], options: OPTIONS })
    if (values['test-picture'] && values.file !== undefined)
      throw new WrongOptions('--file or --test-picture, not both')
    return values
  } catch (error) {
    throw error instanceof Error ? new WrongOptions(error.message) : error
  }
}

function serverOf(text: string | undefined, realm: string | undefined): GbServer {
  if (text === undefined) throw new WrongOptions('--server is missing')
  try {
    const { user, host, port = DEFAULT_PORT } = parseSipUri(text)
    if (user === '') throw new WrongOptions('--server has no id: sip:ID@HOST:PORT')
    return { id: user, host, port, ...(realm !== undefined && { realm }) }
  } catch (error) {
    throw error instanceof WrongOptions ? error : new WrongOptions(`--server is sip:ID@HOST:PORT, and not "${text}"`)
  }
}

function passwordOf(
  { password, 'password-env': variable }: { password?: string | undefined; 'password-env'?: string | undefined },
  env: NodeJS.ProcessEnv,
): string {
  if (variable === undefined) return password ?? ''
  if (password !== undefined) throw new WrongOptions('--password or --password-env, not both')
  const value = env[variable]
  if (value === undefined) throw new WrongOptions(`the environment has no ${variable}`)
  return value
}

function idsOf(id: string, count: number): string[] {
  if (!/^\d{1,20}$/u.test(id)) throw new WrongOptions('--id has other signs than digits, or too many')
  if (count > MAX_COUNT) throw new WrongOptions(`--count is at most ${MAX_COUNT}`)
  return Array.from({ length: count }, (_, index) => String(BigInt(id) + BigInt(index)).padStart(id.length, '0'))
}

function quirksOf(lists: readonly string[]): Quirk[] {
  try {
    return lists.flatMap(parseQuirks)
  } catch (error) {
    throw error instanceof RangeError ? new WrongOptions(error.message) : error
  }
}

function positionOf(text: string): GbPosition {
  const [longitude = NaN, latitude = NaN] = text.split(',').map(Number)
  if (Number.isNaN(longitude) || Number.isNaN(latitude)) throw new WrongOptions('--position is LON,LAT')
  return { longitude, latitude }
}

function oneOf<Value extends string>(name: string, text: string, values: readonly Value[]): Value {
  const value = values.find((other) => other === text)
  if (value === undefined) throw new WrongOptions(`--${name} is one of ${values.join(', ')}, and not "${text}"`)
  return value
}

function numberOf(name: string, text: string): number {
  const number = Number(text)
  if (!/^\d+(?:\.\d+)?$/u.test(text) || number === 0) throw new WrongOptions(`--${name} is a number, and not "${text}"`)
  return number
}

function durationOf(text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([smhd])$/u.exec(text) ?? []
  const unitMs = UNITS_MS[unit]
  if (number === undefined || unitMs === undefined) throw new WrongOptions(`--recordings is a time such as 1h`)
  return Number(number) * unitMs
}
