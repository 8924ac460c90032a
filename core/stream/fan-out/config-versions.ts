import type { Track } from 'sluice/sdk'

type Announcement = Pick<Track, 'codec' | 'timescale' | 'config'>

/** The configurations that a format has announced, by the place that a track's successor takes, with their versions. */
export class ConfigVersions {
  readonly #announced = new Map<string, Announcement>()
  /** The version in which each track's configuration last changed. */
  readonly #changedIn = new Map<string, number>()
  #version = 0

  /** The newest version; `renew` makes another. */
  get version(): number {
    return this.#version
  }

  /** Notes the announcement in the track's place; returns how it compares with the one before. */
  note(track: Track): 'same' | 'changed' | 'none' {
    const before = this.#announced.get(slot(track))
    const { codec, timescale, config } = track
    this.#announced.set(slot(track), { codec, timescale, config })
    if (before === undefined) return 'none'
    return sameAnnouncement(before, track) ? 'same' : 'changed'
  }

  /** Makes another version, in which the track is announced anew. */
  renew(track: Track): void {
    this.#changedIn.set(slot(track), ++this.#version)
  }

  /** Returns true when the track's configuration is newer than a version. */
  isNewer(track: Track, version: number): boolean {
    return (this.#changedIn.get(slot(track)) ?? 0) > version
  }

  delete(track: Track): void {
    this.#announced.delete(slot(track))
  }
}

/** True when a track can go on in another's place without being announced anew. */
function sameAnnouncement(one: Announcement, other: Announcement): boolean {
  return one.codec === other.codec && one.timescale === other.timescale && sameConfig(one.config, other.config)
}

function slot({ kind, layer = '', language = '', label = '' }: Track): string {
  return JSON.stringify([kind, layer, language, label])
}

/** True when two configurations mean the same to a decoder. */
export function sameConfig(one: Track['config'], other: Track['config']): boolean {
  if (one === other) return true
  if (one.codecString !== other.codecString || !one.record.equals(other.record)) return false
  if ('width' in one) return 'width' in other && one.width === other.width && one.height === other.height
  if (!('channels' in one)) return true
  return 'channels' in other && one.sampleRate === other.sampleRate && one.channels === other.channels
}
