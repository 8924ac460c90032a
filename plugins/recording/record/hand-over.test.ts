import { expect } from 'chai'
import pino from 'pino'
import {
  AccessUnit,
  type FileWriter,
  type RecordService,
  type Subscriber,
  type Track,
  type UnitReader,
} from 'sluice/sdk'
import { SCRIPTED_AUDIO, SCRIPTED_VIDEO } from 'sluice/sdk/testing'
import type { FileEntry } from '../catalogue/file-entry.ts'
import { fileEntry } from '../fixtures/file-entry.ts'
import type { NewFile, StoredFiles } from '../files/stored-files.ts'
import { MediaFileWriter } from './media-file-writer.ts'
import { ServerClock } from './server-clock.ts'
import { RecordAttempt } from './record-attempt.ts'

const VIDEO: Track = { ...SCRIPTED_VIDEO, id: 0 }
const AUDIO: Track = { ...SCRIPTED_AUDIO, id: 1 }
const FRAME_MS = 40
const GOP_FRAMES = 25
const START_MS = 1_800_000_000_000

/** Waits until all work has run that waits for nothing outside the test. */
const turns = async () => {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve()
}

/** Returns a generator of pseudorandom numbers, which are the same for a seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

/** A subscriber like the host's: units wait while the reader is busy, and the newest group of pictures comes first. */
class FakeReader implements Pick<Subscriber, 'read' | 'onSource'> {
  readonly #replayed: readonly AccessUnit[]
  readonly #waiting: (() => unknown)[] = []
  #reader: UnitReader | undefined
  #isBusy = false

  constructor(replayed: readonly AccessUnit[]) {
    this.#replayed = replayed
  }

  onSource(): void {}

