import { expect } from 'chai'
import pino from 'pino'
import {
  AccessUnit,
  type FileWriter,
  type RecordedFile,
  type RecordService,
  type Track,
  type UnitReader,
} from 'sluice/sdk'
import { SCRIPTED_AUDIO, SCRIPTED_VIDEO } from 'sluice/sdk/testing'
import { MediaFileWriter } from './media-file-writer.ts'
import { playbackParts } from '../playback/playback-part.ts'
import type { FileEntry } from '../catalogue/file-entry.ts'
import { fileEntry } from '../fixtures/file-entry.ts'
import type { NewFile, StoredFiles } from '../files/stored-files.ts'
import { ServerClock } from './server-clock.ts'
import { RecordAttempt } from './record-attempt.ts'

const VIDEO: Track = { ...SCRIPTED_VIDEO, id: 0 }
const AUDIO: Track = { ...SCRIPTED_AUDIO, id: 1 }
const FRAME_MS = 40
const GOP_FRAMES = 25
const START_MS = 1_800_000_000_000
const HOUR_MS = 3_600_000

/** A file that is written at once. */
class FakeFile implements FileWriter {
  readonly error = undefined
  sizeBytes = 0

  get endBytes(): number {
    return this.sizeBytes
  }

  append(piece: readonly Buffer[]): undefined {
    for (const { length } of piece) this.sizeBytes += length
  }

  async close(): Promise<void> {}
}

/** A stream that is recorded while the clock is set by hand. */
class Rig {
  readonly entries: FileEntry[] = []
  /** The times in the stream of the pictures of each file. */
  readonly pictures: number[][] = []
  over = false
  readonly #attempt: RecordAttempt
  #reader: UnitReader | undefined
  #wallMs = START_MS
  #uptimeMs = 70_000
  #timeMs = 0
  #isBegun = false
  readonly #tracks: readonly Track[]

