import type { AccessUnit } from '../media/access-unit.ts'

/** Makes pictures that people can look at of pictures of streams. */
export interface Pictures {
  /**
   * Makes a JPEG of a keyframe, of the size that it has.
   * @throws {ProgramMissing} it has to be decoded, and there is no ffmpeg
   * @throws {SluiceError} 503: too many wait for theirs; 500: it can't be decoded
   */
  encode(keyframe: AccessUnit, signal?: AbortSignal): Promise<Buffer>
}