  read(reader: UnitReader): void {
    this.#reader = reader
    for (const track of [VIDEO, AUDIO]) this.#call(() => reader.track?.(track))
    for (const unit of this.#replayed) this.unit(unit)
  }

  /** The number of units that wait. */
  get waiting(): number {
    return this.#waiting.length
  }

  unit(unit: AccessUnit): void {
    this.#call(() => this.#reader?.unit(unit))
  }

  sourceEnded(): void {
    this.#call(() => this.#reader?.sourceEnded?.())
  }

  #call(call: () => unknown): void {
    if (this.#isBusy) return void this.#waiting.push(call)
    const result = call()
    if (!(result instanceof Promise)) return
    this.#isBusy = true
    void result.then(() => this.#next())
  }

  #next(): void {
    this.#isBusy = false
    while (!this.#isBusy && this.#waiting.length > 0) this.#call(this.#waiting.shift()!)
  }
}

/** The recording of one generation, with its disk, which may write nothing for a while. */
class FakeGeneration {
  readonly entries: FileEntry[] = []
  /** The numbers of the units in its files. */
  readonly units: { readonly kind: string; readonly timeMs: number }[] = []
  readonly reader: FakeReader
  readonly attempt: RecordAttempt
  isHandedOver = false
  isOver = false
  /** The number of files that were closed. */
  finished = 0
  #room: PromiseWithResolvers<void> | undefined

  constructor(
    clock: ServerClock,
    replayed: readonly AccessUnit[],
    former: FakeGeneration | undefined,
    rule: { readonly duration?: number; readonly append?: boolean } = {},
  ) {
    const { duration = 0, append = false } = rule
    const files = {
      create: (init: NewFile) => this.#create(init),
      finish: () => (this.finished += 1) > 0,
      settled: () => Promise.resolve(),
    }
    this.attempt = new RecordAttempt({
      wanted: {
        plugin: 'mp4',
        type: 'mp4',
        streamPath: 'live/a',
        rule: { mode: 'auto', type: '', filepath: '.', filename: 'x', append, fragment: 3000, duration },
      },
      service: { carries: () => true } as unknown as RecordService,
      clock,
      files: files as unknown as StoredFiles,
      log: pino({ level: 'silent' }),
      mode: 'auto',
      event: undefined,
      untilMs: (beganMs) => (duration === 0 ? Infinity : beganMs + duration),
      began: () => {},
      failed: (error) => expect.fail(error.message),
      over: () => (this.isOver = true),
      recorded: () => {},
      handedOver: () => (this.isHandedOver = true),
      former: former?.attempt,
    })
    this.reader = new FakeReader(replayed)
    this.attempt.begin(this.reader)
  }

  /** Makes the disk write nothing from the next piece on, or continue. */
  stall(isStalled: boolean): void {
    if (isStalled) this.#room ??= Promise.withResolvers<void>()
    else {
      this.#room?.resolve()
      this.#room = undefined
    }
  }

  async #create({ tracks, baseMs, startMs, clockMs, mode, event }: NewFile): Promise<MediaFileWriter> {
    await this.#room?.promise
    const entry = fileEntry({
      id: 1,
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
    const writer = {
      head: Buffer.alloc(0),
      write: (unit: AccessUnit) => {
        this.units.push({ kind: unit.track.kind, timeMs: Math.round(baseMs + unit.dtsMs) })
        return unit.data
      },
      flush: () => null,
    }
    const file: FileWriter = {
      sizeBytes: 1,
      endBytes: 1,
      error: undefined,
      append: () => this.#room?.promise,
      close: async () => this.#room?.promise,
    }
    return new MediaFileWriter({ tracks, writer, file, entry, baseMs, offsetMs: 0 })
  }
}

/** A stream that continues while generations of the plugin follow one another. */
class Rig {
  readonly generations: FakeGeneration[] = []
  /** All units, in their order, as files have them. */
  readonly sent: { readonly kind: string; readonly timeMs: number }[] = []
  readonly #clock: ServerClock
  readonly #rule: ConstructorParameters<typeof FakeGeneration>[3]
  /** The number of frames by which sound comes later than the pictures of its time. */
  readonly #lateFrames: number
  #gop: AccessUnit[] = []
  #frames = 0
  #uptimeMs = 70_000

  constructor(rule: ConstructorParameters<typeof FakeGeneration>[3] = {}, lateFrames = 0) {
    this.#rule = rule
    this.#lateFrames = lateFrames
    this.#clock = new ServerClock({ wallMs: () => START_MS + this.#uptimeMs, uptimeMs: () => this.#uptimeMs })
  }

  /** Starts a new generation, which takes over. */
  reload(): FakeGeneration {
    const generation = new FakeGeneration(this.#clock, this.#gop, this.generations.at(-1), this.#rule)
    this.generations.push(generation)
    return generation
  }

  async play(frames: number): Promise<void> {
    for (const endFrames = this.#frames + frames; this.#frames < endFrames; this.#frames++) {
      const timeMs = this.#frames * FRAME_MS
      const keyframe = this.#frames % GOP_FRAMES === 0
      if (keyframe) this.#gop = []
      this.#send(VIDEO, timeMs, keyframe)
      const soundMs = timeMs - this.#lateFrames * FRAME_MS
      if (soundMs >= 0) this.#send(AUDIO, soundMs, true)
      this.#uptimeMs += FRAME_MS
      await turns()
    }
  }

  async close(): Promise<void> {
    for (const generation of this.generations) generation.stall(false)
    await turns()
    for (const { attempt } of this.generations) await attempt.close()
  }

  /** Returns the times of the units of a kind in the files of all generations. */
  units(kind: string): number[] {
    const units = this.generations.flatMap(({ units: ofOne }) => ofOne).filter((unit) => unit.kind === kind)
    return units.map(({ timeMs }) => timeMs)
  }

  sentTimes(kind: string): number[] {
    return this.sent.filter((unit) => unit.kind === kind).map(({ timeMs }) => timeMs)
  }

  #send(track: Track, timeMs: number, keyframe: boolean): void {
    const ticks = Math.round((timeMs * track.timescale) / 1000)
    const unit = AccessUnit.fromData(track, ticks, ticks, keyframe, Buffer.of(1))
    this.sent.push({ kind: track.kind, timeMs: Math.round(unit.dtsMs) })
    this.#gop.push(unit)
    for (const { reader } of this.generations) reader.unit(unit)
  }
}

/** Checks that each unit is in one file, in order, and that the files follow one another by their dates. */
function expectWhole(rig: Rig): void {
  for (const kind of ['video', 'audio']) {
    expect(
      rig.units(kind).toSorted((one, other) => one - other),
      kind,
    ).to.eql(rig.sentTimes(kind))
  }
  expect(rig.units('video')).to.eql(rig.sentTimes('video'))
  const ofEach = rig.generations.map(({ entries }) => entries).filter((entries) => entries.length > 0)
  const starts = ofEach.slice(1).map(([first]) => first!.startMs)
  expect(starts).to.eql(ofEach.slice(0, -1).map((entries) => entries.at(-1)!.endMs))
}

describe('a recording that is handed over', () => {
  for (const lagGops of [0, 1, 4]) {
    for (const atFrame of [0, 1, 24]) {
      it(`has each unit once, with the one before ${lagGops} groups behind, at frame ${atFrame} of a group`, async () => {
        const rig = new Rig()
        const former = rig.reload()
        await rig.play(60)
        former.stall(lagGops > 0)
        await rig.play(lagGops * GOP_FRAMES)
        await rig.play(100 - 60 + atFrame)
        expect(former.reader.waiting > lagGops * GOP_FRAMES).to.equal(lagGops > 0)
        const next = rig.reload()
        await rig.play(70)
        // The next generation has no dates before the former one has come to the hand-over.
        expect(next.entries.length > 0).to.equal(lagGops === 0)
        former.stall(false)
        await turns()
        await rig.play(130)
        expect([former.isHandedOver, next.isHandedOver]).to.eql([true, false])
        await rig.close()
        expectWhole(rig)
      })
    }
  }

  it('has late sound in the file of its time', async () => {
    const rig = new Rig({}, 10)
    rig.reload()
    await rig.play(110)
    rig.reload()
    await rig.play(150)
    await rig.close()
    expectWhole(rig)
    const [former, next] = rig.generations
    const begin = next!.units.find(({ kind }) => kind === 'video')!.timeMs
    expect(Math.max(...former!.units.map(({ timeMs }) => timeMs))).to.be.below(begin)
    expect(Math.min(...next!.units.map(({ timeMs }) => timeMs))).to.equal(begin)
  })

  it('is handed on by one that has not begun yet', async () => {
    const rig = new Rig()
    const first = rig.reload()
    await rig.play(60)
    first.stall(true)
    await rig.play(50)
    for (let reload = 0; reload < 5; reload++) {
      rig.reload()
      await rig.play(reload * 7)
    }
    first.stall(false)
    await turns()
    await rig.play(150)
    expect(rig.generations.map(({ isHandedOver }) => isHandedOver)).to.eql([true, true, true, true, true, false])
    await rig.close()
    expectWhole(rig)
  })

  it('has each unit once, however reloads and stalls follow one another', async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = randomOf(seed)
      const rig = new Rig({}, random(20))
      rig.reload()
      for (let step = 0; step < 30; step++) {
        const some = rig.generations[random(rig.generations.length)]!
        if (random(4) === 0) rig.reload()
        else some.stall(random(2) === 0)
        await rig.play(random(40))
      }
      await rig.close()
      try {
        expectWhole(rig)
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error })
      }
    }
  })

