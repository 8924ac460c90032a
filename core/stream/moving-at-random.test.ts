import fc from 'fast-check'
import { expect } from 'chai'
import { AccessUnit, type Muxer, type MuxerFormat, type Publisher, type Track } from 'sluice/sdk'
import { rounds } from '../../test/support/soak.ts'
import { FakeFormat, FakeSink } from './fixtures/fake-format.ts'
import { audioTrack, videoTrack } from './fixtures/media.ts'
import { settle } from './fixtures/muxer-rig.ts'
import { closeRigs, RegistryRig } from './fixtures/registry-rig.ts'

const PATHS = ['live/a', 'live/b', 'live/c'] as const

type SourceShape = {
  readonly timescale: number
  readonly frameMs: number
  /** B pictures between two others. */
  readonly bPictures: number
  /** The pictures of a group, in multiples of a P picture and the B pictures before it. */
  readonly groupLength: number
  /** The first sound comes after so many pictures, with the time of the first picture. */
  readonly soundDelay: number
  /** The track of the sound is there only from then on. */
  readonly lateTrack: boolean
  readonly startMs: number
}

type Step =
  | { readonly kind: 'write'; readonly source: number; readonly pictures: number }
  | { readonly kind: 'move'; readonly group: number; readonly to: number }
  | { readonly kind: 'end' | 'return'; readonly source: number }

const shapes = fc.record<SourceShape>({
  timescale: fc.constantFrom(1000, 44_100, 90_000),
  frameMs: fc.constantFrom(17, 20, 40),
  bPictures: fc.integer({ min: 0, max: 3 }),
  groupLength: fc.integer({ min: 0, max: 4 }),
  soundDelay: fc.integer({ min: 0, max: 12 }),
  lateTrack: fc.boolean(),
  startMs: fc.integer({ min: 0, max: 1_000_000 }),
})
const index = fc.integer({ min: 0, max: PATHS.length - 1 })
const pictures = fc.integer({ min: 1, max: 12 })
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('write'), source: index, pictures }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('move'), group: index, to: index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('end', 'return'), source: index }) },
)

describe('subscribers that are moved at random among three streams', () => {
  afterEach(closeRigs)

  it('go on in time, begin at keyframes after each gap, share what they share, and leave nothing behind', async () => {
    const run = fc.asyncProperty(fc.tuple(shapes, shapes, shapes), fc.array(steps, { maxLength: 40 }), play)
    await fc.assert(run.afterEach(closeRigs), { numRuns: rounds(150) })
  })
})

async function play(sourceShapes: readonly SourceShape[], script: readonly Step[]): Promise<void> {
  const rig = new RegistryRig({ subscribe: { waittimeout: '1h', writemerge: '0s' } })
  const sources = PATHS.map((path, at) => new Camera(rig, path, sourceShapes[at]!))
  for (const source of sources) await source.begin()
  // One group of each kind, whose members always move together.
  const format = new TracedFormat()
  const groups = [
    [await watch(rig, PATHS[0], format), await watch(rig, PATHS[0], format)],
    [await watch(rig, PATHS[1], format), await read(rig, PATHS[1])],
    [await read(rig, PATHS[2]), await read(rig, PATHS[2])],
  ]
  for (const source of sources) source.write(1)
  await settle()
  const move = (group: number, to: number) => {
    if (sources[to]!.live)
      rig.registry.move(
        groups[group]!.map(({ id }) => id),
        PATHS[to]!,
      )
  }
  for (const step of script) {
    if (step.kind === 'write') sources[step.source]!.write(step.pictures)
    else if (step.kind === 'move') move(step.group, step.to)
    else if (step.kind === 'end') sources[step.source]!.end()
    else await sources[step.source]!.begin()
    await settle()
    for (const group of groups) expectTogether(rig, group)
  }
  // All are moved to one stream in the end.
  await sources[0]!.begin()
  for (const group of groups.keys()) move(group, 0)
  sources[0]!.write(50)
  await settle()
  const viewers = groups.flat()
  for (const { units } of viewers) expectOnward(units())
  expect(rig.notices.filter((notice) => notice.startsWith('unsubscribed'))).to.eql([])
  expect(rig.registry.subscribers(PATHS[0])).to.have.length(viewers.length)
  expect(PATHS.slice(1).map((path) => rig.registry.get(path)?.fanOut.muxers.length ?? 0)).to.eql([0, 0])
  expect(rig.registry.get(PATHS[0])!.fanOut.muxers.length, 'one for each group with sinks').to.be.at.most(2)
  for (const { id } of viewers) rig.registry.subscriber(id)?.close('left')
  expect(rig.registry.get(PATHS[0])!.fanOut.muxers).to.eql([])
}

