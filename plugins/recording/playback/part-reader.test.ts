import { expect } from 'chai'
import { AccessUnit, type Recording, type Track } from 'sluice/sdk'
import { SCRIPTED_AUDIO, SCRIPTED_VIDEO } from 'sluice/sdk/testing'
import { PartReader } from './part-reader.ts'
import type { PlaybackPart } from './playback-part.ts'
import type { FileEntry } from '../catalogue/file-entry.ts'

const VIDEO: Track = { ...SCRIPTED_VIDEO, id: 0 }
const AUDIO: Track = { ...SCRIPTED_AUDIO, id: 1 }
const FRAME_MS = 40
const GOP_FRAMES = 25
const FRAMES = 500
const REORDER_MS = 80

/** A file with sound at some distance from the pictures of its time; some of its reads are asynchronous. */
class SkewedRecording implements Recording {
  readonly tracks = [AUDIO, VIDEO]
  readonly durationMs = FRAMES * FRAME_MS
  readonly #units: readonly AccessUnit[]
  #next = 0

  /** @param audioLateMs the time by which sound comes later in the file than pictures */
  constructor(audioLateMs: number) {
    const units: { readonly atMs: number; readonly unit: AccessUnit }[] = []
    for (let index = 0; index < FRAMES; index++) {
      const ms = index * FRAME_MS
      units.push({ atMs: ms, unit: unitAt(VIDEO, ms, REORDER_MS, index % GOP_FRAMES === 0) })
      units.push({ atMs: ms + 7 + audioLateMs, unit: unitAt(AUDIO, ms + 7, 0, true) })
    }
    this.#units = units.toSorted((one, other) => one.atMs - other.atMs).map(({ unit }) => unit)
  }

  next() {
    const unit = this.#units[this.#next]
    this.#next += 1
    return this.#next % 10 === 0 ? Promise.resolve(unit) : unit
  }

  seek(positionMs: number): void {
    const ticks = (positionMs / 1000) * VIDEO.timescale
    const index = this.#units.findLastIndex(({ track, keyframe, pts }) => track === VIDEO && keyframe && pts <= ticks)
    this.#next = Math.max(0, index)
  }
}

function unitAt(track: Track, ms: number, ctsMs: number, keyframe: boolean): AccessUnit {
  const ticks = (atMs: number) => Math.round((atMs / 1000) * track.timescale)
  return AccessUnit.fromData(track, ticks(ms), ticks(ms + ctsMs), keyframe, Buffer.of(1))
}

function partOf(fromMs: number, toMs = Infinity, isOverlapped = false): PlaybackPart {
  // The reader does not use the entry.
  const entry = {} as FileEntry
  return { entry, fromMs, toMs, isCut: toMs < Infinity, isOverlapped }
}

async function read(
  part: PlaybackPart,
  audioLateMs = 0,
): Promise<{ readonly reader: PartReader; readonly ids: string[] }> {
  const reader = await PartReader.open(new SkewedRecording(audioLateMs), part)
  return { reader, ids: await rest(reader) }
}

async function rest(reader: PartReader): Promise<string[]> {
  const ids: string[] = []
  for (let unit = await reader.next(); unit !== undefined; unit = await reader.next()) {
    ids.push(`${unit.track.kind[0]}${Math.round((unit.dts / unit.track.timescale) * 1000)}`)
  }
  return ids
}

describe('PartReader', () => {
  for (const audioLateMs of [-900, 0, 500, 1500]) {
    it(`gives each unit once of parts that meet at keyframes, with sound ${audioLateMs} ms later in the file`, async () => {
      const borders = [0, 3000, 10_000, 11_001, 16_999, Infinity]
      const ids: string[] = []
      for (const [index, fromMs] of borders.slice(0, -1).entries()) {
        const part = await read(partOf(fromMs, borders[index + 1]), audioLateMs)
        expect(part.reader.fromMs).to.equal(fromMs)
        expect(part.ids.find((id) => id.startsWith('v'))).to.equal(`v${Math.round(fromMs / 1000) * 1000}`)
        ids.push(...part.ids)
      }
      expect(ids.toSorted()).to.eql((await read(partOf(0), audioLateMs)).ids.toSorted())
      expect(ids).to.have.length(FRAMES * 2)
    })
  }

  it('begins with the keyframe before a time, and ends before one by decoding time', async () => {
    const { reader, ids } = await read(partOf(3500, 5700))
    expect(reader.fromMs).to.equal(3000)
    const pictures = ids.filter((id) => id.startsWith('v'))
    expect([pictures[0], pictures.at(-1), pictures.length]).to.eql(['v3000', 'v5680', 68])
    expect(ids.filter((id) => id.startsWith('a'))[0]).to.equal('a3007')
  })

  it('begins with the keyframe after a time where the file before has it', async () => {
    const { reader, ids } = await read(partOf(3500, Infinity, true))
    expect([reader.fromMs, ids.find((id) => id.startsWith('v'))]).to.eql([3500, 'v4000'])
    expect((await read(partOf(19_500, Infinity, true))).ids).to.eql([])
  })

  it('goes on where it is led to, but not before its start', async () => {
    const reader = await PartReader.open(new SkewedRecording(0), partOf(3000, 8000))
    expect(await rest(reader)).to.have.length(250)
    await reader.seek(6500)
    expect((await rest(reader)).find((id) => id.startsWith('v'))).to.equal('v6000')
    await reader.seek(0)
    expect(await rest(reader)).to.have.length(250)
  })
})