  it('is over when it would have been', async () => {
    for (const frames of [30, 100]) {
      const rig = new Rig({ duration: 6000 })
      const former = rig.reload()
      await rig.play(90)
      const next = rig.reload()
      await rig.play(frames)
      await rig.close()
      expect([former.isOver, next.isOver]).to.eql(frames === 30 ? [false, false] : [false, true])
      expect(rig.units('video').at(-1)).to.equal(frames === 30 ? 119 * FRAME_MS : 6000 - FRAME_MS)
    }
  })

  it('ends before the next one has begun, which then begins none', async () => {
    const rig = new Rig({ duration: 3900 })
    const former = rig.reload()
    await rig.play(90)
    const next = rig.reload()
    await rig.play(100)
    await rig.close()
    expect([former.isOver, next.isOver, next.entries]).to.eql([true, true, []])
  })

  it('is closed when its files are, also where the end of its source came before', async () => {
    const rig = new Rig()
    const generation = rig.reload()
    await rig.play(GOP_FRAMES)
    generation.stall(true)
    generation.reader.sourceEnded()
    await turns()
    const closed = generation.attempt.close()
    await turns()
    generation.stall(false)
    await closed
    expect([generation.entries.length, generation.finished]).to.eql([1, 1])
  })

  it('waits for the file to be whole that it goes on in', async () => {
    const rig = new Rig({ append: true })
    const former = rig.reload()
    await rig.play(90)
    const next = rig.reload()
    await rig.play(50)
    expect([former.isHandedOver, next.entries]).to.eql([false, []])
    await rig.play(50)
    expect([former.isHandedOver, next.entries.length]).to.eql([true, 1])
    await rig.close()
    expectWhole(rig)
  })
})
