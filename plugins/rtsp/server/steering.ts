import type { SourceControl, SourcePosition, Subscriber } from 'sluice/sdk'
import type { RtspHeaders } from '../wire/message/headers.ts'
import { parseRange, serializeRange, type Range } from '../wire/range.ts'
import { parseScale } from '../wire/scale.ts'
import { refusedIfMalformed, RtspRefusal } from './refusal.ts'
import type { HeaderFields } from './session.ts'

/** The range in the answer to a live stream: from now on. */
const LIVE = 'npt=now-'
const NORMAL_SCALE = ['Scale', '1'] as const

/**
 * Obeys Range and Scale of a PLAY (RFC 2326 12.29, 12.34) where the source is the player's own, and returns the header fields of the
 * answer. A live stream goes on as it was.
 * @throws {RtspRefusal} when a header is malformed or asks for the impossible
 * @throws {SluiceError} when the source fails to obey
 */
export async function steer({ control }: Subscriber, headers: RtspHeaders): Promise<HeaderFields> {
  const range = wanted(457, headers.get('range'), parseRange)
  if (range === null) throw new RtspRefusal(501, 'ranges are given as npt or clock')
  if (control?.seek === undefined)
    return [['Range', LIVE], ...(headers.get('scale') === undefined ? [] : [NORMAL_SCALE])]
  const startMs = startOf(range, control.position?.())
  if (startMs !== undefined) await control.seek(startMs)
  const scale = await setScale(control, wanted(400, headers.get('scale'), parseScale))
  await control.resume?.()
  const fields: [string, string][] = [['Range', rangeOf(control.position?.())]]
  if (scale !== undefined) fields.push(['Scale', String(scale)])
  return fields
}

/** Sets the speed, and returns the one that holds: nothing is played backwards. */
async function setScale(control: SourceControl, scale: number | undefined): Promise<number | undefined> {
  if (scale === undefined) return undefined
  if (scale < 0 || control.setSpeed === undefined) return 1
  await control.setSpeed(scale)
  return scale
}

/** The position in milliseconds at which a range starts; undefined when it names none. */
function startOf(
  range: Range | undefined,
  { fromMs }: Pick<SourcePosition, 'fromMs'> = { fromMs: 0 },
): number | undefined {
  if (range === undefined || range.startMs === 'now' || range.startMs === undefined) return undefined
  return range.unit === 'clock' ? range.startMs : fromMs + range.startMs
}

function rangeOf(position: SourcePosition | undefined): string {
  if (position === undefined) return LIVE
  const { atMs, fromMs, toMs } = position
  return serializeRange({ unit: 'npt', startMs: Math.max(0, atMs - fromMs), endMs: toMs - fromMs })
}

function wanted<Value>(status: number, text: string | undefined, parse: (text: string) => Value): Value | undefined {
  return text === undefined ? undefined : refusedIfMalformed(status, () => parse(text))
}