/** A unit as somebody got it. */
type Given = {
  readonly kind: Track['kind']
  readonly keyframe: boolean
  /** Where it comes from: the stream and its how manyth publisher. */
  readonly origin: string
  /** The how manyth picture of its publisher it is. */
  readonly number: number
  readonly dtsMs: number
  readonly ptsMs: number
}

type Viewer = {
  readonly id: number
  readonly units: () => readonly Given[]
  /** What it was given last, for comparison. */
  readonly last: () => unknown
}

async function watch(rig: RegistryRig, streamPath: string, format: MuxerFormat): Promise<Viewer> {
  const subscriber = await rig.subscribe(streamPath)
  const sink = new FakeSink()
  subscriber.attach(format, sink)
  const units = () => sink.tokens.filter((token) => token.startsWith('{')).map((token) => JSON.parse(token) as Given)
  return { id: subscriber.id, units, last: () => sink.writes.at(-1)?.toString() }
}

async function read(rig: RegistryRig, streamPath: string): Promise<Viewer> {
  const subscriber = await rig.subscribe(streamPath)
  const units: AccessUnit[] = []
  subscriber.read({ unit: (unit) => void units.push(unit) })
  return { id: subscriber.id, units: () => units.map(givenOf), last: () => units.at(-1) }
}

/** Writes a unit as JSON. */
class TracedFormat extends FakeFormat {
  override createMuxer(): Muxer {
    return { ...super.createMuxer(), mux: (unit) => Buffer.from(`${JSON.stringify(givenOf(unit))} `) }
  }
}

function givenOf({ track, data, keyframe, dts, pts }: AccessUnit): Given {
  const [origin = '', number = ''] = data.toString().split('#')
  const perMs = track.timescale / 1000
  return { kind: track.kind, keyframe, origin, number: Number(number), dtsMs: dts / perMs, ptsMs: pts / perMs }
}

/** A publisher with pictures and sound, which may end and return. */
class Camera {
  readonly #rig: RegistryRig
  readonly #path: string
  readonly #shape: SourceShape
  #publisher: Publisher | undefined
  readonly #tracks = new Map<Track['kind'], Track>()
  #publishers = 0
  #pictures = 0
  #sounds = 0

  constructor(rig: RegistryRig, path: string, shape: SourceShape) {
    this.#rig = rig
    this.#path = path
    this.#shape = shape
  }

  get live(): boolean {
    return this.#publisher !== undefined
  }

