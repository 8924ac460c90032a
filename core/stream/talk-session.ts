import { CLIENT_LEFT, StreamNotFound, type SessionInit, type Talk, type TrackInit } from 'sluice/sdk'
import type { StreamOwner } from '../auth/stream-owner.ts'
import type { SessionAdmission } from './session-admission.ts'
import { SessionLife } from './session-life.ts'
import type { StreamPublisher } from './stream-publisher.ts'

/** A client's request to talk: its session, its tracks, and the generation that makes the session. */
type TalkRequest = { readonly init: SessionInit; readonly tracks: readonly TrackInit[]; readonly owner: StreamOwner }

/**
 * Admits a client that talks to the source of a stream, and opens the talk; see `StreamManager.talk`.
 * @param publisherOf returns the publisher of a path
 */
export async function openTalk(
  admission: SessionAdmission,
  publisherOf: (streamPath: string) => StreamPublisher | undefined,
  { init, tracks, owner }: TalkRequest,
): Promise<Talk> {
  const { request, ...admitted } = await admission.admitTalk(init, owner)
  const session = new SessionLife({ log: owner.log, ...admitted })
  try {
    const publisher = publisherOf(request.streamPath)
    if (publisher === undefined) throw new StreamNotFound()
    const talk = await publisher.talks.open(tracks)
    session.begin()
    const { signal } = request
    const leave = () => talk.close()
    signal?.addEventListener('abort', leave)
    talk.onClose(() => {
      signal?.removeEventListener('abort', leave)
      session.close(CLIENT_LEFT)
    })
    if (signal?.aborted === true) leave()
    return talk
  } catch (error) {
    admitted.undo()
    throw error
  }
}