  constructor(
    rule: { fragment: number; append?: boolean; duration?: number },
    tracks: readonly Track[] = [VIDEO, AUDIO],
  ) {
    const { fragment, append = false, duration = 0 } = rule
    this.#tracks = tracks
    const service = { carries: () => true } as unknown as RecordService
    const wanted = {
      plugin: 'mp4',
      type: 'mp4',
      streamPath: 'live/a',
      rule: { mode: 'auto', type: '', filepath: '.', filename: 'x', append, fragment, duration } as const,
    }
    const clock = new ServerClock({ wallMs: () => this.#wallMs, uptimeMs: () => this.#uptimeMs })
    const files = { create: (init: NewFile) => this.#create(init), finish: () => true }
    this.#attempt = new RecordAttempt({
      wanted,
      service,
      clock,
      files: files as unknown as StoredFiles,
      log: pino({ level: 'silent' }),
      mode: 'auto',
      event: undefined,
      untilMs: (beganMs) => (duration === 0 ? Infinity : beganMs + duration),
      began: () => {},
      failed: (error) => expect.fail(error.message),
      over: () => (this.over = true),
      recorded: (_file: RecordedFile) => {},
      handedOver: () => {},
    })
    this.#attempt.begin({ read: (reader) => void (this.#reader = reader), onSource: () => {} })
    for (const track of tracks) void this.#reader?.track?.(track)
  }

  setClock(stepMs: number): void {
    this.#wallMs += stepMs
  }

  async play(durationMs: number): Promise<void> {
    const endMs = this.#timeMs + durationMs
    for (; this.#timeMs < endMs; this.#timeMs += FRAME_MS) {
      for (const track of this.#tracks) {
        const keyframe = track === AUDIO || (this.#timeMs / FRAME_MS) % GOP_FRAMES === 0
        const ticks = (this.#timeMs * track.timescale) / 1000
        await this.#reader?.unit?.(AccessUnit.fromData(track, ticks, ticks, keyframe, Buffer.of(1)))
      }
      if (this.#isBegun) {
        this.#wallMs += FRAME_MS
        this.#uptimeMs += FRAME_MS
      }
      this.#isBegun = true
    }
  }

  async close(): Promise<void> {
    await this.#attempt.close()
  }

  /** The beginnings and ends of the files, in milliseconds from the start on. */
  get spans(): number[][] {
    return this.entries.map(({ startMs, endMs }) => [startMs - START_MS, endMs - START_MS])
  }

  #create({ tracks, baseMs, startMs, clockMs, mode, event }: NewFile): Promise<MediaFileWriter> {
    const times: number[] = []
    const entry = fileEntry({
      id: this.entries.length + 1,
      startMs,
      endMs: startMs,
      sizeBytes: 0,
      mode,
      event,
      audioCodec: 'aac',
      isActive: true,
      clockMs,
    })
    this.entries.push(entry)
    this.pictures.push(times)
    const writer = {
      head: Buffer.alloc(0),
      write(unit: AccessUnit) {
        if (unit.track.kind === 'video') times.push(baseMs + unit.dtsMs)
        return unit.data
      },
      flush: () => null,
    }
    const file = new FakeFile()
    return Promise.resolve(new MediaFileWriter({ tracks, writer, file, entry, baseMs, offsetMs: 0 }))
  }
}

describe('a recording while the clock is set', () => {
  for (const fragment of [0, 4000]) {
    for (const stepMs of [HOUR_MS, -HOUR_MS, 700, -1500, -6000]) {
      it(`begins a file with the new date: by ${stepMs} ms, with files of ${fragment} ms`, async () => {
        const rig = new Rig({ fragment })
        await rig.play(6000)
        rig.setClock(stepMs)
        await rig.play(6000)
        await rig.close()
        const lengths =
          fragment === 0
            ? [[6000], [6000]]
            : [
                [4000, 2000],
                [4000, 2000],
              ]
        let atMs = 0
        const expected = lengths.flatMap((after, index) =>
          after.map((lengthMs) => {
            const startMs = atMs + index * stepMs
            atMs += lengthMs
            return [startMs, startMs + lengthMs]
          }),
        )
        expect(rig.spans.map((span) => span.map((ms) => Math.round(ms / 50) * 50))).to.eql(expected)
        const pictures = rig.pictures.flat()
        expect(pictures).to.eql(Array.from({ length: 300 }, (_, index) => index * FRAME_MS))
        const entries = rig.entries.toSorted((one, other) => one.startMs - other.startMs)
        const parts = playbackParts(entries, { startMs: undefined, endMs: undefined })
        expect(parts.map(({ fromMs, toMs, entry }) => toMs - fromMs === entry.endMs - entry.startMs)).to.eql(
          rig.entries.map(() => true),
        )
      })
    }
  }

  it('is cut at once where it is of sound alone', async () => {
    const rig = new Rig({ fragment: 0 }, [AUDIO])
    await rig.play(1000)
    rig.setClock(-HOUR_MS)
    await rig.play(1000)
    await rig.close()
    expect(rig.spans.map(([startMs]) => Math.round(startMs! / 50) * 50)).to.eql([0, 1000 - HOUR_MS])
  })

  it('lasts as long as it is to, and not as the clock says', async () => {
    for (const stepMs of [HOUR_MS, -HOUR_MS]) {
      const rig = new Rig({ fragment: 0, duration: 5000 })
      await rig.play(2000)
      rig.setClock(stepMs)
      await rig.play(2900)
      expect(rig.over).to.equal(false)
      await rig.play(1000)
      expect(rig.over).to.equal(true)
      await rig.close()
      expect(rig.pictures.flat().length).to.be.within(124, 126)
    }
  })

  it('goes on in its file where a rule appends', async () => {
    const rig = new Rig({ fragment: 0, append: true })
    await rig.play(2000)
    rig.setClock(HOUR_MS)
    await rig.play(2000)
    await rig.close()
    expect(rig.entries).to.have.length(1)
  })

  it('is one file where the clock is not set', async () => {
    const rig = new Rig({ fragment: 0 })
    await rig.play(10_000)
    rig.setClock(100)
    await rig.play(10_000)
    await rig.close()
    expect(rig.spans.map((span) => span.map((ms) => Math.round(ms / 50) * 50))).to.eql([[0, 20_000]])
  })
})
