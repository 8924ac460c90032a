import type { SessionInit } from 'sluice/sdk'
import { PICTURE_MODE } from '../album/album.ts'
import { newestKeyframe } from './newest-keyframe.ts'
import type { PictureParts } from './stream-pictures.ts'

/** The longest time that a published stream may take to have a keyframe. */
export const KEYFRAME_WAIT_MS = 10_000

/** The picture to keep. */
export type KeptPictureInit = {
  /** That of an administrator, whom no gate is asked about. */
  readonly session: SessionInit & { readonly signal: AbortSignal }
  readonly folder: string
  /** A filter of ffmpeg; see `watermarkFilter`. */
  readonly filter?: string | undefined
}

/**
 * Keeps the newest picture of a stream.
 * @returns its path below the root of the storage, and its bytes
 */
export async function keepNewest({ ctx, encoder, album }: PictureParts, { session, folder, filter }: KeptPictureInit) {
  const { streamPath, signal } = session
  const unit = await newestKeyframe(
    await ctx.streams.subscribe({ ...session, query: '', type: 'api' }),
    KEYFRAME_WAIT_MS,
  )
  const atMs = Date.now()
  const jpeg = await encoder.encode(unit, { owner: streamPath, filter, signal })
  const filePath = await album.keep({ streamPath, atMs, mode: PICTURE_MODE.manual, folder, jpeg })
  return { filePath, jpeg }
}
