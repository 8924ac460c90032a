import { expect } from 'chai'
import { pino } from 'pino'
import type { Recording, RecordingBytes, RecordService } from 'sluice/sdk'
import { SCRIPTED_VIDEO } from 'sluice/sdk/testing'
import { rejectionOf } from '../../../test/support/rejection.ts'
import { openPlayback } from './playback.ts'
import { fileEntry } from '../fixtures/file-entry.ts'

const entry = (startMs: number) => fileEntry({ id: startMs + 1, startMs })

/** A file without units of its track. */
const EMPTY: Recording = {
  tracks: [
    {
      ...SCRIPTED_VIDEO,
      id: 0,
    },
  ],
  durationMs: 1e3,
  next: () => undefined,
  seek: () => {},
}

describe('a playback', () => {
  it('leaves no file open when it is ended while the next file is opened', async () => {
    const stop = new AbortController()
    let openNow = 0
    const openBytes = (): Promise<RecordingBytes> => {
      openNow += 1
      return Promise.resolve({
        sizeBytes: 1,
        read: () => Promise.resolve(Buffer.alloc(0)),
        close() {
          openNow -= 1
          return Promise.resolve()
        },
      })
    }
    let opened = 0
    const open = async () => {
      opened += 1
      if (opened === 2) stop.abort(new Error('the client has left'))
      return EMPTY
    }
    const recording = await openPlayback({
      log: pino({ enabled: false }),
      entries: [entry(0), entry(1e3)],
      files: { openBytes },
      init: {
        streamPath: 'live/a',
        startMs: undefined,
        endMs: undefined,
      },
      signal: stop.signal,
      service: () => ({ open }) as Partial<RecordService> as RecordService,
    })
    expect(openNow).to.equal(1)
    expect(await rejectionOf(Promise.resolve(recording.next()))).to.equal(stop.signal.reason)
    expect([opened, openNow]).to.eql([2, 0])
  })
})
