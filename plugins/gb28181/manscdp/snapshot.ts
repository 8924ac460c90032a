import type { ManscdpMessage } from './message.ts'

/** A notice that a device has sent the pictures that were ordered (A.2.5.7 of GB/T 28181-2022). */
export type SnapshotNotice = {
  /** That of the order; empty without one. */
  readonly sessionId: string
  readonly fileIds: readonly string[]
}

/** Reads a notice of pictures; those that could not be sent are not among them. */
export function parseSnapshotFinished({ root }: ManscdpMessage): SnapshotNotice {
  const list = root.child('SnapShotList')
  const files = [...(list?.all('SnapShotFileID') ?? []), ...root.all('SnapShotFileID')]
  return {
    sessionId: root.text('SessionID') ?? '',
    fileIds: files.map(({ value }) => value).filter((id) => id !== ''),
  }
}
