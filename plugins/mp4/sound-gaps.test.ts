import { expect } from 'chai'
import { AccessUnit, type Track } from 'sluice/sdk'
import { SCRIPTED_AUDIO } from 'sluice/sdk/testing'
import { CarriedTrack } from './carried-track.ts'

const AUDIO: Track = { ...SCRIPTED_AUDIO, timescale: 1000, id: 0 }
const FRAME = Buffer.from('audio frame')
const SILENCE = Buffer.from('211004608c1c', 'hex')
const FRAME_TICKS = 1024

/** The samples' durations, with those of silence marked, in the fragments of frames at some times. */
function durationsOf(timesMs: readonly number[]): string[] {
  const carried = new CarriedTrack(AUDIO)
  return timesMs.map((timeMs) => {
    const bytes = carried.fragment(AccessUnit.fromData(AUDIO, timeMs, timeMs, true, FRAME), 1)!
    const table = bytes.indexOf('trun') + 4
    const samples = Array.from({ length: bytes.readUInt32BE(table + 4) }, (_, index) => table + 12 + index * 8)
    return samples
      .map(
        (offset) =>
          `${bytes.readUInt32BE(offset + 4) === SILENCE.length ? 'silent ' : ''}${bytes.readUInt32BE(offset)}`,
      )
      .join(', ')
  })
}

describe('SoundGaps', () => {
  it('leave sound alone that comes as it should, in milliseconds', () => {
    expect(durationsOf([0, 23, 46, 70, 93])).to.eql(Array(5).fill(String(FRAME_TICKS)))
  })

  it('are filled with silence up to the next frame', () => {
    // One frame of 23 ms is missing, then three.
    expect(durationsOf([0, 46, 140])).to.eql([
      '1024',
      'silent 1024, 1024',
      'silent 1024, silent 1024, silent 1024, 1024',
    ])
  })

  it('are left where the stream breaks', () => {
    expect(durationsOf([0, 11_000])).to.eql(['1024', '1024'])
  })
})
