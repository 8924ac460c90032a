import { FlvTagDemuxer, type AccessUnit, type Track, type TrackInit, type UnitSink } from 'sluice/sdk/media'
import { isVideo, type Tape } from '../media/tape.ts'

/** Takes what a demuxer finds, and makes nothing of it. */
export class CountingSink implements UnitSink {
  units = 0
  #nextTrackId = 0

  addTrack(init: TrackInit): Track {
    return { ...init, id: this.#nextTrackId++ }
  }

  configureTrack<Kind extends Track>(track: Kind): Kind {
    return track
  }

  removeTrack(): void {}

  lost(): void {}

  write(_unit: AccessUnit): void {
    this.units++
  }
}

class RecordingSink extends CountingSink {
  readonly tracks: Track[] = []
  readonly recorded: AccessUnit[] = []

  override addTrack(init: TrackInit): Track {
    const track = super.addTrack(init)
    this.tracks.push(track)
    return track
  }

  override write(unit: AccessUnit): void {
    this.recorded.push(unit)
  }
}

/** The tape's tracks and access units. */
export function recordedUnits(tape: Tape): {
  readonly tracks: readonly Track[]
  readonly units: readonly AccessUnit[]
} {
  const sink = new RecordingSink()
  const demuxer = new FlvTagDemuxer(sink)
  for (const tag of [...tape.headers, ...tape.tags]) {
    if (isVideo(tag)) demuxer.video(tag.timestampMs, tag.body)
    else demuxer.audio(tag.timestampMs, tag.body)
  }
  return { tracks: sink.tracks, units: sink.recorded }
}
