import type { Track } from 'sluice/sdk'
import type { FrameRhythm } from './frame-rhythm.ts'
import { LiveRendition, type LiveRenditionOptions } from './live-rendition.ts'
import type { PresentationFile } from './segment-window.ts'
import type { SequenceNumbers } from './sequence-numbers.ts'
import type { Period } from './segment.ts'
import type { Layout, TrackPlan } from './track-plan.ts'

/**
 * The number of segments in a first playlist without low latency. Clients are not to begin nearer to its end than three target durations
 * (RFC 8216 6.3.3), and strict ones refuse to play less than three segments.
 */
const FIRST_SEGMENTS = 3
/** The media that suffices for a first playlist, when keyframes far apart make long segments. */
const FIRST_MEDIA_SECONDS = 10

/** The renditions of a presentation. */
export class Renditions {
  /** The renditions in the order of the multivariant playlist. */
  readonly all: readonly LiveRendition[]
  readonly byName: ReadonlyMap<string, LiveRendition>

  private constructor(all: readonly LiveRendition[]) {
    this.all = all
    this.byName = new Map(all.map((rendition) => [rendition.name, rendition]))
  }

  static readonly NONE = new Renditions([])

  static create({ video, audio }: Layout, options: Omit<LiveRenditionOptions, 'name' | 'all'>): Renditions {
    const all: LiveRendition[] = []
    for (const name of [...video, ...audio]) all.push(new LiveRendition({ ...options, name, all }))
    return new Renditions(all)
  }

  get sizeBytes(): number {
    return this.all.reduce((sum, rendition) => sum + rendition.sizeBytes, 0)
  }

  /** The rhythms of the frames of running renditions. */
  get rhythms(): FrameRhythm[] {
    return this.all.filter(({ running }) => running).map(({ pace }) => pace.rhythm)
  }

  /** Begins a period with the tracks of a plan. */
  begin(period: Period, plan: TrackPlan, mainTrack: Track, startSeconds: number): void {
    for (const rendition of this.all) rendition.begin(period, plan.get(rendition.name) ?? [], mainTrack, startSeconds)
  }

  /** Finds a file by its name without the presentation's id: the name of its rendition, and that within the rendition. */
  file(name: string): PresentationFile | undefined {
    const [rendition = '', file, ...rest] = name.split('-')
    return file === undefined || rest.length > 0 ? undefined : this.byName.get(rendition)?.file(file)
  }

  /**
   * True when there are enough segments for a first playlist.
   * @param firstMsn the number of its first segment
   * @param needsOne true when that segment suffices
   */
  suffice(firstMsn: number, needsOne: boolean): boolean {
    const haveOne = this.all.length > 0 && this.all.every((rendition) => rendition.has(firstMsn))
    if (needsOne || !haveOne) return haveOne
    const segments = this.all[0]?.window.listed().filter(({ complete }) => complete) ?? []
    const mediaSeconds = segments.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0)
    return (
      mediaSeconds >= FIRST_MEDIA_SECONDS || this.all.every((rendition) => rendition.has(firstMsn + FIRST_SEGMENTS - 1))
    )
  }

  /** The numbers for the presentation that replaces this one. */
  numbersAfter(first: SequenceNumbers, periods: number): SequenceNumbers {
    const shown = this.all.map(({ lastMsn }) => lastMsn)
    return { msn: Math.max(...shown) + 1, discontinuity: first.discontinuity + periods }
  }
}
