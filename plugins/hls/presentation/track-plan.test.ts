import { expect } from 'chai'
import type { Track } from 'sluice/sdk'
import { layoutOf, planTracks } from './track-plan.ts'

function video(id: number, fields: { readonly layer?: string; readonly group?: string } = {}): Track {
  const config = { record: Buffer.alloc(0), width: 640, height: 360, codecString: 'avc1.64001e' }
  return { id, kind: 'video', codec: 'h264', timescale: 90_000, config, ...fields }
}

function audio(id: number): Track {
  const config = { record: Buffer.alloc(0), sampleRate: 48_000, channels: 2, codecString: 'mp4a.40.2' }
  return { id, kind: 'audio', codec: 'aac', timescale: 48_000, config }
}

/** Which tracks are in which rendition. */
function planned(tracks: readonly Track[]): Record<string, number[]> {
  const plan = planTracks(layoutOf(tracks), tracks)
  return Object.fromEntries([...plan].map(([name, placed]) => [name, placed.map(({ id }) => id)]))
}

describe('the plan of tracks', () => {
  it('has all in one rendition, where there is one of each kind', () => {
    expect(planned([video(1), audio(2)])).to.eql({ video: [1, 2] })
    expect(planned([audio(2)])).to.eql({ audio: [2] })
  })

  it('has a rendition for each layer of the pictures, and for each sound', () => {
    expect(planned([video(1), video(2, { layer: 'h' }), audio(3)])).to.eql({ video: [1], video2: [2], audio: [3] })
    expect(planned([video(1), audio(2), audio(3)])).to.eql({ video: [1], audio: [2], audio2: [3] })
  })

  it('leaves out pictures of something else, which players would take for another quality', () => {
    const screen = [video(3, { layer: '2', group: '2' }), video(4, { layer: '2-h', group: '2' })]
    expect(planned([video(1), audio(2), ...screen])).to.eql({ video: [1, 2] })
    expect(planned([screen[0]!, video(1), video(5, { layer: 'h' })])).to.eql({ video: [1], video2: [5] })
  })
})
