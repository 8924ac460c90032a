import { MalformedError } from '../../errors.ts'
import type { TsPacket } from './packet.ts'

/** The most names of ignored streams that are kept, since a peer can make up any number. */
const MAX_UNSUPPORTED = 16

/** The last continuity counter of a PID; undefined where any may come. */
export type CountedPid = { counter: number | undefined }

/** The counts of errors in an MPEG-TS, of all its programs. */
export class DemuxCounts {
  continuityErrors = 0
  droppedUnits = 0
  readonly unsupported = new Set<string>()

  leaveAside(what: string): void {
    if (this.unsupported.size < MAX_UNSUPPORTED) this.unsupported.add(what)
  }

  /** Counts a unit that was dropped for an error. @throws the error when it is no {@link MalformedError} */
  drop(error: unknown): void {
    if (!(error instanceof MalformedError)) throw error
    this.droppedUnits += 1
  }

  /** Compares the counter with the last one; a packet may come twice (ISO/IEC 13818-1 2.4.3.3). */
  follow(pid: CountedPid, packet: TsPacket): 'next' | 'duplicate' | 'gap' {
    const last = pid.counter
    pid.counter = packet.continuityCounter
    if (last === undefined || packet.discontinuity || packet.continuityCounter === (last + 1) % 16) return 'next'
    if (packet.continuityCounter === last) return 'duplicate'
    this.continuityErrors += 1
    return 'gap'
  }
}
