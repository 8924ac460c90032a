import { StreamNotFound, type AccessUnit, type Subscriber } from 'sluice/sdk'
import { mainTracks } from 'sluice/sdk/media'

/** A keyframe of the main track of pictures, by its unit. */
export function isMainKeyframe(unit: AccessUnit, { tracks }: Pick<Subscriber, 'tracks'>): boolean {
  if (!unit.keyframe || unit.track.kind !== 'video') return false
  const [main] = mainTracks(tracks)
  return main?.id === unit.track.id
}

/**
 * Gives the newest keyframe of a stream, which is mostly there already; the subscriber is closed then.
 * @param waitMs how long one is waited for
 * @throws {StreamNotFound} when none comes
 */
export async function newestKeyframe(subscriber: Subscriber, waitMs: number): Promise<AccessUnit> {
  if (!subscriber.tracks.some(({ kind }) => kind === 'video')) {
    subscriber.close('the stream has no pictures')
    throw new StreamNotFound('the stream has no pictures')
  }
  const { promise, resolve, reject } = Promise.withResolvers<AccessUnit>()
  const none = (why: string) => reject(new StreamNotFound(why))
  const timer = setTimeout(() => none('the stream has no keyframe'), waitMs)
  subscriber.onClose(() => none('the stream has ended before a keyframe came'))
  subscriber.read({
    unit(unit) {
      if (isMainKeyframe(unit, subscriber)) resolve(unit)
    },
  })
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    subscriber.close('the picture is taken')
  }
}
