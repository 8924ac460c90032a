import { expect } from 'chai'
import { AccessUnit } from '../../access-unit.ts'
import type { Track } from '../../track.ts'
import { RecordingSink } from '../../container/flv/fixtures/recording-sink.ts'
import { trackOf } from '../fixtures/packets.ts'
import { KeyframeRequester } from './keyframe-requester.ts'

const VIDEO = trackOf('vp8')
const SOUND: Track = {
  id: 1,
  kind: 'audio',
  codec: 'pcma',
  timescale: 8000,
  config: { record: Buffer.alloc(0), sampleRate: 8000, channels: 1, codecString: '' },
}
const MIN_INTERVAL_MS = 500

type Event = 'need' | 'lost' | 'sound lost' | 'keyframe' | 'picture' | 'sound'

/** Events at their times; after each, and each 100 ms between, it is looked whether a keyframe is asked for. */
const CASES: readonly {
  name: string
  maxAgeMs?: number
  events: readonly (readonly [atMs: number, event: Event])[]
  askedMs: readonly number[]
}[] = [
  {
    name: 'nothing is asked for without need',
    events: [
      [0, 'keyframe'],
      [2000, 'picture'],
    ],
    askedMs: [],
  },
  {
    name: 'a need is asked for at once, and again until a keyframe comes',
    events: [
      [0, 'picture'],
      [100, 'need'],
      [1300, 'keyframe'],
      [2500, 'picture'],
    ],
    askedMs: [100, 600, 1100],
  },
  {
    name: 'lost pictures are a need, lost sound is none',
    events: [
      [0, 'sound lost'],
      [300, 'lost'],
      [400, 'keyframe'],
      [2000, 'picture'],
    ],
    askedMs: [300],
  },
  {
    name: 'neither other pictures nor sound end a need',
    events: [
      [0, 'need'],
      [100, 'picture'],
      [200, 'sound'],
      [600, 'keyframe'],
    ],
    askedMs: [0, 500],
  },
  {
    name: 'what was asked a moment ago is not asked again',
    events: [
      [0, 'need'],
      [100, 'keyframe'],
      [200, 'lost'],
      [600, 'keyframe'],
    ],
    askedMs: [0, 500],
  },
  {
    name: 'an old keyframe is renewed in intervals of its age',
    maxAgeMs: 1000,
    events: [
      [0, 'keyframe'],
      [3500, 'picture'],
    ],
    askedMs: [1000, 2000, 3000],
  },
  {
    name: 'none is renewed before the first',
    maxAgeMs: 1000,
    events: [
      [0, 'picture'],
      [3500, 'picture'],
    ],
    askedMs: [],
  },
  {
    name: 'a keyframe begins the age anew',
    maxAgeMs: 1000,
    events: [
      [0, 'keyframe'],
      [900, 'keyframe'],
      [2000, 'picture'],
    ],
    askedMs: [1900],
  },
]

describe('KeyframeRequester', () => {
  for (const { name, maxAgeMs = 0, events, askedMs } of CASES) {
    it(name, () => {
      const requester = new KeyframeRequester({ sink: new RecordingSink(), minIntervalMs: MIN_INTERVAL_MS, maxAgeMs })
      const asked: number[] = []
      for (let nowMs = 0; nowMs <= events.at(-1)![0]; nowMs += 100) {
        for (const [atMs, event] of events) if (atMs === nowMs) act(requester, event)
        if (requester.due(nowMs)) asked.push(nowMs)
      }
      expect(asked).to.eql(askedMs)
    })
  }

  it('hands on all that the source gives', () => {
    const sink = new RecordingSink()
    const requester = new KeyframeRequester({ sink, minIntervalMs: MIN_INTERVAL_MS, maxAgeMs: 0 })
    const { id: _, ...init } = VIDEO
    const track = requester.addTrack(init)
    const successor = requester.configureTrack(track, { ...VIDEO.config, codecString: 'vp8' })
    const unit = AccessUnit.fromData(successor, 0, 0, true, Buffer.of(1))
    requester.write(unit)
    requester.lost(successor, 3)
    requester.removeTrack(successor)
    expect(sink.units).to.eql([unit])
    expect(sink).to.include({ lostUnits: 3 })
    expect(sink.tracks.map(({ codec }) => codec)).to.eql(['vp8'])
  })
})

function act(requester: KeyframeRequester, event: Event): void {
  if (event === 'need') requester.need()
  else if (event === 'lost') requester.lost(VIDEO, 1)
  else if (event === 'sound lost') requester.lost(SOUND, 1)
  else requester.write(AccessUnit.fromData(event === 'sound' ? SOUND : VIDEO, 0, 0, event !== 'picture', Buffer.of(1)))
}