  async begin(): Promise<void> {
    if (this.#publisher !== undefined) return
    const { timescale, lateTrack } = this.#shape
    this.#publisher = await this.#rig.publish(this.#path)
    this.#tracks.clear()
    this.#tracks.set('video', this.#publisher.addTrack(videoTrack({ timescale })))
    if (!lateTrack) this.#addSound(this.#publisher)
    this.#publisher.tracksComplete()
    this.#publishers++
    this.#pictures = this.#sounds = 0
  }

  end(): void {
    this.#publisher?.close()
    this.#publisher = undefined
  }

  write(pictures: number): void {
    for (let left = pictures; left > 0; left--) {
      this.#writePicture(this.#pictures++)
      if (this.#pictures > this.#shape.soundDelay) this.#write('audio', this.#sounds, this.#sounds++, 0, true)
    }
  }

  #addSound(publisher: Publisher): void {
    const { timescale } = this.#shape
    this.#tracks.set('audio', publisher.addTrack(audioTrack({ timescale })))
  }

  // In each group a picture without B pictures before it is followed by P pictures, each with its B pictures after it.
  #writePicture(number: number): void {
    const { bPictures, groupLength } = this.#shape
    const place = number % (1 + groupLength * (1 + bPictures))
    const inMiniGroup = (place - 1) % (1 + bPictures)
    let reordering = 0
    if (bPictures > 0 && place === 0) reordering = 1
    else if (bPictures > 0 && inMiniGroup === 0) reordering = 1 + bPictures
    this.#write('video', number, number, reordering, place === 0)
  }

  #write(kind: Track['kind'], number: number, frames: number, reordering: number, keyframe: boolean): void {
    if (this.#publisher === undefined) return
    if (!this.#tracks.has(kind)) this.#addSound(this.#publisher)
    const track = this.#tracks.get(kind)!
    const { startMs, frameMs, timescale } = this.#shape
    const ticks = (count: number) => Math.round(((startMs + count * frameMs) * timescale) / 1000)
    const data = Buffer.from(`${this.#path}.${this.#publishers}#${number}`)
    this.#publisher.write(AccessUnit.fromData(track, ticks(frames), ticks(frames + reordering), keyframe, data))
  }
}

/** Those who always move together have one muxer, one shift, and were given the same. */
function expectTogether(rig: RegistryRig, group: readonly Viewer[]): void {
  const [one, two] = group.map(({ id }) => rig.registry.subscriber(id)!)
  expect(one!.sourcePath).to.equal(two!.sourcePath)
  expect(one!.shift).to.equal(two!.shift)
  if (one!.muxer !== undefined && two!.muxer !== undefined) expect(one!.muxer).to.equal(two!.muxer)
  // What a sink and a reader are given can't be compared.
  if ((one!.muxer === undefined) === (two!.muxer === undefined)) expect(group[0]!.last()).to.equal(group[1]!.last())
}

/**
 * Decoding time never steps back. After a gap comes a keyframe, and nothing is presented before what came before the gap;
 * where another publisher of the same stream takes over, only decoding time goes on.
 */
function expectOnward(units: readonly Given[]): void {
  const latestDts = new Map<Track['kind'], number>()
  const latestPts = new Map<Track['kind'], number>()
  let minPts = new Map<Track['kind'], number>()
  let before: Given | undefined
  let picture: Given | undefined
  for (const unit of units) {
    const { kind, origin, dtsMs, ptsMs } = unit
    const otherOrigin = before !== undefined && before.origin !== origin
    if (otherOrigin || (kind === 'video' && picture !== undefined && unit.number !== picture.number + 1)) {
      if (!unit.keyframe || kind !== 'video') fail('a gap ends without a keyframe', before, unit)
      minPts =
        before !== undefined && otherOrigin && streamOf(before) === streamOf(unit) ? new Map() : new Map(latestPts)
    }
    if (dtsMs < (latestDts.get(kind) ?? 0)) fail('decoding time steps back', before, unit)
    if (ptsMs < (minPts.get(kind) ?? 0)) fail('presentation time steps back', before, unit)
    latestDts.set(kind, dtsMs)
    latestPts.set(kind, Math.max(ptsMs, latestPts.get(kind) ?? 0))
    if (kind === 'video') picture = unit
    before = unit
  }
}

function streamOf({ origin }: Given): string | undefined {
  return origin.split('.')[0]
}

function fail(what: string, before: Given | undefined, unit: Given): never {
  return expect.fail(`${what}: ${JSON.stringify(before)}, ${JSON.stringify(unit)}`)
}
